"""The spans of one conversation: which of them a prompt holds, and which are gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

from ctxaudit.decisions import Difference
from ctxaudit.knowledge.placeholders import stub
from ctxaudit.matching import (
    GIVEN,
    LIGHT,
    Fresh,
    Key,
    Pool,
    emptied,
    key_of,
    likeness,
    paired,
    same_text,
)
from ctxaudit.model import Kind, Location, Span
from ctxaudit.offers import Offers
from ctxaudit.pieces import Piece
from ctxaudit.span_names import SpanNames

PAIR = frozenset({Kind.CALL, Kind.RESULT, Kind.TOMBSTONE})


class Ledger:
    """Gives every piece its span, an old one or a new one, and remembers those that left."""

    def __init__(self, offers: Offers) -> None:
        self.offers = offers
        self.names = SpanNames()
        self.gone: dict[Key, list[Span]] = defaultdict(list)
        self.evicted: set[str] = set()
        self.whole: dict[str, Span] = {}  # spans of which a stub is left, as they were

    def span(self, piece: Piece, where: Location, asks: Span | None = None) -> Span:
        """A new span for a piece; ``asks`` is the call that it answers."""
        span = self.names.span(piece, where, asks)
        self.offers.note(span, piece)
        return span

    def extend(
        self, groups: list[list[Piece]], replied: list[Span], where: Location, out: Difference
    ) -> list[list[Span]] | None:
        """What ``settle`` and ``lose`` do, for a prompt that repeats the last one and its answer
        and adds results and messages; None, and nothing done, if it is not that simple.
        """
        if self.gone:
            return None
        answer = {self.names.keys[span.id]: span for span in replied}
        if len(answer) < len(replied):
            return None
        rows: list[list[Span | Piece]] = []
        for group in groups:
            row: list[Span | Piece] = []
            rows.append(row)
            for piece in group:
                if piece.kind in GIVEN:
                    if piece.kind is Kind.RESULT and piece.call not in self.names.calls:
                        return None
                    row.append(piece)
                    continue
                span = answer.pop(key_of(piece), None)
                if span is None or (span.text != piece.text and span.kind is Kind.CALL):
                    return None
                row.append(span)
        if any(span.kind is not Kind.REASONING for span in answer.values()):
            return None
        out.withdrawn = [span.id for span in answer.values()]
        return [[self._given(thing, where, out) for thing in row] for row in rows]

    def _given(self, thing: Span | Piece, where: Location, out: Difference) -> Span:
        if isinstance(thing, Span):
            return thing
        span = self.span(thing, where)
        out.added.append(span)
        if thing.loads or thing.removes:
            self.offers.enter(span.id)
            out.removed += [thing.removes] if thing.removes else []
        return span

    def settle(
        self,
        groups: list[list[Piece]],
        old: list[Span],
        before: list[tuple[str | None, Span]],
        where: Location,
        out: Difference,
        *,
        partial: bool = False,
    ) -> list[list[Fresh]]:
        """The spans of the new pieces; ``out`` takes what changed in the text of old ones."""
        rows = paired(groups, before)
        fresh = [f for row in rows for f in row]
        calls = [f for f in fresh if f.piece.kind is Kind.CALL]
        others = [f for f in fresh if f.piece.kind is not Kind.CALL]
        for some, known in (
            (calls, [s for s in old if s.kind is Kind.CALL]),
            (others, [s for s in old if s.kind is not Kind.CALL]),
        ):
            self._find(some, known, out)
            for f in some:
                if f.span is None:
                    f.span = self.span(f.piece, where, f.asks.span if f.asks else None)
                    f.new = True
                elif not partial:
                    self._retold(f, f.span, out)
                if f.new and f.span:
                    self.offers.enter(f.span.id)
        return rows

    def _find(self, fresh: list[Fresh], old: list[Span], out: Difference) -> None:
        """Old spans for the pieces that are old: in the last prompt, in an earlier one, or in the
        last one under another id."""
        pool = Pool(old, lambda span: self.names.keys.get(span.id))
        for f in reversed(fresh):
            f.span = self._known(f, pool)
        missing = [f for f in fresh if f.span is None]
        for f in missing if self.gone else ():
            self._back(f, out)
        left = pool.left() if any(f.span is None for f in missing) else []
        alike = Pool(left, likeness) if left else None
        for f in reversed(missing):
            if alike and f.span is None and (f.asks is None or not f.piece.call):
                f.span = alike.take(likeness(f.piece), f.piece.text)
        rest = Pool(alike.left(), lambda span: self.names.keys.get(span.id)) if alike else None
        for f in reversed(missing):
            if rest and f.span is None and f.asks and f.asks.span:
                f.span = rest.take(("result", f.asks.span.id), f.piece.text)

    def _known(self, f: Fresh, pool: Pool) -> Span | None:
        piece = f.piece
        if piece.kind is not Kind.RESULT:
            return pool.take(key_of(piece), piece.text)
        if f.asks and f.asks.span:
            # Without ids the call is guessed from the order: the text must speak for it.
            return pool.take(("result", f.asks.span.id), piece.text, exact=not piece.call)
        if not piece.call:
            return pool.take(key_of(piece), piece.text)
        # An id may stand for several calls: all but the last must be told by their text.
        for n, call in enumerate([*self.names.called(piece.call)] or [piece.call]):
            if found := pool.take(("result", call), piece.text, exact=n > 0):
                return found
        return None

    def _back(self, f: Fresh, out: Difference) -> None:
        """A piece that had left and is in the prompt again."""
        key = key_of(f.piece)
        if f.piece.kind is Kind.RESULT and (f.asks or f.piece.call):
            named = next(self.names.called(f.piece.call), f.piece.call or "")
            key = ("result", f.asks.span.id if f.asks and f.asks.span else named)
        spans = self.gone.get(key)
        if not spans or (f.piece.kind in PAIR and spans[-1].text != f.piece.text):
            return
        f.span = spans.pop()
        if f.span.id in self.whole:
            return  # only its stub is back
        if f.span.id in self.evicted:
            self.evicted.remove(f.span.id)
            out.restored.append(f.span.id)
            self.offers.enter(f.span.id)
        else:
            f.new = True

    def _retold(self, f: Fresh, span: Span, out: Difference) -> None:
        """The same span with another text: what is left of it, or what it was before."""
        piece = f.piece
        if span.text == piece.text or span.kind not in PAIR:
            return
        if (whole := self.whole.get(span.id)) is not None:
            f.span = replace(span, text=piece.text, arguments=piece.arguments)
            if same_text(whole.text, piece.text):
                f.span = self.whole.pop(span.id)
                out.restored.append(span.id)
                self.offers.enter(span.id)
        elif span.kind is Kind.CALL:
            if emptied(span, piece):
                self.whole[span.id] = span
                out.emptied[span.id] = piece.text
                f.span = replace(span, text=piece.text, arguments=piece.arguments)
        elif not same_text(span.text, piece.text):
            if len(piece.text) < len(span.text) or stub(piece.text):
                self.whole[span.id] = span
                out.cleared[span.id] = piece.text
                self.offers.leave(span.id)
                f.span = replace(span, kind=Kind.TOMBSTONE, text=piece.text)
            else:  # what had been announced has come
                out.withdrawn.append(span.id)
                f.span, f.new = replace(span, text=piece.text, failed=piece.failed), True

    def lose(
        self,
        lost: list[Span],
        replied: Collection[str],
        fresh: list[Fresh],
        out: Difference,
        *,
        blameless: bool,
        stated: bool,
    ) -> None:
        """Tell what was pruned from what only left.

        The last answer need not come back as it was: it counts only if more than it was lost, or
        if the result of a call in it is there and the call is not.
        """
        new = [f.span for f in fresh if f.new and f.span]
        answered = {span.call for span in new if span.kind is Kind.RESULT}
        rewritten = any(span.kind is Kind.ASSISTANT for span in new)
        pruned = [
            span
            for span in lost
            if span.kind is not Kind.SYSTEM
            and (stated or span.kind is not Kind.REASONING)
            and not (rewritten and span.kind is Kind.ASSISTANT and span.id in replied)
        ]
        if blameless or all(s.id in replied and s.id not in answered for s in pruned):
            pruned = []
        out.dropped = [span.id for span in pruned]
        self.evicted.update(out.dropped)
        out.withdrawn += [span.id for span in lost if span.id not in self.evicted]
        for span in lost:
            self.offers.leave(span.id)
            if span.kind not in LIGHT or span.id in self.evicted:
                self.gone[self.names.keys[span.id]].append(span)
