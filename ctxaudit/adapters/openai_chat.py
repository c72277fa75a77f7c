"""OpenAI Chat Completions: ``{"messages": [...], "tools": [...]}``, with ``functions`` of old.

A reply is ``{"choices": [{"message": {...}}]}``.
"""

from __future__ import annotations

from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.model import Kind, dumps
from ctxaudit.pieces import Piece

KINDS = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "model": Kind.ASSISTANT,
}
THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def prompt(body: dict[str, Any]) -> list[Any]:
    """The items of a request: its messages."""
    messages = body["messages"]
    if not isinstance(messages, list):
        raise TypeError("messages is no list")
    return messages


def tools(body: dict[str, Any]) -> Any:
    """The definitions that a request offers, None where it has none.

    One tracer appends them to the messages instead, as messages of role ``tool``.
    """
    for key in ("tools", "functions"):
        if body.get(key) is not None:
            return body[key]
    return [m["content"] for m in body["messages"] if is_definition(m)] or None


def is_definition(message: Any) -> bool:
    """Whether a message is no message but the definition of a tool."""
    if not isinstance(message, dict) or message.get("role") != "tool":
        return False
    told = message.get("content")
    if message.get("tool_call_id") or not isinstance(told, dict):
        return False
    return told.get("type") == "function" or ("name" in told and "parameters" in told)


def pieces(message: Any) -> list[Piece]:
    """The pieces of one message. Raises TypeError or AttributeError if it is none."""
    role, told = message.get("role"), message.get("content")
    if role == "tool":
        if is_definition(message):
            return []
        name = message.get("name")
        result_of = message.get("tool_call_id") or None
        failed = True if message.get("is_error") is True else None
        return [Piece(Kind.RESULT, content.text(told), result_of, name, failed)]
    if role == "function":
        return [Piece(Kind.RESULT, content.text(told), None, message.get("name"))]
    kind = KINDS.get(role, Kind.USER)
    if kind is not Kind.ASSISTANT:
        return content.pieces(kind, told)
    thought = next((message[k] for k in THOUGHTS if isinstance(message.get(k), str)), None)
    return [
        *content.pieces(Kind.REASONING, thought),
        *content.pieces(kind, told or message.get("refusal")),
        *_calls(message),
    ]


def _calls(message: dict[str, Any]) -> list[Piece]:
    found = []
    for item in message.get("tool_calls") or ():
        custom = item.get("custom")
        if isinstance(custom, dict):
            raw = custom.get("input")
            found.append(content.call(custom["name"], raw, item.get("id"), parse=False))
        else:
            function = item["function"]
            raw = function.get("arguments")
            found.append(content.call(str(function.get("name") or ""), raw, item.get("id")))
    if old := message.get("function_call"):
        found.append(content.call(old["name"], old.get("arguments"), None))
    return found


def said(response: dict[str, Any]) -> list[Any] | None:
    """An answer as prompt items, None if the response is of another kind."""
    choices = response.get("choices")
    if not isinstance(choices, list):
        return [response] if response.get("role") == "assistant" else None
    message = choices[0].get("message") if choices else None
    return [message] if message else []


def tokens(response: dict[str, Any]) -> int | None:
    """The provider's count of the prompt."""
    usage = response.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) else None


def message_of(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that streamed chunks make up."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    calls: dict[int, dict[str, Any]] = {}
    usage = None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            if choice.get("index", 0) == 0:
                _extend(message, calls, delta)
    message["tool_calls"] = [calls[n] for n in sorted(calls)]
    return {"choices": [{"index": 0, "message": message}], "usage": usage}


def _extend(
    message: dict[str, Any], calls: dict[int, dict[str, Any]], delta: dict[str, Any]
) -> None:
    for key in ("content", *THOUGHTS):
        if isinstance(delta.get(key), str):
            message[key] = (message.get(key) or "") + delta[key]
    for n, part in enumerate(delta.get("tool_calls") or ()):
        whole = calls.setdefault(
            part.get("index", n), {"id": None, "function": {"name": "", "arguments": ""}}
        )
        whole["id"] = part.get("id") or whole["id"]
        function = part.get("function") or {}
        whole["function"]["name"] += function.get("name") or ""
        whole["function"]["arguments"] += dumps(function.get("arguments") or "")
