from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.checks import Recheck, recheck
from ctxaudit.knowledge.answers import contradicts
from ctxaudit.model import Cause, Evidence, Severity, Span, ToolCall, dumps
from ctxaudit.rule import Findings, Rule


class ContradictedNegative(Rule):
    """A check that was run again after its negative result was evicted answered differently.

    ## What it does
    Reports the second run of a re-derived negative (RN302) when its answer contradicts the evicted
    one.

    ## Why it matters
    The agent now believes the opposite of what it had established, and nothing in its prompt tells
    it that there are two answers. Often the second run happened in another environment.

    ## What to do
    Keep negative results with the place and time at which they held, so that a new answer is seen
    as a contradiction.

    ## What it leaves alone
    Answers that differ only in noise (times, counters, paths of temporary files), and transient
    errors.
    """

    code = "RN303"
    name = "contradicted-negative"
    family = "rederived-negative"
    severity = Severity.CRITICAL

    def __init__(self) -> None:
        self.open: dict[str, Recheck] = {}

    def on_call(self, call: ToolCall, ctx: ContextState) -> None:
        found = recheck(call, ctx)
        if found is not None:
            self.open[call.id] = found

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings:
        found = self.open.pop(call.id, None)
        if found is None or not contradicts(found.repeat.result.text, result.text):
            return
        repeat = found.repeat
        yield self.finding(
            call.where,
            f"{call.tool} now answers differently than at turn {repeat.earlier.where.turn}, and "
            "the "
            "earlier answer is not in the prompt any more",
            fix=f"keep the earlier answer with where it held: “{call.tool}: "
            f"{found.negative.excerpt}”",
            cause=Cause.of(repeat.eviction.decision, repeat.eviction.span.id),
            confidence=found.confidence,
            tool=call.tool,
            evidence=(
                Evidence("evicted-negative", repeat.result.where, repeat.result.text),
                Evidence("second-answer", result.where, result.text),
            ),
            about=dumps(call.arguments),
        )
