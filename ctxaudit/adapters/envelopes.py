"""What a line of a request log wraps a request in: where its response, its session and its error
are.

    {"session_id": "s1", "request": {<body>}, "response": {<body>}}      a logger
    {"request": {"url", "headers", "body"}, "response": {"status_code", "body"}}     a proxy
    {"input": {<body>}, "output": {<body>}}                              a tracer
    {<body>, "response": {<body>}}                                       a client library
    {<body>}                                                             the bare request
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from ctxaudit.adapters.streams import assembled
from ctxaudit.model import dumps
from ctxaudit.patterns import regex

REQUESTS = ("request", "request_body", "requestBody", "req", "input")
RESPONSES = ("response", "response_body", "responseBody", "res", "output", "completion")
BODIES = ("body", "body_raw", "json", "data")
ADDRESSES = ("url", "path", "endpoint", "uri", "call_type")
PROMPTS = ("messages", "contents", "input")
#: Prompt items that are no messages.
ITEMS = ("function_call", "function_call_output", "reasoning", "message")
#: Where a logger keeps the tools that are not in the body.
OPTIONS = ("kwargs", "model_parameters", "modelParameters", "optional_params", "metadata")
SESSIONS = (
    "session_id",
    "sessionId",
    "session",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "chat_id",
    "trace_id",
    "traceId",
)
AGENTS = ("agent_id", "agentId", "agent", "agent_name", "subagent", "lane")
METADATA = ("metadata", "meta", "attributes")
_HEADER = regex(r"(?:^|[-_])(?:session|conversation|thread)[-_]?id$", re.I)
_USER_SESSION = regex(r"_session_([\w-]{8,80})$")


@dataclass(slots=True)
class Exchange:
    """A request and what came back. ``response`` is None where the log does not have it."""

    body: dict[str, Any]
    response: dict[str, Any] | None = None
    session: str | None = None
    agent: str | None = None
    error: str | None = None
    address: str = ""


def opened(data: dict[str, Any]) -> Exchange | None:
    """The exchange of a record, None if it holds no request.

    Raises: ValueError or TypeError if it holds one that cannot be read.
    """
    outer = _first(data, REQUESTS) if not _is_body(data) else data
    if isinstance(outer, list) and _first(data, RESPONSES) is not None:
        outer = _alone(outer)
    outer = _parsed(outer)
    if not isinstance(outer, dict):
        return None
    body = outer if _is_body(outer) else _parsed(_first(outer, BODIES))
    if not isinstance(body, dict) or not _is_body(body):
        return None
    places = list(_places(data, outer, body))
    answer = _first(data, RESPONSES if outer is not data else RESPONSES[:-2])
    response, status = _response(answer)
    exchange = Exchange(body, response, address=str(_first(outer, ADDRESSES) or ""))
    exchange.address = exchange.address or str(_first(data, ADDRESSES) or "")
    exchange.session = _named(places, SESSIONS) or _from_headers(outer) or _from_user(body)
    exchange.agent = _named(places, AGENTS)
    exchange.error = _error(data, answer, response, status)
    return exchange


def beside(data: dict[str, Any]) -> Any:
    """The tools that a record offers outside of the request's body, None if it has none."""
    options = (data, *map(data.get, OPTIONS))
    return next((o["tools"] for o in options if isinstance(o, dict) and "tools" in o), None)


def _alone(prompt: list[Any]) -> dict[str, Any]:
    """The request of a tracer that logs the messages, or the items, and nothing around them."""
    items = any(isinstance(item, dict) and item.get("type") in ITEMS for item in prompt)
    return {"input" if items else "messages": prompt}


def _is_body(value: dict[str, Any]) -> bool:
    """Whether an object is itself a request: it has a prompt and wraps no other one."""
    if value.get("messages") is not None or value.get("contents") is not None:
        return True
    told = value.get("input")
    alone = not any(key in value for key in ("output", "response", *REQUESTS[:-1]))
    return isinstance(told, (str, list)) and ("model" in value or alone) and "output" not in value


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in _present(tuple(fields), names):
        if (value := fields[name]) is not None:
            return value
    return None


@lru_cache(4096)
def _present(keys: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that are among an object's keys: the lines of one log have few sets of keys."""
    return tuple(name for name in names if name in keys)


def _parsed(value: Any) -> Any:
    """A value that may be JSON in a text. Raises ValueError if it begins like JSON and is none."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return orjson.loads(value)
    return value


def _response(answer: Any) -> tuple[dict[str, Any] | None, int]:
    """The response's body, whole, and the HTTP status where there is one."""
    status = 0
    if isinstance(answer, dict):
        code = answer.get("status_code", answer.get("status"))
        status = code if isinstance(code, int) else 0
        if (inner := _first(answer, BODIES)) is not None and "object" not in answer:
            answer = inner
    if isinstance(answer, (str, list)):
        return assembled(answer), status
    return (answer if isinstance(answer, dict) else None), status


def _places(
    data: dict[str, Any], outer: dict[str, Any], body: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for fields in (data, outer, body):
        yield fields
        for key in _present(tuple(fields), METADATA):
            if isinstance(fields[key], dict):
                yield fields[key]


def _named(places: list[dict[str, Any]], names: tuple[str, ...]) -> str | None:
    """The first of the names that has a value: the better name first, then the nearer place."""
    known = [(fields, found) for fields in places if (found := _present(tuple(fields), names))]
    for name in names if known else ():
        for fields, found in known:
            value = fields[name] if name in found else None
            if isinstance(value, dict):
                value = value.get("id", value.get("name"))
            if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                return str(value)
    return None


def _from_headers(outer: dict[str, Any]) -> str | None:
    headers = outer.get("headers")
    pairs = headers.items() if isinstance(headers, dict) else ()
    return next((str(value) for key, value in pairs if _HEADER.search(str(key))), None)


def _from_user(body: dict[str, Any]) -> str | None:
    """The session that a client packs into the user's id, as text or as JSON."""
    metadata = body.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return None
    if user.startswith("{") and '"session_id"' in user:
        found = orjson.loads(user).get("session_id")
        return found if isinstance(found, str) else None
    match = _USER_SESSION.search(user)
    return match[1] if match else None


def _error(data: dict[str, Any], answer: Any, body: dict[str, Any] | None, code: int) -> str | None:
    """What the provider refused the request with, None if it did not."""
    found = _first(data, ("error", "error_str", "exception"))
    if found is None and isinstance(answer, dict):
        found = answer.get("error")
    if found is None and body is not None:
        found = body.get("error") or None
    if found is None and code >= 400:
        inner = _first(answer, BODIES) if isinstance(answer, dict) else answer
        found = body if body is not None else inner
        return f"{code} {dumps(found or '')}".strip()
    return told(found) if found else None


def told(error: Any) -> str:
    """An error as one text: its status and its message."""
    if not isinstance(error, dict):
        return dumps(error)
    inner = error.get("error")
    if isinstance(inner, dict):
        return told({**error, **inner, "error": None})
    status = error.get("status_code") or error.get("code") or error.get("status") or ""
    message = error.get("message")
    return f"{status} {message}".strip() if isinstance(message, str) else dumps(error)
