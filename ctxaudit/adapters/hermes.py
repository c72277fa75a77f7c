"""Sessions of Hermes: its database, exports, and the files that its gateway and batches write.

    state.db        sessions(id, parent_session_id, end_reason, tool_names, model_config, ...),
                    messages(session_id, role, content, tool_call_id, tool_calls, active, ...)
    export          {"id", "parent_session_id", "end_reason", "messages": [...]}, with "segments"
    *.jsonl         {"role": "session_meta", "tools": [...]}, then chat messages
    session_*.json  {"session_id", "tools", "system_prompt", "messages": [...]}
    trajectories    {"conversations": [{"from": "system" | "human" | "gpt" | "tool", "value"}]}

A compression ends a session and begins a child with a summary and what was kept: both are read as
one session. Children of delegations and branches are sessions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import orjson

from ctxaudit.adapters.hermes_files import Segment, Store
from ctxaudit.adapters.hermes_lineage import Lineage
from ctxaudit.adapters.hermes_sharegpt import is_trajectory, messages_of
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "hermes"
TITLE = "Hermes sessions and trajectories"
SHOWS = {
    Aspect.SCHEMAS: Extent.FULL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
META = "session_meta"
ROLES = ("system", "user", "assistant", "tool")
#: What messages of other formats' lines have.
OTHERS = frozenset({"type", "id", "parts", "uuid", "created"})
ROW = frozenset({"session_id", "role", "content", "tool_calls"})
EXPORT = frozenset({"parent_session_id", "end_reason"})
FILE = frozenset({"session_id", "session_start", "system_prompt"})
TABLES = ("sessions", "messages", "system_prompts")


def recognises(head: Sequence[Any]) -> bool:
    for data in head:
        name, inner = member(data)
        if not isinstance(inner, dict):
            continue
        if name is not None:
            if name == "messages" and inner.keys() >= ROW and "content_json" not in inner:
                return True
        elif _is_line(inner) or is_trajectory(inner) or _is_session(inner):
            return True
    return False


def _is_line(data: dict[str, Any]) -> bool:
    """Whether it is a line of a session's file: messages have their time in it."""
    told = data.get("role") in ROLES and "content" in data and "timestamp" in data
    return data.get("role") == META or (told and not data.keys() & OTHERS)


def _is_session(data: dict[str, Any]) -> bool:
    listed = isinstance(data.get("messages"), list) or isinstance(data.get("segments"), list)
    return listed and (data.keys() >= EXPORT or data.keys() >= FILE)


def read(source: Source) -> Iterator[Turn]:
    """The turns of all sessions, each with those that it goes on in."""
    store = Store()
    for record in source.each(lambda record: _take(record, store)):
        source.damaged(record.path, record.line, TypeError("no message of a session"))
    for chain in store.chains():
        parent = store.segments.get(chain[0].parent or "")
        lineage = Lineage(chain[0], parent.messages if parent else ())
        for segment in chain:
            try:
                yield from lineage.read(segment, source.damaged)
            except WRONG_SHAPE as error:
                source.damaged(segment.path, segment.line, error)
        yield from lineage.end()
        if lineage.copied:
            source.note("what a branch has copied of its parent is read in the parent only")


def _take(record: Record, store: Store) -> Record | None:
    """Put what a record holds into the store; the record if it holds nothing of ours."""
    name, data = member(record.data)
    if not isinstance(data, dict):
        raise TypeError("no JSON object")
    if name is not None:
        if name in TABLES:
            store.row(name, record, data)
        return None
    own = PurePath(record.path).name.split(".")[0]
    if is_trajectory(data):
        told = str(data.get("prompt_index", data.get("id", record.line)))
        segment = Segment(f"{own}/{told}", record.path, record.line)
        segment.messages = messages_of(data["conversations"])
        store.add(segment)
    elif _is_session(data):
        for part in data.get("segments") or [data]:
            store.add(_session(part, record))
    elif "role" in data:
        _line(data, store.open(own, record))
    else:
        return record
    return None


def _session(data: Any, record: Record) -> Segment:
    """An exported session, or the file of one."""
    segment = Segment(str(data.get("id") or data["session_id"]), record.path, record.line)
    segment.about(data)
    tools = data.get("tools")
    if isinstance(tools, str):
        tools = orjson.loads(tools)
    segment.tools = tools if isinstance(tools, list) and tools else segment.tools
    segment.messages = [_checked(message) for message in data["messages"]]
    return segment


def _line(data: dict[str, Any], segment: Segment) -> None:
    if data["role"] == META:
        tools = data.get("tools")
        segment.tools = tools if isinstance(tools, list) and tools else segment.tools
    else:
        segment.messages.append(data)


def _checked(message: Any) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise TypeError("a message is no object")
    return message
