"""Sessions of pi, and of OpenClaw and Oh-My-Pi that write the same entries.

    {"type": "session", "version": 3, "id", "cwd"}
    {"type": "message", "id", "parentId", "message": {"role", "content": [...]}}
    {"type": "compaction", "summary", "firstKeptEntryId", "tokensBefore"}

Entries form a tree by ``parentId`` (files of old are linear): an entry whose parent is not the last
one goes back to a branch. A compaction keeps what stands from its first kept entry on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, ToolSchema, Turn

NAME = "pi"
TITLE = "pi, OpenClaw and Oh-My-Pi sessions"
SHOWS = {
    Aspect.SCHEMAS: Extent.PARTIAL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
IN_MEMORY = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "clearing of old results by OpenClaw or an extension is done in memory, and writes no record",
)
ENTRIES = frozenset({"message", "compaction", "branch_summary", "custom_message", "session_init"})


def recognises(head: Sequence[Any]) -> bool:
    """Whether the entries are pi's: a header with a folder, or messages with pi's roles."""
    return any(_is_header(data) or _is_entry(data) for data in head)


def _is_header(data: Any) -> bool:
    return isinstance(data, dict) and data.get("type") == "session" and "cwd" in data


def _is_entry(data: Any) -> bool:
    if not isinstance(data, dict) or data.get("type") != "message" or "timestamp" not in data:
        return False
    message = data.get("message")
    return isinstance(message, dict) and "role" in message and "uuid" not in data


def read(source: Source) -> Iterator[Turn]:
    """The turns of the session, each when its answer comes."""
    reader = Reader()
    yield from source.through(_entry, reader.take)
    yield from reader.end()


def _entry(record: Record) -> Record | None:
    data = record.data
    if not isinstance(data, dict):
        raise TypeError("no JSON object")
    kind = data.get("type")
    if kind == "session" or kind in ENTRIES:
        if kind == "message" and not isinstance(data["message"], dict):
            raise TypeError("message is no object")
        return record
    return None


class Reader:
    """The sessions of one log, one after the other: each begins with a header."""

    def __init__(self) -> None:
        self.session: Session | None = None

    def take(self, record: Record) -> Iterator[Turn]:
        """Read one entry."""
        data = record.data
        if data["type"] == "session" or self.session is None:
            yield from self.end()
            name = data.get("id") if data["type"] == "session" else None
            self.session = Session(str(name or PurePath(record.path).stem), record.path)
        yield from self.session.take(record)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer of the session."""
        if self.session is not None:
            yield from self.session.talk.end()


class Session:
    """One session while it is read."""

    def __init__(self, name: str, path: str) -> None:
        self.talk = Conversation(name, path, (IN_MEMORY,))
        self.spans: list[tuple[str, list[str]]] = []  # of each entry, in the order of the path
        self.parents: dict[str, str | None] = {}
        self.last: str | None = None

    def take(self, record: Record) -> Iterator[Turn]:
        """Read one entry."""
        data = record.data
        entry = str(data.get("id") or f"line:{record.line}")
        if data["type"] == "session":
            return
        if "parentId" in data:
            self._branch(data.get("parentId"))
        self.parents[entry], self.last = data.get("parentId"), entry
        mark = self.talk.mark()
        yield from self._read(data, record.line)
        self.spans.append((entry, self.talk.since(mark)))

    def _branch(self, parent: str | None) -> None:
        """Go back to where an entry hangs: what came after it is on another branch."""
        if parent == self.last or (parent is not None and parent not in self.parents):
            return
        path, at = set(), parent
        while at is not None and at not in path:
            path.add(at)
            at = self.parents.get(at)
        left = [entry for entry in self.spans if entry[0] not in path]
        self.talk.rewind(span_id for _, ids in left for span_id in ids)
        self.spans = [entry for entry in self.spans if entry[0] in path]

    def _read(self, data: dict[str, Any], line: int) -> Iterator[Turn]:
        kind = data["type"]
        if kind == "compaction":
            self._compact(data, line)
        elif kind == "branch_summary":
            self.talk.says(Kind.SUMMARY, _text(data.get("summary")), line)
        elif kind == "custom_message":
            self.talk.says(Kind.USER, _text(data.get("content")), line)
        elif kind == "session_init":
            self.talk.says(Kind.SYSTEM, _text(data.get("systemPrompt")), line)
            names = [name for name in data.get("tools") or () if isinstance(name, str)]
            if names:
                self.talk.tools = {name: ToolSchema(name) for name in names}
        else:
            yield from self._message(data["message"], line)

    def _message(self, message: dict[str, Any], line: int) -> Iterator[Turn]:
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            yield self._answer(message, line)
        elif role == "toolResult":
            call = str(message.get("toolCallId") or "")
            self.talk.result(call, _text(content), line, message.get("isError"))
        elif role == "bashExecution":
            if not message.get("excludeFromContext"):
                told = f"$ {message.get('command', '')}\n{message.get('output', '')}"
                self.talk.says(Kind.USER, told, line)
        elif role == "compactionSummary":
            self.talk.says(Kind.SUMMARY, _text(content or message.get("summary")), line)
        else:
            self.talk.says(Kind.SYSTEM if role == "system" else Kind.USER, _text(content), line)

    def _answer(self, message: dict[str, Any], line: int) -> Turn:
        blocks = [b for b in message.get("content") or () if isinstance(b, dict)]
        calls = [
            (str(b.get("id") or ""), str(b.get("name") or ""), b.get("arguments"))
            for b in blocks
            if b.get("type") == "toolCall"
        ]
        usage = message.get("usage") or {}
        counts = [usage.get(key) for key in ("input", "cacheRead", "cacheWrite")]
        tokens = sum(count for count in counts if isinstance(count, int))
        failed = message.get("stopReason") == "error"
        return self.talk.answer(
            line,
            text="\n".join(str(b.get("text") or "") for b in blocks if b.get("type") == "text"),
            reasoning="\n".join(
                str(b.get("thinking") or "") for b in blocks if b.get("type") == "thinking"
            ),
            calls=calls,
            tokens=tokens or None,
            error=str(message.get("errorMessage") or "error") if failed else None,
        )

    def _compact(self, data: dict[str, Any], line: int) -> None:
        first = data.get("firstKeptEntryId")
        index = data.get("firstKeptEntryIndex")
        at = len(self.spans)
        if isinstance(first, str):
            at = next((n for n, (entry, _) in enumerate(self.spans) if entry == first), at)
        elif isinstance(index, int):
            # Files of old count all lines from 0, the header included: line numbers less one.
            at = next((n for n, (e, _) in enumerate(self.spans) if _after(e, index)), at)
        gone = [span_id for _, ids in self.spans[:at] for span_id in ids]
        summary = _text(data.get("summary"))
        actor = "extension" if data.get("fromHook") else "compaction"
        self.talk.prune(DecisionKind.SPAN_SUMMARIZED, gone, line, actor=actor, opaque=not summary)
        self.talk.says(Kind.SUMMARY, summary, line)


def _after(entry: str, index: int) -> bool:
    name, _, number = entry.partition(":")
    return name == "line" and number.isdecimal() and int(number) - 1 >= index


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [b.get("text") for b in content if isinstance(b, dict)]
    return "\n".join(part for part in parts if isinstance(part, str))
