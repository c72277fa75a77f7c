"""LangGraph: messages of a state, states as they were checkpointed, and streams of updates.

    {"type": "human" | "ai" | "tool" | "system" | "remove", "content", "id", "tool_calls": [...]}
    {"values": {"messages": [...]}, "config": {"configurable": {"thread_id", "checkpoint_ns"}},
     "metadata": {"step"}, "created_at"}
    {"agent": {"messages": [...]}}, also as ["updates", {...}] or {"event": "updates", "data": ...}

A history of states repeats its messages: each is read once, and what a later state lacks was taken
out. Sub-graphs are sessions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.langgraph_state import Thread, is_message
from ctxaudit.adapters.spans import moment
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "langgraph"
TITLE = "LangGraph messages, states and streams"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
UPDATES, VALUES, CHECKPOINT = "updates", "values", "checkpoint"
MODES = frozenset(
    {UPDATES, VALUES, "messages", "debug", "tasks", "checkpoints", "custom", "metadata"}
)
#: What only other records have that hold messages.
FOREIGN = frozenset(
    {"run_type", "trace_id", "traceId", "model", "request", "response", "inputs"} | {"uuid", "seq"}
)


@dataclass(slots=True)
class Told:
    """What a record says of a thread; ``whole``: it is all of the state."""

    record: Record
    messages: list[Any]
    whole: bool
    thread: str | None = None
    space: str = ""
    when: Any = None


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_ours(data) for data in head if member(data)[0] is None)


def aside(head: Sequence[Any]) -> str | None:
    """What a file of ours is that cannot be read."""
    rows = [row for name, row in map(member, head) if name in ("checkpoints", "writes")]
    if any(isinstance(row, dict) and {"thread_id", "checkpoint_id"} <= row.keys() for row in rows):
        return (
            "it is a database of LangGraph checkpoints, whose states are packed: write them out "
            "with get_state_history, one JSON line a state"
        )
    return None


def _is_ours(data: Any) -> bool:
    if isinstance(data, dict) and data.keys() & FOREIGN:
        return False
    record = Record("", 0, data)
    return any(any(map(_is_own, told.messages[:4])) for told in _told(record))


def _is_own(message: Any) -> bool:
    """Whether it is a message of LangChain and of nobody else: "system" and "user" are types of
    other formats' records, too."""
    if not is_message(message):
        return False
    return message["type"] in ("human", "ai", "remove", "constructor") or "tool_call_id" in message


def read(source: Source) -> Iterator[Turn]:
    """The turns of all threads; states in the order in which they were made."""
    found = [one for told in source.each(_each) for one in told]
    if all(one.when is not None for one in found):
        found.sort(key=lambda one: moment(one.when))
    threads: dict[tuple[str, str], Thread] = {}
    answered: set[str] = set()
    for one in found:
        name = one.thread or PurePath(one.record.path).name.split(".")[0]
        if (name, one.space) not in threads:
            full = f"{name}/{one.space}" if one.space else name
            threads[name, one.space] = Thread(full, one.record.path, answered)
        thread = threads[name, one.space]
        take = thread.state if one.whole else thread.update
        try:
            yield from take(one.messages, one.record.line)
        except WRONG_SHAPE as error:
            source.damaged(one.record.path, one.record.line, error)
    for thread in threads.values():
        yield from thread.talk.end()
        if thread.carried:
            source.note("answers that several threads hold are read in the first one only")


def _each(record: Record) -> list[Told]:
    found = list(_told(record))
    for one in found:
        if not all(map(is_message, one.messages)):
            raise TypeError("no message of LangChain")
    if not found and not _is_stream(record.data):
        raise TypeError("no message and no state")
    return found


def _is_stream(data: Any) -> bool:
    """Whether a record is a part of a stream that may hold no messages."""
    return isinstance(data, (dict, list))


def _told(record: Record) -> Iterator[Told]:
    """What a record says of the messages of a thread."""
    data = record.data
    if is_message(data):
        yield Told(record, [data], whole=False)
    elif isinstance(data, list):
        yield from _streamed(record, data)
    elif isinstance(data, dict):
        mode = data.get("event", data.get("type"))
        if isinstance(mode, str) and mode.partition("|")[0] in MODES and "data" in data:
            space = "/".join(map(str, data.get("ns") or mode.split("|")[1:]))
            yield from _in_mode(record, mode.partition("|")[0], data["data"], space)
        elif mode == CHECKPOINT and isinstance(data.get("payload"), dict):
            yield from _state(Record(record.path, record.line, data["payload"]))
        else:
            yield from _state(record)


def _streamed(record: Record, parts: list[Any]) -> Iterator[Told]:
    """A part of a stream as Python gives it: (mode, data), or (namespace, mode, data)."""
    space = ""
    if len(parts) == 3 and isinstance(parts[0], list):
        space, parts = "/".join(map(str, parts[0])), parts[1:]
    if len(parts) == 2 and isinstance(parts[0], str) and parts[0] in MODES:
        yield from _in_mode(record, parts[0], parts[1], space)


def _in_mode(record: Record, mode: str, data: Any, space: str) -> Iterator[Told]:
    inner = Record(record.path, record.line, data)
    if mode == UPDATES:
        yield from _updates(inner, space)
    elif mode in (VALUES, "checkpoints"):
        yield from (Told(inner, t.messages, True, t.thread, space) for t in _state(inner))
    elif mode == "debug" and isinstance(data, dict) and data.get("type") == CHECKPOINT:
        payload = Record(record.path, record.line, data.get("payload"))
        yield from (Told(inner, t.messages, True, t.thread, space) for t in _state(payload))


def _updates(record: Record, space: str) -> Iterator[Told]:
    """What each node has written."""
    for update in record.data.values() if isinstance(record.data, dict) else ():
        for part in update if isinstance(update, list) else [update]:
            messages = part.get("messages") if isinstance(part, dict) else None
            listed = messages if isinstance(messages, list) else [messages]
            if messages is not None and any(map(is_message, listed)):
                yield Told(record, listed, whole=False, space=space)


def _state(record: Record) -> Iterator[Told]:
    """A state, bare or as it was checkpointed; else the updates of nodes."""
    data = record.data
    if not isinstance(data, dict):
        return
    values = data.get("values", data.get("channel_values"))
    inner = values if isinstance(values, dict) else data
    messages = inner.get("messages")
    if isinstance(messages, list):
        place = _place(data)
        metadata = data.get("metadata")
        step = metadata.get("step") if isinstance(metadata, dict) else None
        when = data.get("created_at") or step
        thread, space = place.get("thread_id"), place.get("checkpoint_ns")
        yield Told(
            record,
            messages,
            True,
            str(thread) if thread else None,
            str(space or ""),
            when if isinstance(when, (str, int, float)) else None,
        )
    elif values is None:
        yield from _updates(record, "")


def _place(data: dict[str, Any]) -> dict[str, Any]:
    """Thread and namespace of a checkpoint."""
    config = data.get("config")
    for told in (
        config.get("configurable") if isinstance(config, dict) else None,
        data.get("checkpoint"),
    ):
        if isinstance(told, dict) and "thread_id" in told:
            return told
    return data if "thread_id" in data else {}
