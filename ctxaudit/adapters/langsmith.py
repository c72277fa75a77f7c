"""LangSmith run exports: one run a line, or a list of them.

    {"id", "run_type": "llm", "inputs": {"messages": [[...]]}, "outputs": {"generations": ...},
     "extra": {"invocation_params": {"tools": [...]}, "metadata": {"thread_id"}}, "dotted_order"}

``session_id`` is the project there; the conversation is the metadata's thread. Wrapped clients log
their provider's body and response instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers
from ctxaudit.adapters.spans import count
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "langsmith"
TITLE = "LangSmith run exports"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

THREADS = ("thread_id", "session_id", "conversation_id")


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_run(data) for data in head)


def _is_run(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and "run_type" in data
        and "inputs" in data
        and ("dotted_order" in data or "trace_id" in data)
    )


def read(source: Source) -> Iterator[Turn]:
    return tracers.read(source, _spans)


def _spans(record: Record) -> Iterator[Traced]:
    stack = [record.data]
    while stack:
        run = stack.pop()
        if isinstance(run, dict):
            stack += reversed(run.get("child_runs") or ())
            yield _span(run, record)


def _span(run: dict[str, Any], record: Record) -> Traced:
    extra = fields(run.get("extra"))
    invocation, metadata = fields(extra.get("invocation_params")), fields(extra.get("metadata"))
    return Traced(
        record,
        run.get("inputs") if run.get("run_type") == "llm" else None,
        run.get("outputs"),
        tools=invocation.get("tools", invocation.get("functions")),
        start=run.get("start_time") or run.get("dotted_order"),
        session=text(*map(metadata.get, THREADS)),
        trace=text(run.get("trace_id")),
        own=text(run.get("id")),
        parent=text(run.get("parent_run_id")),
        error=str(run["error"]) if run.get("error") else None,
        tokens=count(run.get("prompt_tokens")) or None,
    )
