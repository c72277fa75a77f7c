"""Braintrust: spans of logs and experiments, one a line, or a page of them.

{"id", "span_id", "root_span_id", "span_parents": [...], "span_attributes": {"type": "llm"},
 "input": [messages], "output": [choices], "error", "metadata": {"model", "tools"},
 "metrics": {"start", "prompt_tokens"}, "created"}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers
from ctxaudit.adapters.envelopes import told
from ctxaudit.adapters.spans import count, lenient
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "braintrust"
TITLE = "Braintrust spans (logs and experiments)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

SESSIONS = ("session_id", "sessionId", "thread_id", "threadId", "conversation_id", "conversationId")
LISTS = ("events", "data", "rows")


def recognises(head: Sequence[Any]) -> bool:
    return any(any(tracers.rows(data, LISTS, _is_span)) for data in head)


def _is_span(data: Any) -> bool:
    return isinstance(data, dict) and {"span_attributes", "root_span_id"} <= data.keys()


def read(source: Source) -> Iterator[Turn]:
    return tracers.read(source, _spans)


def _spans(record: Record) -> Iterator[Traced]:
    for span in tracers.rows(record.data, LISTS, _is_span):
        metadata = fields(lenient(span.get("metadata")))
        metrics = fields(lenient(span.get("metrics")))
        parents = lenient(span.get("span_parents"))
        llm = fields(lenient(span["span_attributes"])).get("type") == "llm"
        start = metrics.get("start")
        yield Traced(
            record,
            span.get("input") if llm else None,
            span.get("output"),
            tools=metadata.get("tools"),
            start=start if start is not None else span.get("created"),
            session=text(*map(metadata.get, SESSIONS)),
            trace=text(span["root_span_id"]),
            own=text(span.get("span_id"), span.get("id")),
            parent=text(parents[0]) if isinstance(parents, list) and parents else None,
            error=told(span["error"]) if span.get("error") else None,
            tokens=count(metrics.get("prompt_tokens")),
        )
