"""LiteLLM: what its proxy and SDK log of every call.

    {"id", "trace_id", "call_type": "acompletion", "startTime", "messages": [...], "response": {},
     "model_parameters": {"tools": [...]}, "status", "error_str", "hidden_params"}

That is the standard logging payload. A row of the spend logs (``request_id``, ``spend``) has the
request's body in ``proxy_server_request``, if prompts are stored at all; long texts in it are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers
from ctxaudit.adapters.exchanges import REDACTED
from ctxaudit.adapters.spans import CUT, lenient
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.adapters.unwrapped import is_body
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, Turn, dumps

NAME = "litellm"
TITLE = "LiteLLM logging payloads and spend logs"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

OWN = ("hidden_params", "model_map_information", "litellm_call_id")
SPEND = ("request_id", "spend", "startTime")
#: What the logger leaves of texts that it hides, and of texts that are too long for it.
HIDDEN = "redacted-by-litellm"
SHORTENED = ("(litellm_truncated ", "... (truncated ")
LISTS = ("data", "logs")


def recognises(head: Sequence[Any]) -> bool:
    return any(any(tracers.rows(_payload(data), LISTS, _is_row)) for data in head)


def _payload(data: Any) -> Any:
    """The payload of a callback's arguments, or the record itself."""
    for outer in (data, data.get("kwargs")) if isinstance(data, dict) else ():
        if isinstance(outer, dict) and isinstance(outer.get("standard_logging_object"), dict):
            return outer["standard_logging_object"]
    return data


def _is_row(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and "call_type" in data
        and (any(key in data for key in OWN) or all(key in data for key in SPEND))
    )


def read(source: Source) -> Iterator[Turn]:
    return tracers.read(source, _spans)


def _spans(record: Record) -> Iterator[Traced]:
    for row in tracers.rows(_payload(record.data), LISTS, _is_row):
        prompt, metadata = _prompt(row), fields(lenient(row.get("metadata")))
        requester = fields(metadata.get("requester_metadata"))
        yield Traced(
            record,
            prompt,
            lenient(row.get("response")),
            tools=fields(row.get("model_parameters")).get("tools"),
            start=row.get("startTime"),
            session=text(metadata.get("session_id"), requester.get("session_id")),
            trace=text(row.get("session_id"), row.get("trace_id")),
            own=text(row.get("id"), row.get("request_id")),
            error=_error(row, metadata),
            tokens=row.get("prompt_tokens") or None,
            address=str(row["call_type"]),
            gaps=_gaps(prompt),
        )


def _prompt(row: dict[str, Any]) -> Any:
    """The request's body, or its messages, None where the prompt is not stored."""
    for key in ("proxy_server_request", "messages"):
        told = lenient(row.get(key))
        inner = told.get("body") if isinstance(told, dict) else None
        told = inner if isinstance(inner, dict) else told
        if isinstance(told, list) and told:
            return {"input": told} if "responses" in row["call_type"] else told
        if isinstance(told, dict) and is_body(told):
            return told
        if told == HIDDEN:
            return [{"role": "user", "content": told}]
    return None


def _gaps(prompt: Any) -> tuple[Gap, ...]:
    told = dumps(prompt)
    hidden = (REDACTED,) if HIDDEN in told else ()
    return (*hidden, CUT) if any(mark in told for mark in SHORTENED) else hidden


def _error(row: dict[str, Any], metadata: dict[str, Any]) -> str | None:
    if row.get("status", metadata.get("status")) != "failure":
        return None
    told = fields(row.get("error_information")) or fields(metadata.get("error_information"))
    message = row.get("error_str") or told.get("error_message") or told.get("error_class")
    return f"{told.get('error_code') or ''} {message or 'error'}".strip()
