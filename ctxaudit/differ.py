"""One conversation, prompt by prompt: what each has kept, lost and gained."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ctxaudit.changes import Change, answer_in, compare, only_system, rewound
from ctxaudit.decisions import UNREADABLE, Difference, decisions
from ctxaudit.ledger import Ledger
from ctxaudit.matching import Fresh
from ctxaudit.model import Kind, Location, Span, ToolCall, Turn
from ctxaudit.offers import Catalogue, Offers
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.summary_marks import mark_summaries

BRANCHES = 8  # abandoned branches of a conversation that are remembered
LATER = frozenset({Kind.RESULT, Kind.SUMMARY})


class Lane:
    """One conversation: its last prompt, item by item, and the spans that each item became."""

    def __init__(self, name: str, hint: str | None, catalogue: Catalogue) -> None:
        self.name = name
        self.hint = hint
        self.count = 0
        self.items: list[Any] = []
        self.spans: list[list[Span]] = []  # of each item
        self.replied: list[Span] = []  # the last answer: expected in the next prompt
        self.answer: list[Piece] | None = None  # the same as the log has it
        self.said: list[tuple[Any, list[Piece]]] = []
        self.left: list[list[Any]] = []  # prompts of branches that were abandoned
        self.ledger = Ledger(Offers(catalogue))
        self.open: Turn | None = None  # waits for its answer to show in the next prompt
        self._extending: Snapshot | None = None

    # -- what adapters' prompts are compared with -----------------------------------------------

    def extended_by(self, snapshot: Snapshot) -> bool:
        """Whether the prompt repeats all of the last one."""
        old = self.items
        if not old or snapshot.items[: len(old)] != old or only_system(self.spans):
            return False
        self._extending = snapshot
        return True

    def begins_with(self, snapshot: Snapshot) -> bool:
        """Whether the whole prompt is the beginning of the last one."""
        new = snapshot.items
        return self.items[: len(new)] == new

    def advance(self, snapshot: Snapshot) -> list[Turn]:
        """The turn that a prompt makes; before it the last one, if that had waited for its answer.

        Raises what the snapshot's ``pieces`` and ``schemas`` raise, and then leaves all as it was.
        """
        change = self._compare(snapshot)
        self.ledger.offers.learn(snapshot)
        size = len(snapshot.items)
        retry = self.count > 0 and not change.heads and change.same == size == len(self.items)
        if retry and snapshot.reply and snapshot.reply == self.answer and named(self.answer):
            return []  # the same call, logged twice
        done = self._answered(change, retry)
        self.count += not retry
        where = Location(snapshot.path, snapshot.line, self.name, self.count)
        difference = Difference()
        if retry:
            difference.withdrawn = [span.id for span in self.replied]
        else:
            self._follow(snapshot, change, where, difference)
        reply = self._replied(snapshot.reply or (), where)
        turn = self._turn(snapshot, where, difference, reply)
        self.answer, self.said = snapshot.reply, snapshot.said
        if snapshot.reply is None:
            self.open = turn
        else:
            done.append(turn)
        return done

    def close(self) -> list[Turn]:
        """The last turn, if it waits for an answer that no prompt is left to show."""
        waiting, self.open = self.open, None
        return [waiting] if waiting else []

    # -- the answer -----------------------------------------------------------------------------

    def _replied(self, pieces: Iterable[Piece], where: Location) -> list[Span]:
        # Results of what the provider itself ran, and its summaries, count from the next prompt on.
        self.replied = [self.ledger.span(p, where) for p in pieces if p.kind not in LATER]
        return self.replied

    def _answered(self, change: Change, retry: bool) -> list[Turn]:
        """The turn that waits for its answer, with the one that the next prompt shows."""
        waiting = self.close()
        if not waiting or retry:
            return waiting
        lost = [span for row in self.spans[change.same :] for span in row]
        pieces = answer_in(change, lost, self.ledger.names)
        if not pieces:
            return waiting
        turn = waiting[0]
        reply = self._replied(pieces, turn.where)
        return [replace(turn, reply=_said(reply), calls=_called(reply))]

    # -- what changed ---------------------------------------------------------------------------

    def _compare(self, snapshot: Snapshot) -> Change:
        extends, self._extending = self._extending is snapshot, None
        same = len(self.items) if extends else 0
        return compare(self.items, self.spans, snapshot, same, self.said)

    def _follow(self, snapshot: Snapshot, change: Change, where: Location, out: Difference) -> None:
        """Make the prompt the last one, and note in ``out`` what it has done to the one before."""
        if change.same == len(self.items) and not change.heads:
            rows = self.ledger.extend(change.fresh, self.replied, where, out)
            if rows is not None:
                self.items = snapshot.items
                self.spans += rows
                return
        fresh = self._settle(snapshot, change, where, out)
        out.added = [f.span for f in fresh if f.new and f.span]
        out.removed = [f.piece.removes for f in fresh if f.new and f.piece.removes]

    def _settle(
        self, snapshot: Snapshot, change: Change, where: Location, out: Difference
    ) -> list[Fresh]:
        same, heads, ledger, partial = change.same, change.heads, self.ledger, snapshot.partial
        blameless = self._branched(snapshot, change)
        old = [s for n in heads for s in self.spans[n]]
        old += [s for row in self.spans[same:] for s in row] + self.replied
        groups = [*heads.values(), *change.fresh]
        before = self._unanswered(same, groups)
        rows = ledger.settle(groups, old, before, where, out, partial=partial)
        fresh = [f for row in rows for f in row]
        if not partial:
            kept = {f.span.id for f in fresh if f.span}
            lost = [span for span in old if span.id not in kept]
            replied = {span.id for span in self.replied}
            stated = snapshot.stated is not None
            ledger.lose(lost, replied, fresh, out, blameless=blameless, stated=stated)
            if out.dropped:
                mark_summaries(fresh, out)
        self._keep(snapshot, change, rows)
        return fresh

    def _keep(self, snapshot: Snapshot, change: Change, settled: list[list[Fresh]]) -> None:
        if snapshot.partial:
            # A cut record proves nothing: what it lacks, or holds only in part, stays as it was.
            new = [f.span for row in settled for f in row if f.new and f.span]
            self.items = [*self.items, object()]
            self.spans = [*self.spans, self.replied + new]
            return
        rows = [[f.span for f in row if f.span] for row in settled]
        for n, row in zip(change.heads, rows, strict=False):
            self.spans[n] = row
        self.items = snapshot.items
        self.spans = self.spans[: change.same] + rows[len(change.heads) :]

    def _unanswered(self, same: int, groups: list[list[Piece]]) -> list[tuple[str | None, Span]]:
        """Calls in the part that stayed the same whose results may now come, each with the id that
        the runtime gave it, None if it has none."""
        if not any(p.kind is Kind.RESULT for group in groups for p in group):
            return []
        spans = [s for row in self.spans[:same] for s in row]
        answered = {s.call for s in spans if s.kind is not Kind.CALL}
        return [
            (self._runtime_id(s), s) for s in spans if s.kind is Kind.CALL and s.id not in answered
        ]

    def _runtime_id(self, span: Span) -> str | None:
        key = self.ledger.names.keys[span.id]
        return key[1] if len(key) == 2 else None  # else known by its tool and arguments

    def _branched(self, snapshot: Snapshot, change: Change) -> bool:
        """Whether the prompt goes back to another branch: nothing is pruned by that."""
        for n, prompt in enumerate(self.left):
            if change.same < len(prompt) and snapshot.items[: len(prompt)] == prompt:
                self.left[n] = self.items
                return True
        if not rewound(self.spans, change):
            return False
        self.left = [*self.left[1 - BRANCHES :], self.items]
        return True

    def _turn(
        self, snapshot: Snapshot, where: Location, difference: Difference, reply: list[Span]
    ) -> Turn:
        gaps = (*snapshot.gaps, UNREADABLE) if difference.opaque else snapshot.gaps
        return Turn(
            where,
            decisions=tuple(decisions(difference, where, snapshot.stated)),
            added=tuple(difference.added),
            tools=self.ledger.offers.now(snapshot),
            reply=_said(reply),
            calls=_called(reply),
            complete=self.ledger.offers.complete,
            error=snapshot.error,
            prompt_tokens=snapshot.prompt_tokens,
            trace=snapshot.trace,
            gaps=gaps,
            restored=tuple(difference.restored),
            withdrawn=tuple(difference.withdrawn),
        )


def _said(reply: list[Span]) -> tuple[Span, ...]:
    return tuple([s for s in reply if s.kind is not Kind.CALL])


def _called(reply: list[Span]) -> tuple[ToolCall, ...]:
    calls = [s for s in reply if s.kind is Kind.CALL]
    return tuple([ToolCall(s.id, s.tool or "", s.arguments, s.where) for s in calls])


def named(pieces: Iterable[Piece]) -> bool:
    """Whether an answer can be told from another one like it: it has a call with an id."""
    return any(piece.kind is Kind.CALL and piece.call for piece in pieces)
