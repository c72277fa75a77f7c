"""What the readers of one lane share: the prompt, the tools, the turns, and the record at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ctxaudit.adapters.claude_code_events import Line
from ctxaudit.adapters.claude_code_gaps import Version
from ctxaudit.adapters.claude_code_prompt import Prompt
from ctxaudit.adapters.claude_code_tools import Tools
from ctxaudit.adapters.claude_code_turns import Turns
from ctxaudit.model import DecisionKind, Gap, Kind, PruningDecision, Span


class State:
    """One lane while it is read. Positions are places in the order of time, from 1."""

    def __init__(self, name: str, answered: set[tuple[str, str]], gaps: Iterable[Gap]) -> None:
        self.name = name
        self.answered = answered  # calls that have a result anywhere in the log
        self.prompt = Prompt()
        self.tools = Tools()
        self.turns = Turns(name, self.tools)
        self.turns.pending.gaps += gaps
        self.line = Line("", 0, None, None, False, "", None, False, None, None)
        self.position = 0
        self.version: Version | None = None
        self.ids: set[str] = set()  # of spans
        self.calls: dict[str, str] = {}  # tool of each call
        self.prompted: dict[str, int] = {}  # the first human prompt under each record
        self.servers: dict[str, str] = {}  # span of each server's instructions
        self.waiting: frozenset[str] = frozenset()  # servers that are connecting again

    def at(self, line: Line, position: int) -> None:
        """The next record."""
        self.line, self.position = line, position
        self.prompt.record(line.uuid, position)

    def fresh_id(self) -> str:
        """A name for the next span of this record."""
        name, n = self.line.name, 2
        while name in self.ids:
            name, n = f"{self.line.name}:{n}", n + 1
        self.ids.add(name)
        return name

    def enter(self, span: Span) -> None:
        """A span enters the next prompt."""
        self.turns.pending.added.append(span)
        self.replied(span.id)

    def replied(self, span: str) -> None:
        """A span is in the prompt from now on, because the model itself has written it."""
        self.prompt.enter(span, self.line.uuid, self.position)

    def tell(self, kind: Kind, text: str) -> str:
        """Text enters the prompt; returns the id of its span."""
        span = Span(self.fresh_id(), kind, text, self.turns.next(self.line))
        self.enter(span)
        return span.id

    def withdraw(self, span: str) -> None:
        """A span leaves that no pruner took."""
        self.prompt.remove(span)
        pending = self.turns.pending
        unseen = next((s for s in pending.added if s.id == span), None)
        if unseen is None:
            pending.withdrawn.append(span)
        else:
            pending.added.remove(unseen)

    def decide(
        self,
        kind: DecisionKind,
        spans: tuple[str, ...] = (),
        tools: tuple[str, ...] = (),
        *,
        actor: str | None,
        reason: str | None = None,
        explicit: bool = True,
        external: bool = False,
        stubs: Mapping[str, str] | None = None,
    ) -> None:
        """A decision of the next turn."""
        decision = PruningDecision(
            kind,
            self.turns.next(self.line),
            spans,
            tools,
            actor=actor,
            reason=reason,
            explicit=explicit,
            external=external,
            stubs=stubs or {},
        )
        self.turns.pending.decisions.append(decision)
