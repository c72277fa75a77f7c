"""The tools that the model really sees in a prompt: offered, loaded, added, and not removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ctxaudit.model import Span, ToolSchema
from ctxaudit.pieces import Piece, Snapshot

SHARED = 6  # tool lists that are remembered


class Catalogue:
    """The tool lists that were read last, shared by all conversations of a log."""

    def __init__(self) -> None:
        self.known: list[tuple[Any, dict[str, ToolSchema], bool]] = []

    def read(self, snapshot: Snapshot) -> tuple[Any, dict[str, ToolSchema], bool]:
        """The list itself, its schemas, and whether they are all that is offered."""
        raw = snapshot.raw_tools
        for entry in self.known:
            if entry[0] == raw:
                return entry
        schemas = snapshot.schemas(raw)
        new = (raw, schemas, snapshot.complete is None or snapshot.complete(raw))
        self.known = [new, *self.known[: SHARED - 1]]
        return new


class Offers:
    """The tools of one conversation. What is offered unchanged stays the same object."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.raw: Any = None
        self.base: dict[str, ToolSchema] | None = None
        self.bearing: dict[str, Piece] = {}  # pieces that load or remove tools, by span
        self.active: dict[str, Piece] = {}  # those that are in the prompt
        self.last: Mapping[str, ToolSchema] = {}
        self.changed = True
        self.complete = True

    def learn(self, snapshot: Snapshot) -> None:
        """Take the offer of a prompt; read only if it is not the last one's."""
        if snapshot.raw_tools is None:
            return
        raw, base, complete = self.catalogue.read(snapshot)
        if raw is not self.raw:
            self.raw, self.base, self.complete, self.changed = raw, base, complete, True

    def note(self, span: Span, piece: Piece) -> None:
        """A piece has become a span."""
        if piece.loads or piece.removes:
            self.bearing[span.id] = piece

    def enter(self, span_id: str) -> None:
        """A span is in the prompt."""
        if span_id in self.bearing:
            self.active[span_id], self.changed = self.bearing[span_id], True

    def leave(self, span_id: str) -> None:
        """A span, or its text, is not in the prompt any more."""
        if self.active.pop(span_id, None) is not None:
            self.changed = True

    def now(self, snapshot: Snapshot) -> Mapping[str, ToolSchema] | None:
        """The tools of a prompt, None where the log does not tell; those included that the answer
        itself loads before it calls them."""
        if snapshot.raw_tools is None or self.base is None:
            return None
        within = [p for p in snapshot.reply or () if p.loads or p.removes]
        if self.changed or within:
            self.changed = bool(within)
            self.last = self._seen((*self.active.values(), *within))
        return self.last

    def _seen(self, pieces: Iterable[Piece]) -> Mapping[str, ToolSchema]:
        tools = dict(self.base or {})
        for piece in pieces:
            for schema in piece.loads:
                known = tools.get(schema.name)
                whole = schema if schema.parameters is not None or known is None else known
                tools[schema.name] = replace(whole, deferred=False)
            for name in piece.removes:
                tools.pop(name, None)
        return tools
