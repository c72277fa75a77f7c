"""Sessions of Goose: its database, exported sessions, and the files of old.

    sessions.db  messages(session_id, role, content_json, metadata_json), sessions(id, ...)
    export       {"id", "working_dir", "conversation": [messages]}
    *.jsonl      a first line about the session, then a message a line

    {"role", "created", "content": [{"type": "toolRequest", "id", "toolCall": {"status", "value":
     {"name", "arguments"}}}], "metadata": {"userVisible", "agentVisible"}}

The marks are those of the end: what the agent does not see any more it saw until the summary that
took its place, a message that only the agent sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import orjson

from ctxaudit.adapters.goose_session import Message, Session
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "goose"
TITLE = "Goose sessions"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
TABLE = "messages"
ROW = frozenset({"session_id", "role", "content_json"})
PARTS = (
    "toolRequest",
    "toolResponse",
    "text",
    "thinking",
    "reasoning",
    "image",
    "contextLengthExceeded",
)


def recognises(head: Sequence[Any]) -> bool:
    for data in head:
        name, inner = member(data)
        if name is not None:
            if name == TABLE and isinstance(inner, dict) and inner.keys() >= ROW:
                return True
        elif _is_message(inner) or _is_export(inner):
            return True
    return False


def _is_message(data: Any) -> bool:
    if not isinstance(data, dict) or not {"role", "created", "content"} <= data.keys():
        return False
    content = data["content"]
    return isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") in PARTS for part in content[:3]
    )


def _is_export(data: Any) -> bool:
    if not isinstance(data, dict) or "working_dir" not in data:
        return False
    messages = data.get("conversation")
    return isinstance(messages, list) and all(map(_is_message, messages[:2]))


def read(source: Source) -> Iterator[Turn]:
    """The turns of all sessions, one after the other."""
    sessions: dict[str, Session] = {}
    for record in source.each(lambda record: _take(record, sessions)):
        source.damaged(record.path, record.line, TypeError("no message of a session"))
    for session in sessions.values():
        try:
            yield from session.turns()
        except WRONG_SHAPE as error:
            source.damaged(session.path, session.line, error)


def _take(record: Record, sessions: dict[str, Session]) -> Record | None:
    """Put the messages of a record with those of their session; the record if it holds none."""
    name, data = member(record.data)
    if name is not None:
        if name == TABLE:
            _row(record, data, sessions)
        return None
    if _is_export(data):
        own = str(data.get("id") or PurePath(record.path).stem)
        for message in data["conversation"]:
            _put(own, record, message, sessions)
        return None
    if isinstance(data, dict) and "role" in data:
        _put(PurePath(record.path).name.split(".")[0], record, data, sessions)
        return None
    # The first line of a file of old is about the session.
    return None if isinstance(data, dict) and "working_dir" in data else record


def _row(record: Record, row: dict[str, Any], sessions: dict[str, Session]) -> None:
    metadata = row.get("metadata_json")
    message: Message = {
        "id": row.get("message_id"),
        "role": row["role"],
        "content": orjson.loads(row["content_json"]),
        "metadata": orjson.loads(metadata) if isinstance(metadata, str) and metadata else {},
    }
    _put(str(row["session_id"]), record, message, sessions)


def _put(name: str, record: Record, message: Any, sessions: dict[str, Session]) -> None:
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        raise TypeError("no message")
    if name not in sessions:
        sessions[name] = Session(name, record.path)
    sessions[name].add(record.line, message)
