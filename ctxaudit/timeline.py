"""Residency over the turns of one session: what the model could see, from when to when.

Made only where an output draws it. Intervals, not turns, are kept: what stays the same for a
thousand turns is one entry.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ctxaudit.context import ContextState
from ctxaudit.frozen import frozen
from ctxaudit.model import Finding, Kind, Turn

#: ``offered``: the schema is in the prompt. ``tombstoned``: only a word about it is. ``withheld``:
#: neither. ``ghost``: neither, while arguments of an earlier call are. ``unknown``: not logged.
#: ``bound``: the span, or a span that introduces the handle, is in the prompt. ``evicted``: not any
#: more. ``orphaned``: so, and a call uses it.
State = Literal[
    "offered", "tombstoned", "withheld", "ghost", "unknown", "bound", "evicted", "orphaned"
]
MOST_SPANS = 400  # rows of spans of one session


@dataclass(slots=True)
class Interval:
    """A state from a first to a last turn."""

    state: State
    first: int
    last: int


@dataclass(slots=True)
class Row:
    """One tool, span or handle. ``marks`` are turns in which it was called or used."""

    kind: Literal["tool", "span", "handle"]
    name: str
    intervals: list[Interval] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)

    def at(self, turn: int, state: State) -> None:
        """The row is in a state at a turn."""
        last = self.intervals[-1] if self.intervals else None
        if last is not None and last.state == state and turn <= last.last + 1:
            last.last = max(last.last, turn)
        elif last is None or turn > last.last:
            self.intervals.append(Interval(state, turn, turn))


@frozen
class Decision:
    """One decision as it is marked: ``line`` is that of its record."""

    turn: int
    line: int
    kind: str
    subject: str
    explicit: bool
    actor: str | None
    reason: str | None


@dataclass(slots=True)
class Timeline:
    """The rows of a session, its decisions, and the lines and tokens of its turns."""

    turns: int = 0
    lines: dict[int, int] = field(default_factory=dict)
    tokens: dict[int, int] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    tools: dict[str, Row] = field(default_factory=dict)
    spans: dict[str, Row] = field(default_factory=dict)
    handles: dict[str, Row] = field(default_factory=dict)
    more_spans: int = 0

    def rows(self) -> list[Row]:
        """Tools by name, then handles, then spans, in a fixed order."""
        tools = [self.tools[name] for name in sorted(self.tools)]
        return [*tools, *self.handles.values(), *self.spans.values()]

    def observe(self, turn: Turn, ctx: ContextState) -> None:
        """Take note of a turn that was played."""
        number = turn.where.turn
        for decision in ctx.decisions:
            self.decisions.append(
                Decision(
                    number,
                    decision.where.line,
                    decision.kind.value,
                    decision.subject,
                    decision.explicit,
                    decision.actor,
                    decision.reason,
                )
            )
            for span_id in decision.spans:
                self._evicted(span_id, number, ctx)
        for span_id in turn.restored:
            if (row := self.spans.get(span_id)) is not None:
                self._turned(row, "bound", number)
        if turn.final:
            return
        self.turns = max(self.turns, number)
        self.lines[number] = turn.where.line
        if turn.prompt_tokens is not None:
            self.tokens[number] = turn.prompt_tokens
        self._tools(number, ctx)
        for call in turn.calls:
            if call.tool in self.tools:
                self.tools[call.tool].marks.append(number)

    def _tools(self, number: int, ctx: ContextState) -> None:
        for name in dict.fromkeys((*ctx.offered, *ctx.withheld, *self.tools)):
            row = self.tools.setdefault(name, Row("tool", name))
            row.at(number, self._state(name, ctx))

    @staticmethod
    def _state(name: str, ctx: ContextState) -> State:
        if not ctx.tools_known:
            return "unknown"
        schema = ctx.offered.get(name)
        if schema is not None:
            return "tombstoned" if schema.deferred else "offered"
        if name not in ctx.withheld and not ctx.tools_complete:
            return "unknown"
        if ctx.tombstone(name) is not None:
            return "tombstoned"
        return "withheld" if next(ctx.resident_calls(name), None) is None else "ghost"

    def _evicted(self, span_id: str, number: int, ctx: ContextState) -> None:
        eviction = ctx.evicted.get(span_id)
        if eviction is None or eviction.span.kind is Kind.CALL:
            return
        if span_id in self.spans:
            self._turned(self.spans[span_id], "evicted", number)
            return
        if len(self.spans) >= MOST_SPANS:
            self.more_spans += 1
            return
        span = eviction.span
        what = f"{span.kind} of {span.tool}" if span.tool else span.kind.value
        row = Row("span", f"{what}, turn {span.where.turn}")
        first = max(1, span.where.turn)
        if first < number:
            row.intervals.append(Interval("bound", first, number - 1))
        row.intervals.append(Interval("evicted", number, number))
        self.spans[span_id] = row

    @staticmethod
    def _turned(row: Row, state: State, number: int) -> None:
        """A span's state changes; until then it was what it had been."""
        last = row.intervals[-1]
        if last.state != state:
            last.last = max(last.first, number - 1)
            row.intervals.append(Interval(state, number, number))

    def found(self, finding: Finding) -> None:
        """Draw the handle that a finding is about, from its binding to its use."""
        cause, used = finding.cause, finding.where.turn
        if finding.handle is None or cause is None:
            return
        row = self.handles.setdefault(finding.handle, Row("handle", finding.handle))
        gone = cause.where.turn
        bound = min((e.where.turn for e in finding.evidence if e.role == "binding"), default=gone)
        if not row.intervals:
            if bound < gone:
                row.intervals.append(Interval("bound", max(1, bound), gone - 1))
            row.intervals.append(Interval("evicted", gone, max(gone, used)))
        row.intervals[-1].last = max(row.intervals[-1].last, used)
        if not finding.state and used not in row.marks:
            row.marks.append(used)

    def close(self) -> None:
        """The last turn has been played: what was evicted stays so."""
        for row in self.spans.values():
            row.intervals[-1].last = max(row.intervals[-1].last, self.turns)
        for row in self.handles.values():
            if row.marks:
                row.intervals[-1].state = "orphaned"
