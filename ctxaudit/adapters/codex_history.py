"""The history of a Codex session: what is in the next prompt, in order, and what replaces it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ctxaudit.frozen import frozen
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.model import Kind
from ctxaudit.pieces import Piece

#: How user messages begin that the program writes, not the person.
CONTEXT = ("<", "# AGENTS.md instructions")
KEPT_BYTES = 80_000  #: of user messages that compaction keeps where it does not say what it kept
SAME = 200  #: characters at the beginning by which a shortened message is known again
#: What stands in the prompt for an output that is not there.
ABORTED = "aborted"


@frozen
class Held:
    """A span of the history. ``call`` is the id of the call that it is or answers."""

    span: str
    kind: Kind
    text: str
    call: str | None = None

    @property
    def said(self) -> bool:
        """Whether it is a person's message."""
        return self.kind is Kind.USER and not self.text.lstrip().startswith(CONTEXT)

    @property
    def context(self) -> bool:
        """Whether it is context that the program puts into the history."""
        return self.kind is Kind.SYSTEM or (self.kind is Kind.USER and not self.said)


@dataclass(slots=True)
class Replacement:
    """What a compaction did to the history.

    ``stubs`` is the text left of outputs, ``fresh`` the pieces that were not in the history, with
    their place in it. ``opaque``: there is no summary that can be read.
    """

    gone: tuple[str, ...]
    stubs: dict[str, str]
    fresh: list[tuple[int, Piece]]
    opaque: bool


@dataclass(slots=True)
class History:
    """The spans of the next prompt, apart from the instructions."""

    held: list[Held | None] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)  # that are in it

    def add(self, held: Held, place: int | None = None) -> None:
        """A span enters at the end, or at the place that was left for it."""
        if place is None:
            self.held.append(held)
        else:
            self.held[place] = held
        if held.kind is Kind.CALL and held.call:
            self.calls.add(held.call)

    def _set(self, held: list[Held | None]) -> None:
        self.held = held
        self.calls = {h.call for h in self._spans() if h.kind is Kind.CALL and h.call}

    def _spans(self) -> Iterator[Held]:
        return (h for h in self.held if h is not None)

    def rollback(self, turns: int) -> list[str]:
        """Drop the last user turns, and the context that was told before the first of them."""
        spans = list(self._spans())
        starts = [n for n, held in enumerate(spans) if held.said]
        if not starts or turns < 1:
            return []
        cut = starts[max(len(starts) - turns, 0)]
        while cut > starts[0] and spans[cut - 1].context:
            cut -= 1
        self._set(list(spans[:cut]))
        return [held.span for held in spans[cut:]]

    def keep(self, summary: str) -> Replacement:
        """A compaction that names no replacement: context and the newest user messages stay."""
        room, kept = KEPT_BYTES, set[str]()
        for held in reversed(list(self._spans())):
            if held.context:
                kept.add(held.span)
            elif held.said and room > 0:
                room -= len(held.text.encode())
                kept.add(held.span)
        gone = tuple(h.span for h in self._spans() if h.span not in kept)
        self._set([h for h in self._spans() if h.span in kept])
        return Replacement(gone, {}, self._told(summary), not summary)

    def replace(self, pieces: Sequence[Piece], summary: str) -> Replacement:
        """A compaction that lists the new history. What recurs in it has stayed."""
        old = _by_key(self._spans())
        users = [h.text for h in self._spans() if h.said]
        before, opaque = list(self._spans()), False
        now: list[Held | Piece] = []
        # From the end: of equal messages the older ones are dropped first.
        for piece in reversed(pieces):
            stack = old.get(_key(piece))
            if piece.opaque and not piece.text:
                opaque = True
            elif stack:
                now.append(stack.pop())
            else:
                now.append(_as_summary(piece, users))
        now.reverse()
        stubs = self._shorten(now, before)
        kept = {h.span for h in now if isinstance(h, Held)}
        self._set([h if isinstance(h, Held) else None for h in now])
        fresh = [(n, p) for n, p in enumerate(now) if isinstance(p, Piece)]
        if summary and not any(p.kind is Kind.SUMMARY for _, p in fresh):
            fresh += self._told(summary)
        opaque = opaque or not any(p.kind is Kind.SUMMARY for _, p in fresh)
        return Replacement(
            tuple(h.span for h in before if h.span not in kept), stubs, fresh, opaque
        )

    def _told(self, summary: str) -> list[tuple[int, Piece]]:
        if not summary:
            return []
        self.held.append(None)
        return [(len(self.held) - 1, Piece(Kind.SUMMARY, summary))]

    def _shorten(self, now: list[Held | Piece], before: list[Held]) -> dict[str, str]:
        """Pairs as they will be sent: outputs without calls are not, calls without outputs get one.

        Edits ``now``; returns the text left of outputs that were there before.
        """
        outputs = {h.call: h for h in before if h.kind is Kind.RESULT and h.call}
        calls = {p.call for p in now if p.kind is Kind.CALL}
        answered = {p.call for p in now if p.kind is Kind.RESULT}
        stubs: dict[str, str] = {}
        sent: list[Held | Piece] = []
        for piece in now:
            output = outputs.get(piece.call or "")
            if piece.kind is Kind.RESULT and piece.call not in calls:
                continue
            if isinstance(piece, Piece) and piece.kind is Kind.RESULT and output:
                piece = replace(output, text=piece.text)
                stubs[output.span] = piece.text
            sent.append(piece)
            if piece.kind is Kind.CALL and output and piece.call not in answered:
                sent.append(replace(output, text=ABORTED))
                stubs[output.span] = ABORTED
        now[:] = sent
        return stubs


def _key(piece: Held | Piece) -> tuple[str, str | None, str]:
    """By what a span is known again: a call by its id, anything else by its text."""
    if piece.kind is Kind.CALL:
        return ("call", piece.call, "")
    return ("result" if piece.kind is Kind.RESULT else "", piece.call, piece.text)


def _by_key(spans: Iterable[Held]) -> dict[tuple[str, str | None, str], list[Held]]:
    found: dict[tuple[str, str | None, str], list[Held]] = defaultdict(list)
    for held in spans:
        found[_key(held)].append(held)
    return found


def _as_summary(piece: Piece, users: list[str]) -> Piece:
    """A message that nobody had said is the summary, unless it is context or a shortened one."""
    if piece.kind not in (Kind.USER, Kind.ASSISTANT):
        return piece
    begin = piece.text[:SAME]
    context = piece.text.lstrip().startswith(CONTEXT)
    known = context or any(text.startswith(begin) or piece.text in text for text in users)
    return piece if known and not is_summary(piece.text) else Piece(Kind.SUMMARY, piece.text)
