"""Sessions of the Cline SDK: ``<session>.messages.json``, and what a compaction made of them.

    {"version": 1, "agent", "sessionId", "system_prompt",
     "messages": [{"id", "role", "content": [blocks], "ts", "metadata", "metrics"}]}

The session's file holds all messages. ``<session>.compaction.json`` beside it holds those that the
prompt is made of after a compaction (``source_message_count`` tells of how many they are made):
kept ones, shortened ones, and summaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.cline_messages import Message, Talk, text_of
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Log, Record, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn

NAME = "cline-sdk"
TITLE = "Sessions of the Cline SDK"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
LAST_ONLY = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "of several compactions only the last one is kept beside the messages",
)
MESSAGES, COMPACTION = ".messages.json", ".compaction.json"
#: What the description of a session has.
ABOUT = frozenset({"session_id", "started_at", "workspace_root"})
KINDS = ("compaction", "compaction_summary")


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_session(data) and not _is_compaction(data) for data in head)


def aside(head: Sequence[Any]) -> str | None:
    """What a file of ours is that is no conversation by itself."""
    if any(_is_session(data) for data in head):
        return f"it holds what a compaction has left of a session: name <session>{MESSAGES}"
    if any(isinstance(data, dict) and data.keys() >= ABOUT for data in head):
        return f"it describes a session, and holds no messages: name <session>{MESSAGES}"
    return None


def _is_session(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("messages"), list)
        and "sessionId" in data
        and bool(data.keys() & {"agent", "system_prompt"})
    )


def _is_compaction(data: Message) -> bool:
    """Whether it is what a compaction has left: such a state begins with a summary."""
    first = data["messages"][0] if data["messages"] else None
    metadata = first.get("metadata") if isinstance(first, dict) else None
    kind = metadata.get("kind") if isinstance(metadata, dict) else None
    return "source_message_count" in data or kind in KINDS


def read(source: Source) -> Iterator[Turn]:
    """The turns of the session."""
    for record in source.each(_session):
        try:
            yield from Session(record, _compaction(record)).turns()
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)


def _session(record: Record) -> Record:
    if not _is_session(record.data):
        raise TypeError("no session")
    for message in record.data["messages"]:
        text_of(message)  # tells whether its blocks can be read
    return record


def _compaction(record: Record) -> Message | None:
    """The last compaction of a session: from the file beside it that bears its name, or from any
    one if no other session stands there."""
    path = Path(record.path)
    beside = path.with_name(path.name.removesuffix(MESSAGES) + COMPACTION)
    if not path.name.endswith(MESSAGES):
        return None
    files = [beside]
    if not beside.is_file() and len(list(path.parent.glob(f"*{MESSAGES}"))) == 1:
        files = sorted(path.parent.glob(f"*{COMPACTION}"))
    name = record.data["sessionId"]
    states = [r.data for file in files if file.is_file() for r in Log(str(file))]
    own = [state for state in states if _is_session(state) and state["sessionId"] == name]
    return max(own, key=lambda state: str(state.get("updated_at")), default=None)


class Session:
    """One session while it is read."""

    def __init__(self, record: Record, compaction: Message | None) -> None:
        self.read = Talk(str(record.data["sessionId"]), record.path)
        self.line = record.line
        self.data: Message = record.data
        self.messages: list[Message] = record.data["messages"]
        self.compaction = compaction

    def turns(self) -> Iterator[Turn]:
        """The turns of all messages; a compaction comes after those that it was made of."""
        talk = self.read.talk
        talk.says(Kind.SYSTEM, content.text(self.data.get("system_prompt")), self.line, "system")
        due = self._due()
        for at, message in enumerate(self.messages):
            if at == due:
                self._compact()
            metrics = message.get("metrics")
            tokens = metrics.get("inputTokens") if isinstance(metrics, dict) else None
            counted = tokens if isinstance(tokens, int) and tokens else None
            yield from self.read.take(at, message, None, self.line, counted)
        if due == len(self.messages):
            self._compact()
        yield from talk.end()

    def _due(self) -> int | None:
        """Of how many messages the compaction was made."""
        if self.compaction is None:
            return None
        count = self.compaction.get("source_message_count")
        if isinstance(count, int):
            return min(count, len(self.messages))
        idents = [message.get("id") for message in self.messages]
        kept = [m.get("id") for m in self.compaction["messages"] if isinstance(m, dict)]
        known = [idents.index(ident) for ident in kept if ident is not None and ident in idents]
        return max(known) + 1 if known else len(self.messages)

    def _compact(self) -> None:
        """Take out what the compaction has left out, and put in what it has written."""
        left: list[Message] = [
            m for m in (self.compaction or {})["messages"] if isinstance(m, dict)
        ]
        kept = {m["id"]: m for m in left if m.get("id") is not None and m.get("role")}
        own = {m.get("id") for m in self.messages}
        gone: list[str] = []
        written = [text_of(m) for m in left if m.get("id") not in own]
        for at in sorted(self.read.spans):
            message = self.messages[at]
            state = kept.get(message.get("id"))
            blocks = _contents(state) if state else []
            for place, block in enumerate(_contents(message)):
                if block not in blocks:
                    gone += self.read.blocks.get((at, place), ())
            written += [content.text(b) for b in blocks if b not in _contents(message)]
        written = [text for text in written if text]
        talk = self.read.talk
        kind = DecisionKind.SPAN_SUMMARIZED if written else DecisionKind.SPAN_EVICTED
        talk.gap(LAST_ONLY)
        self.read.prune(kind, gone, self.line, "compaction")
        for text in written:
            talk.says(Kind.SUMMARY, text, self.line)


def _contents(message: Message) -> list[Any]:
    told = message.get("content")
    return told if isinstance(told, list) else [told]
