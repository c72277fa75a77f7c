"""Sessions of Google's ADK: as exported, as lines of events, and in its database.

    {"id", "appName", "userId", "events": [
      {"id", "invocationId", "author", "branch", "timestamp", "partial",
       "content": {"role", "parts": [{"text"} | {"functionCall"} | {"functionResponse"}]},
       "actions": {"compaction": {"startTimestamp", "endTimestamp", "compactedContent"},
                   "rewindBeforeInvocationId"}, "usageMetadata": {"promptTokenCount"}}]}

Names with underscores are read as well. A compaction puts a summary in the place of the events of
its time; a rewind takes back an invocation and all after it. An agent on a branch of its own sees
what stood before the branch, and is a session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import orjson

from ctxaudit.adapters.adk_session import Event, Session, field
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "adk"
TITLE = "Sessions of Google's Agent Development Kit"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
TABLE = "events"
ROW = frozenset({"session_id", "invocation_id", "app_name"})
#: Columns of an event that are JSON.
PACKED = ("content", "usage_metadata")


def recognises(head: Sequence[Any]) -> bool:
    for data in head:
        name, inner = member(data)
        if name is not None:
            if name == TABLE and isinstance(inner, dict) and inner.keys() >= ROW:
                return True
        elif _is_event(inner) or _is_session(inner):
            return True
    return False


def _is_event(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and "author" in data
        and bool(data.keys() & {"invocationId", "invocation_id"})
    )


def _is_session(data: Any) -> bool:
    events = data.get("events") if isinstance(data, dict) else None
    return isinstance(events, list) and any(map(_is_event, events[:3]))


def read(source: Source) -> Iterator[Turn]:
    """The turns of all sessions."""
    sessions: dict[str, Session] = {}

    def take(record: Record) -> Iterator[Turn]:
        for name, event in _events(record):
            if name not in sessions:
                sessions[name] = Session(name, record.path)
            yield from sessions[name].take(event, record.line)

    yield from source.through(_record, take)
    for session in sessions.values():
        yield from session.end()


def _record(record: Record) -> Record | None:
    name, data = member(record.data)
    if name is not None:
        return record if name == TABLE else None
    if not (_is_event(data) or _is_session(data)):
        if isinstance(data, dict) and "events" in data:
            return None  # a session in which nothing has happened yet
        raise TypeError("no event")
    return record


def _events(record: Record) -> Iterator[tuple[str, Event]]:
    """The events of a record, each with the name of its session."""
    name, data = member(record.data)
    if name is not None:
        yield str(data["session_id"]), _row(data)
        return
    own = PurePath(record.path).name.split(".")[0]
    if _is_session(data):
        for event in data["events"]:
            if not isinstance(event, dict):
                raise TypeError("an event is no object")
            yield str(data.get("id") or own), event
    else:
        yield str(field(data, "sessionId") or own), data


def _row(row: dict[str, Any]) -> Event:
    """An event of the database: whole, or by its columns, of which the actions cannot be read."""
    told = row.get("event_data")
    if told is not None:
        event = orjson.loads(told) if isinstance(told, str) else told
        if not isinstance(event, dict):
            raise TypeError("an event is no object")
        return event
    loaded = {
        key: orjson.loads(row[key]) for key in PACKED if isinstance(row.get(key), str) and row[key]
    }
    return {**row, **loaded, "actions": None, "unread": True}
