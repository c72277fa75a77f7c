"""The turns of a Codex session while they come about: what is pending, and the open response."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ctxaudit.adapters.codex_lines import Entry
from ctxaudit.adapters.codex_tools import Tools
from ctxaudit.adapters.tokens import with_fall
from ctxaudit.model import (
    Aspect,
    DecisionKind,
    Extent,
    Gap,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    Turn,
)

BASE_TOOLS = Gap(
    Aspect.SCHEMAS,
    Extent.PARTIAL,
    "Codex does not log its base tools; of the others only dynamic and searched ones are known",
)


@dataclass(slots=True)
class Pending:
    """What happened since the last response began. ``unread``: a compaction of which only the
    place is known; ``said``: a person's message came.
    """

    decisions: list[PruningDecision] = field(default_factory=list)
    added: list[Span] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    unread: Entry | None = None
    said: bool = False


@dataclass(slots=True)
class Response:
    """A response that is being read. ``over``: the next answer item begins another one."""

    turn: Turn
    said: bool
    model: str | None
    reply: list[Span] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    tokens: int | None = None
    reasoning: int = 0
    over: bool = False


class Turns:
    """Makes the turns of a session, and numbers them."""

    def __init__(self, name: str, tools: Tools) -> None:
        self.name = name
        self.tools = tools
        self.model: str | None = None
        self.count = 0
        self.pending = Pending()
        self.open: Response | None = None
        self._last: tuple[Turn, str | None] | None = None  # and the model that answered
        self._reasoning = 0  # tokens of reasoning that the provider may drop by itself
        self._where = Location("", 0, name)

    def next(self, entry: Entry) -> Location:
        """The place of a record, as part of the next prompt."""
        return Location(entry.path, entry.line, self.name, self.count + 1)

    def answer(self, entry: Entry) -> Iterator[Turn]:
        """An item of an answer: ``open`` is its response afterwards; gives the one before."""
        if self.open is not None and not self.open.over:
            return
        yield from self.close()
        self.count += 1
        self._where = Location(entry.path, entry.line, self.name, self.count)
        pending, self.pending = self.pending, Pending()
        turn = self._turn(pending)
        if pending.unread is not None:
            turn = replace(turn, decisions=(*turn.decisions, _unread(pending.unread, turn)))
        self.open = Response(turn, pending.said, self.model)

    def heard(self) -> None:
        """Something came that is no answer."""
        if self.open is not None:
            self.open.over = True

    def close(self) -> Iterator[Turn]:
        """The open response, if there is one, is complete."""
        if self.open is None:
            return
        done, self.open = self.open, None
        where = done.calls[0].where if done.calls else done.turn.where
        turn = replace(
            done.turn,
            where=where,
            reply=tuple(done.reply),
            calls=tuple(done.calls),
            prompt_tokens=done.tokens,
        )
        if turn.decisions:
            self._reasoning = 0
        elif self._last and self._last[1] == done.model:
            # With a new message of the user, the provider leaves out the reasoning before it.
            slack = self._reasoning if done.said else 0
            turn = with_fall(turn, self._last[0].prompt_tokens, slack)
        self._reasoning += done.reasoning
        self._last = (turn, done.model)
        yield turn

    def flush(self) -> Iterator[Turn]:
        """What is about to leave the prompt must have been in it, though no response saw it."""
        yield from self.close()
        added, self.pending.added = self.pending.added, []
        if added:
            yield self._final(Pending(added=added))

    def end(self) -> Iterator[Turn]:
        """No more records: what came after the last response."""
        yield from self.close()
        if self.count and (self.pending.added or self.pending.decisions):
            yield self._final(self.pending)

    def _final(self, left: Pending) -> Turn:
        if self._last:
            self._where = self._last[0].where
        turn, number = self._turn(left), self._where.turn
        decisions = (replace(d, where=replace(d.where, turn=number)) for d in turn.decisions)
        added = (replace(s, where=replace(s.where, turn=number)) for s in turn.added)
        return replace(turn, decisions=tuple(decisions), added=tuple(added), final=True)

    def _turn(self, pending: Pending) -> Turn:
        tools = self.tools.view()
        gaps = pending.gaps if tools is None else [*pending.gaps, BASE_TOOLS]
        return Turn(
            self._where,
            tuple(replace(d, order=n) for n, d in enumerate(pending.decisions)),
            tuple(pending.added),
            tools,
            complete=tools is None,
            gaps=tuple(dict.fromkeys(gaps)),
            withdrawn=tuple(pending.withdrawn),
        )


def _unread(entry: Entry, turn: Turn) -> PruningDecision:
    return PruningDecision(
        DecisionKind.UNRECORDED,
        Location(entry.path, entry.line, turn.where.session, turn.where.turn),
        order=len(turn.decisions),
        reason="a compaction of which the log does not tell what it kept",
        explicit=True,
        exact=False,
        opaque=True,
    )
