"""What the records of a Claude Code session mean, free of how they are written.

Both the session files and the stream of ``claude -p`` are read into these; a lane makes turns of
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.model import Kind, ToolSchema


@frozen
class Block:
    """One content block of an answer: text, thinking, or a call, which has an id and a tool."""

    kind: Kind
    text: str
    call: str | None = None
    tool: str | None = None
    arguments: Any = None
    loads: tuple[str, ...] = ()


@frozen
class Answer:
    """One line of an API message. ``message`` is None where the log has no id of it.

    ``hidden``: there was thinking whose text is not logged. ``cleared`` is what the server says it
    took out of the prompt without telling what.
    """

    message: str | None
    model: str | None
    blocks: tuple[Block, ...]
    tokens: int | None = None
    hidden: bool = False
    cleared: str | None = None


@frozen
class Result:
    """What a tool answered; ``loads`` are the tools whose schemas it brings into the prompt."""

    call: str
    text: str
    failed: bool | None
    loads: tuple[str, ...] = ()


@frozen
class Said:
    """A user message: words, results, or both. ``human``: a person typed it."""

    text: str
    kind: Kind
    results: tuple[Result, ...] = ()
    human: bool = False


@frozen
class Boundary:
    """A compaction. ``kept`` are the uuids of records that stay, ``ends`` the first and the last.

    ``discovered`` are the deferred tools whose schemas are carried over, None if it is not told.
    """

    actor: str
    reason: str | None
    kept: frozenset[str] = frozenset()
    ends: tuple[str, str] | None = None
    discovered: tuple[str, ...] | None = None


@frozen
class Cleared:
    """A microcompaction: results of these calls, and these attachments, left the prompt."""

    calls: tuple[str, ...]
    attachments: tuple[str, ...]
    reason: str | None


@frozen
class Announced:
    """Deferred tools that came or went. ``pending`` are servers that are connecting again."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    pending: tuple[str, ...]
    text: str


@frozen
class Instructions:
    """Instructions of MCP servers that came (name and text) or went."""

    added: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]


@frozen
class Offered:
    """Tools with their schemas. ``whole``: all that are offered, not only the deferred ones.

    ``dead`` are the prefixes of the names of those tools whose server is not connected.
    """

    schemas: Mapping[str, ToolSchema]
    whole: bool
    system: str | None = None
    dead: tuple[str, ...] = ()


@frozen
class Reset:
    """The conversation starts anew in the same log."""


@frozen
class Queue:
    """What was typed while the model worked was queued, sent (``remove``), or taken back."""

    operation: str
    text: str


@frozen
class Pinned:
    """The user went back to the record of this uuid."""

    leaf: str


Event = (
    Answer | Said | Boundary | Cleared | Announced | Instructions | Offered | Reset | Queue | Pinned
)


@frozen
class Line:
    """A record with its place in the log and in the tree. ``event`` is None for a mere link.

    ``uuid`` is empty where the record has none. ``root``: the record says that it has no parent,
    which is more than not naming one.
    """

    path: str
    number: int
    session: str | None
    agent: str | None
    side: bool
    uuid: str
    parent: str | None
    root: bool
    version: tuple[int, ...] | None
    event: Event | None

    @property
    def name(self) -> str:
        """What the record is called."""
        return self.uuid or f"line-{self.number}"
