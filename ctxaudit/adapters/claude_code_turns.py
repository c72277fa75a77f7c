"""The turns of one lane while they come about: what is pending, and the open message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ctxaudit.adapters.claude_code_events import Line
from ctxaudit.adapters.claude_code_gaps import (
    ALWAYS_ON,
    NO_SUMMARY,
    SYSTEM_PROMPT,
    THINKING,
)
from ctxaudit.adapters.claude_code_tools import Tools
from ctxaudit.adapters.tokens import with_fall, with_loss
from ctxaudit.model import (
    DecisionKind,
    Gap,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    Turn,
)


@dataclass(slots=True)
class Pending:
    """What happened since the last turn began. ``unread``: a summary is due and has not come."""

    decisions: list[PruningDecision] = field(default_factory=list)
    added: list[Span] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    unread: bool = False

    @property
    def compacted(self) -> bool:
        """Whether a compaction is among the decisions."""
        return any(d.kind is DecisionKind.SPAN_SUMMARIZED for d in self.decisions)


@dataclass(slots=True)
class Message:
    """An API message that is being read, and the turn as it was when the message began."""

    turn: Turn
    key: str
    model: str | None
    reply: list[Span] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    tokens: int | None = None
    hidden: bool = False
    cleared: str | None = None


class Turns:
    """Makes the turns of a lane, and numbers them."""

    def __init__(self, name: str, tools: Tools) -> None:
        self.name = name
        self.tools = tools
        self.count = 0
        self.pending = Pending()
        self.open: Message | None = None
        self.done: set[str] = set()  # keys of complete messages
        self.system_known = False
        self._last: tuple[Turn, str | None] | None = None  # and the model that answered

    def next(self, line: Line) -> Location:
        """The place of a record, as part of the next prompt."""
        return Location(line.path, line.number, self.name, self.count + 1)

    def begin(self, line: Line, key: str, model: str | None) -> Message:
        """A message begins: what is pending becomes its prompt."""
        self.count += 1
        where = Location(line.path, line.number, self.name, self.count)
        pending, self.pending = self.pending, Pending()
        decisions = [replace(d, order=n) for n, d in enumerate(pending.decisions)]
        if pending.unread:
            decisions = [_opaque(decision) for decision in decisions]
            pending.gaps.append(NO_SUMMARY)
        if self.count == 1 and not self.system_known:
            pending.gaps.append(SYSTEM_PROMPT)
        if self.tools.view() is not None and not self.tools.whole:
            pending.gaps.append(ALWAYS_ON)
        turn = self._turn(where, pending, tuple(decisions), tuple(pending.added))
        self.open = Message(turn, key, model)
        return self.open

    def close(self) -> Iterator[Turn]:
        """The open message, if there is one, is complete."""
        if self.open is None:
            return
        done, self.open = self.open, None
        self.done.add(done.key)
        gaps = (*done.turn.gaps, THINKING) if done.hidden else done.turn.gaps
        turn = replace(
            done.turn,
            reply=tuple(done.reply),
            calls=tuple(done.calls),
            prompt_tokens=done.tokens,
            gaps=gaps,
        )
        if done.cleared:
            turn = with_loss(turn, done.cleared, explicit=True)
        elif self._last and self._last[1] == done.model:
            turn = with_fall(turn, self._last[0].prompt_tokens)
        self._last = (turn, done.model)
        yield turn

    def flush(self) -> Iterator[Turn]:
        """What is about to leave the prompt must have been in it, though no model call saw it."""
        yield from self.close()
        added, self.pending.added = self.pending.added, []
        if self._last and added:
            yield self._final(self._last[0], Pending(added=added))

    def end(self) -> Iterator[Turn]:
        """No more records: what came after the last message."""
        yield from self.close()
        if self._last and (self.pending.added or self.pending.decisions):
            yield self._final(self._last[0], self.pending)

    def _final(self, last: Turn, left: Pending) -> Turn:
        """What came after a turn. It is no offer of its own: the tools are that turn's."""
        where = last.where
        decisions = (replace(d, where=replace(d.where, turn=where.turn)) for d in left.decisions)
        added = (replace(s, where=replace(s.where, turn=where.turn)) for s in left.added)
        turn = self._turn(where, left, tuple(decisions), tuple(added))
        return replace(turn, tools=last.tools, complete=last.complete, final=True)

    def _turn(
        self,
        where: Location,
        pending: Pending,
        decisions: tuple[PruningDecision, ...],
        added: tuple[Span, ...],
    ) -> Turn:
        return Turn(
            where,
            decisions,
            added,
            self.tools.view(),
            complete=self.tools.whole,
            gaps=tuple(dict.fromkeys(pending.gaps)),
            restored=tuple(pending.restored),
            withdrawn=tuple(pending.withdrawn),
        )


def _opaque(decision: PruningDecision) -> PruningDecision:
    summarised = decision.kind is DecisionKind.SPAN_SUMMARIZED
    return replace(decision, opaque=True) if summarised else decision
