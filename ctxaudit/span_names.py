"""New spans of one conversation, each under an id that its session has not used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from ctxaudit.matching import Key, key_of, name_of
from ctxaudit.model import Kind, Location, Span, result_id
from ctxaudit.pieces import Piece


class SpanNames:
    """Makes spans, and remembers by what each can be known again."""

    def __init__(self) -> None:
        self.keys: dict[str, Key] = {}
        self.calls: dict[str, list[str]] = defaultdict(list)  # span ids by the runtime's own id
        self.tools: dict[str, str | None] = {}  # of each call
        self.used: set[str] = set()
        self.times: Counter[str] = Counter()

    def span(self, piece: Piece, where: Location, asks: Span | None = None) -> Span:
        """A new span for a piece, under an id that the session has not used."""
        call, tool = piece.call, piece.tool
        if piece.kind is Kind.CALL:
            key = key_of(piece)
            call = name = self._unique(piece.call or name_of(key[1:]))
            self.calls[piece.call or name].append(name)
            self.tools[name] = tool
        elif piece.kind is Kind.RESULT and (asks or piece.call):
            call = asks.id if asks else next(self.called(piece.call), piece.call or "")
            key = ("result", call)
            tool = tool or self.tools.get(call)
            name = self._unique(result_id(call))
        else:
            key = key_of(piece)
            name = self._unique(name_of(key))
        self.keys[name] = key
        return Span(name, piece.kind, piece.text, where, call, tool, piece.failed, piece.arguments)

    def called(self, runtime_id: str | None) -> Iterator[str]:
        """The calls that bore an id, the last one first."""
        return reversed(self.calls.get(runtime_id or "", []))

    def _unique(self, base: str) -> str:
        name = base
        while name in self.used:
            self.times[base] += 1
            name = f"{base}#{self.times[base] + 1}"
        self.used.add(name)
        return name
