"""Langfuse: observations as its API, its interface and its blob storage export give them.

    {"id", "traceId", "type": "GENERATION", "startTime", "sessionId", "input", "output",
     "parentObservationId", "modelParameters", "usageDetails", "level", "statusMessage"}

The blob storage export writes the same names with underscores. A trace holds its observations in a
list, a page of the API under ``data``. The input is what the integration made of the request: a
body, a list of messages, with LangChain the tools among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers
from ctxaudit.adapters.spans import lenient
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "langfuse"
TITLE = "Langfuse observations (API pages, traces, blob storage exports)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

TYPES = frozenset(
    "GENERATION SPAN EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split()
)


def recognises(head: Sequence[Any]) -> bool:
    return any(any(tracers.rows(data, ("observations", "data"), _is_row)) for data in head)


def _is_row(data: Any) -> bool:
    if not isinstance(data, dict) or str(data.get("type")) not in TYPES:
        return False
    return {"traceId", "startTime"} <= data.keys() or {"trace_id", "start_time"} <= data.keys()


def read(source: Source) -> Iterator[Turn]:
    return tracers.read(source, _spans)


def _spans(record: Record) -> Iterator[Traced]:
    data = record.data
    for row in tracers.rows(data, ("observations", "data"), _is_row):
        told = {_snake(key): value for key, value in row.items()}
        metadata = fields(lenient(told.get("metadata")))
        parameters = fields(lenient(told.get("model_parameters")))
        usage = fields(lenient(told.get("usage_details"))) or fields(told.get("usage"))
        yield Traced(
            record,
            told.get("input") if told["type"] == "GENERATION" else None,
            told.get("output"),
            tools=parameters.get("tools") or told.get("tool_definitions"),
            start=told.get("start_time"),
            session=text(
                told.get("session_id"),
                data.get("sessionId"),
                metadata.get("langfuse_session_id"),
                metadata.get("thread_id"),
            ),
            trace=text(told.get("trace_id")),
            own=text(told.get("id")),
            parent=text(told.get("parent_observation_id")),
            error=_error(told),
            tokens=_tokens(usage),
        )


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _error(told: dict[str, Any]) -> str | None:
    return str(told.get("status_message") or "error") if told.get("level") == "ERROR" else None


def _tokens(usage: dict[str, Any]) -> int | None:
    """The prompt's tokens: those from the cache are counted beside the others."""
    counts = [n for key, n in usage.items() if "input" in key and isinstance(n, int)]
    return sum(counts) if counts else None
