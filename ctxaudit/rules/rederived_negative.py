from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.checks import Recheck, recheck
from ctxaudit.model import Cause, Evidence, Finding, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule


class RederivedNegative(Rule):
    """A check whose negative result was evicted is run again, and nothing relevant has changed.

    ## What it does
    Reports a call that only looks and equals an earlier one which had answered no: an error,
    nothing found, an empty list, a limit that is not set. The earlier answer left the prompt, no
    text that is still there tells it, and nothing that ran in between could change it.

    ## Why it matters
    A negative result cost a step to learn and cannot be seen in the files that are left. Without it
    the agent walks into the same dead end, or gets another answer elsewhere and believes the
    opposite.

    ## What to do
    Keep one line per negative result when its span is evicted, or write it into the summary.

    ## What it leaves alone
    Repeats whose earlier result is still in sight, tests after an edit, polling, retries after a
    transient error, reads after a write, and repeats that the user asked for.
    """

    code = "RN302"
    name = "rederived-negative"
    family = "rederived-negative"
    severity = Severity.ERROR

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        found = recheck(call, ctx)
        if found is not None:
            yield self._found(found, call)

    def _found(self, found: Recheck, call: ToolCall) -> Finding:
        repeat = found.repeat
        return self.finding(
            call.where,
            f"{call.tool} is run again as at turn {repeat.earlier.where.turn}; its "
            f"negative answer was evicted at turn {repeat.eviction.decision.where.turn}, and "
            "nothing relevant changed in between",
            fix=f"keep the fact in one line: “{call.tool}: {found.negative.excerpt}”",
            cause=Cause.of(repeat.eviction.decision, repeat.eviction.span.id),
            confidence=found.confidence,
            tool=call.tool,
            evidence=(
                Evidence("first-check", repeat.earlier.where, repeat.earlier.span().text),
                Evidence("evicted-negative", repeat.result.where, repeat.result.text),
            ),
            about=dumps(call.arguments),
        )
