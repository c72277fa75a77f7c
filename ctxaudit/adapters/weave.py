"""W&B Weave: calls as its service and its exports give them.

    {"id", "op_name", "trace_id", "parent_id", "thread_id", "started_at", "inputs": {"messages",
     "tools", "model"}, "output": {"choices": [...]}, "exception", "summary"}

Any function may be a call. Those are model calls that were given a prompt and have returned what a
model answers, or have failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers, unwrapped
from ctxaudit.adapters.spans import lenient
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "weave"
TITLE = "W&B Weave calls"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

SESSIONS = ("session_id", "thread_id", "conversation_id")
#: What only a provider's response has.
ANSWERS = ("choices", "candidates", "output", "generations")
LISTS = ("calls", "data")


def recognises(head: Sequence[Any]) -> bool:
    return any(any(tracers.rows(data, LISTS, _is_call)) for data in head)


def _is_call(data: Any) -> bool:
    return isinstance(data, dict) and {"op_name", "inputs", "trace_id"} <= data.keys()


def read(source: Source) -> Iterator[Turn]:
    return tracers.read(source, _spans)


def _spans(record: Record) -> Iterator[Traced]:
    for call in tracers.rows(record.data, LISTS, _is_call):
        attributes = fields(call.get("attributes"))
        output = lenient(call.get("output"))
        yield Traced(
            record,
            _prompt(lenient(call["inputs"]), output, call),
            output,
            start=call.get("started_at"),
            session=text(call.get("thread_id"), *map(attributes.get, SESSIONS)),
            trace=text(call["trace_id"]),
            own=text(call.get("id")),
            parent=text(call.get("parent_id")),
            error=str(call["exception"]) if call.get("exception") else None,
            address=str(call["op_name"]),
        )


def _prompt(inputs: Any, output: Any, call: dict[str, Any]) -> Any:
    if not isinstance(inputs, dict) or not (call.get("exception") or _answers(output)):
        return None
    if not unwrapped.is_body(inputs):
        inputs = next((i for i in inputs.values() if isinstance(i, dict) and _is_body(i)), {})
    return inputs or None


def _is_body(value: dict[str, Any]) -> bool:
    return unwrapped.is_body(value) and "model" in value


def _answers(output: Any) -> bool:
    """Whether a model has answered that."""
    if not isinstance(output, dict):
        return False
    if any(isinstance(output.get(key), list) for key in ANSWERS):
        return True
    return output.get("role") == "assistant" or output.get("type") == "message"
