"""The engine: every turn once, before every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from ctxaudit.context import ContextState
from ctxaudit.metrics import Metrics
from ctxaudit.model import Aspect, Extent, Finding, Gap, Kind, Location, Turn, dumps
from ctxaudit.plugins import reason
from ctxaudit.rule import Findings, Rule
from ctxaudit.settings import Settings

if TYPE_CHECKING:
    from ctxaudit.timeline import Timeline


@dataclass(slots=True)
class Coverage:
    """How much of each aspect the log of a session showed, and why not all of it."""

    extent: dict[Aspect, Extent] = field(default_factory=lambda: dict.fromkeys(Aspect, Extent.FULL))
    notes: list[str] = field(default_factory=list)

    def limit(self, gap: Gap) -> None:
        """Take a gap into account; the same reason is told once."""
        self.extent[gap.aspect] = min(self.extent[gap.aspect], gap.extent)
        if gap.reason and gap.reason not in self.notes:
            self.notes.append(gap.reason)


#: What a rule may override. A hook that no rule overrides costs nothing.
HOOKS = ("on_result", "on_prompt", "on_reply", "on_call", "on_end")


@cache
def overriders(rules: tuple[type[Rule], ...], name: str) -> tuple[tuple[int, bool], ...]:
    """The places of the rules that override a hook, and whether the rule is ours."""
    return tuple(
        (n, rule.__module__.startswith("ctxaudit."))
        for n, rule in enumerate(rules)
        if getattr(rule, name) is not getattr(Rule, name)
    )


Hook = Callable[..., Iterable[Finding] | None]


def overridden(rules: list[Rule], name: str, failed: dict[str, str]) -> list[Hook]:
    """The bound hooks of the rules that override one."""
    places = overriders(tuple([type(rule) for rule in rules]), name)
    return [
        getattr(rules[n], name) if ours else _guarded(rules[n], name, failed) for n, ours in places
    ]


def _guarded(rule: Rule, name: str, failed: dict[str, str]) -> Hook:
    """The hook of a plugin's rule: one that fails is noted in ``failed`` and not called again."""
    hook: Hook = getattr(rule, name)

    def guarded(*about: object) -> Iterable[Finding] | None:
        if rule.code in failed:
            return None
        try:
            return list(hook(*about) or ())
        except Exception as error:
            failed[rule.code] = reason(error)
            return None

    return guarded


class Session:
    """One conversation while it is replayed."""

    def __init__(self, first: Turn, rules: Iterable[type[Rule]], settings: Settings) -> None:
        self.where: Location = first.where
        self.ctx = ContextState(settings)
        self.failed: dict[str, str] = {}  # rules of plugins, and what went wrong in them
        self.rules = [rule() for rule in rules]
        self.hooks = {name: overridden(self.rules, name, self.failed) for name in HOOKS}
        self.coverage = Coverage()
        self.metrics = Metrics()
        self.timeline: Timeline | None = None
        self.turns = 0
        self.calls = 0
        self.decisions = 0
        self.known = 0  # turns whose tools the log tells
        self.traces: dict[int, tuple[str, str]] = {}  # of each turn, where the log is a trace
        self.begins: str | None = None  # the first call
        # The log begins in the middle of it: an earlier log may hold the beginning.
        self.midway = first.where.turn > 1 or any(s.kind is Kind.CALL for s in first.added)

    def play(self, turn: Turn) -> Iterator[Finding]:
        """Replay one turn: what was pruned, what came, what is offered, what the model did."""
        ctx = self.ctx
        ctx.begin(turn)
        for decision in turn.decisions:
            ctx.apply(decision)
        for span_id in turn.withdrawn:
            ctx.withdraw(span_id)
        for span_id in turn.restored:
            ctx.restore(span_id)
        for span in turn.added:
            ctx.add(span)
            call = ctx.calls.get(span.call) if span.kind is Kind.RESULT and span.call else None
            if call is not None:
                self.metrics.result(call, span)
                for hook in self.hooks["on_result"]:
                    yield from hook(call, span, ctx) or ()
        for implied in ctx.offer(turn):
            ctx.apply(implied)
        for gap in turn.gaps:
            self.coverage.limit(gap)
        if not turn.final:
            yield from self._model_call(turn)
        self.decisions += len(ctx.decisions)
        self.metrics.turn(turn, ctx)

    def _model_call(self, turn: Turn) -> Findings:
        ctx = self.ctx
        self.turns = max(self.turns, turn.where.turn)
        self.known += ctx.tools_known or turn.tools is not None
        if turn.trace:
            self.traces[turn.where.turn] = turn.trace
        if ctx.touched:
            for hook in self.hooks["on_prompt"]:
                yield from hook(ctx) or ()
        for span in turn.reply:
            ctx.add(span)
            for hook in self.hooks["on_reply"] if ctx.touched else ():
                yield from hook(span, ctx) or ()
        if turn.calls and self.begins is None:
            first = turn.calls[0]
            self.begins = f"{first.id} {first.tool} {dumps(first.arguments)}"
        for call in turn.calls:
            self.calls += 1
            for hook in self.hooks["on_call"]:
                if (found := hook(call, ctx)) is not None:
                    yield from found
            self.metrics.call(call, ctx)
            ctx.call(call)

    def found(self, finding: Finding) -> None:
        """Count a finding, and draw it."""
        self.metrics.finding(finding, self.ctx)
        if self.timeline is not None:
            self.timeline.found(finding)

    def close(self) -> Iterator[Finding]:
        """The last word of the rules; sum up what the log has shown of the tools."""
        for hook in self.hooks["on_end"]:
            yield from hook(self.ctx) or ()
        if self.known == 0:
            gap = Gap(Aspect.SCHEMAS, Extent.NONE, "the log does not tell which tools were offered")
            self.coverage.limit(gap)
        elif self.known < self.turns:
            reason = "the offered tools are logged for some turns only"
            self.coverage.limit(Gap(Aspect.SCHEMAS, Extent.PARTIAL, reason))


class Replay:
    """One pass over the turns of one log. Sessions may interleave."""

    def __init__(
        self,
        rules: Iterable[type[Rule]],
        settings: Settings | None = None,
        *,
        timelines: bool = False,
    ) -> None:
        self.rules = tuple(rules)
        self.timelines = timelines
        self.settings = settings or Settings()
        self.sessions: dict[str, Session] = {}

    def findings(
        self, turns: Iterable[Turn], progress: Callable[[Turn], None] | None = None
    ) -> Iterator[Finding]:
        """Play the turns; afterwards ``sessions`` holds what was seen of each."""
        for turn in turns:
            session = self.sessions.get(turn.where.session)
            if session is None:
                session = Session(turn, self.rules, self.settings)
                if self.timelines:
                    from ctxaudit.timeline import Timeline

                    session.timeline = Timeline()
                self.sessions[turn.where.session] = session
            for finding in session.play(turn):
                session.found(finding)
                yield finding
            if session.timeline is not None:
                session.timeline.observe(turn, session.ctx)
            if progress is not None:
                progress(turn)
        for session in self.sessions.values():
            for finding in session.close():
                session.found(finding)
                yield finding
            if session.timeline is not None:
                session.timeline.close()
