"""What the files and tables of Hermes hold: sessions, and which of them goes on in which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from ctxaudit.log import Record

Message = dict[str, Any]
#: What a child's configuration says where it is no continuation of its parent.
OTHER = ("_branched_from", "_delegate_from")
COMPRESSED = "compression"


@dataclass(slots=True)
class Segment:
    """A session as it is stored: of a conversation the part up to a compression."""

    name: str
    path: str
    line: int
    messages: list[Message] = field(default_factory=list)
    tools: list[Any] | None = None
    system: str = ""
    parent: str | None = None
    end_reason: str | None = None
    own: bool = True  # it is no part of another conversation

    def about(self, data: Message) -> None:
        """Take in what a session's row, or its export, says of it."""
        parent = data.get("parent_session_id")
        self.parent = parent if isinstance(parent, str) and parent else None
        self.end_reason = data.get("end_reason")
        self.system = str(data.get("system_prompt") or "")
        config = data.get("model_config")
        told = _loads(config) if isinstance(config, str) else config
        branched = isinstance(told, dict) and any(told.get(key) for key in OTHER)
        self.own = self.parent is None or branched or data.get("source") == "tool"
        names = data.get("tool_names")
        listed = _loads(names) if isinstance(names, str) else names
        if isinstance(listed, list) and all(isinstance(name, str) for name in listed) and listed:
            self.tools = [{"name": name} for name in listed]


class Store:
    """All sessions of a log."""

    def __init__(self) -> None:
        self.segments: dict[str, Segment] = {}
        self.prompts: dict[str, str] = {}
        self.hashes: dict[str, str] = {}

    def add(self, segment: Segment) -> None:
        """Add a session. The same one may be told again, longer."""
        known = self.segments.get(segment.name)
        if known is None or len(segment.messages) >= len(known.messages):
            self.segments[segment.name] = segment

    def open(self, name: str, record: Record) -> Segment:
        """The session of that name."""
        if name not in self.segments:
            self.segments[name] = Segment(name, record.path, record.line)
        return self.segments[name]

    def row(self, table: str, record: Record, data: Message) -> None:
        """Take in a row of the database."""
        if table == "system_prompts":
            self.prompts[str(data.get("hash"))] = str(data.get("prompt") or "")
        elif table == "sessions":
            segment = self.open(str(data["id"]), record)
            segment.about(data)
            if data.get("system_prompt_hash"):
                self.hashes[segment.name] = str(data["system_prompt_hash"])
        else:
            self.open(str(data["session_id"]), record).messages.append(_message(data))

    def chains(self) -> Iterator[list[Segment]]:
        """The conversations: a session and those that compressions made of it."""
        after: dict[str, Segment] = {}
        for segment in self.segments.values():
            if hashed := self.hashes.get(segment.name):
                segment.system = segment.system or self.prompts.get(hashed, "")
            parent = self.segments.get(segment.parent or "")
            if parent is not None and parent.end_reason == COMPRESSED and not segment.own:
                after.setdefault(parent.name, segment)
        continued = {segment.name for segment in after.values()}
        for segment in self.segments.values():
            if segment.name not in continued:
                yield list(_chain(segment, after))


def _chain(first: Segment, after: dict[str, Segment]) -> Iterator[Segment]:
    seen: set[str] = set()
    segment: Segment | None = first
    while segment is not None and segment.name not in seen:
        yield segment
        seen.add(segment.name)
        segment = after.get(segment.name)


def _message(row: Message) -> Message:
    """A row as a chat message; the lists in it are JSON in texts."""
    calls = row.get("tool_calls")
    told = row.get("content")
    # Content that is no text is kept as JSON behind a mark.
    if isinstance(told, str) and told.startswith("\0"):
        told = _loads(told[told.find("[") :]) if "[" in told else told
    return {
        **{key: value for key, value in row.items() if value is not None},
        "content": told,
        "tool_calls": _loads(calls) if isinstance(calls, str) else calls,
    }


def _loads(text: str) -> Any:
    """JSON in a text, None if it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
