"""LangSmith run exports: one run a line, or a list of them.

    {"id", "run_type": "llm", "inputs": {"messages": [[...]]}, "outputs": {"generations": ...},
     "extra": {"invocation_params": {"tools": [...]}, "metadata": {"thread_id"}}, "dotted_order"}

``session_id`` is the project there; the conversation is the metadata's thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import langchain
from ctxaudit.adapters.spans import in_order, schemas
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import turns

NAME = "langsmith"
TITLE = "LangSmith run exports"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

THREADS = ("thread_id", "session_id", "conversation_id")


def recognises(head: Sequence[Any]) -> bool:
    return any(
        isinstance(data, dict)
        and "run_type" in data
        and "inputs" in data
        and ("dotted_order" in data or "trace_id" in data)
        for data in head
    )


def read(source: Source) -> Iterator[Turn]:
    return turns(in_order(source, _calls))


def _calls(record: Record) -> Iterator[tuple[Any, Snapshot]]:
    stack = [record.data]
    while stack:
        run = stack.pop()
        if not isinstance(run, dict):
            continue
        stack += reversed(run.get("child_runs") or ())
        if run.get("run_type") == "llm":
            snapshot = _snapshot(run, record)
            if snapshot is not None:
                yield run.get("start_time") or run.get("dotted_order") or "", snapshot


def _snapshot(run: dict[str, Any], record: Record) -> Snapshot | None:
    inputs, extra = run.get("inputs") or {}, run.get("extra") or {}
    messages = langchain.prompt(inputs)
    if messages is None:
        return None
    invocation = extra.get("invocation_params") or {}
    metadata = extra.get("metadata") or {}
    tools = inputs.get("tools", invocation.get("tools", invocation.get("functions")))
    session = next((metadata[key] for key in THREADS if metadata.get(key)), run.get("trace_id"))
    return Snapshot(
        record.path,
        record.line,
        str(session) if session else None,
        messages,
        langchain.pieces,
        schemas,
        tools if isinstance(tools, list) else None,
        reply=langchain.reply(run.get("outputs")),
        error=str(run["error"]) if run.get("error") else None,
    )
