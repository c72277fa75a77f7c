from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.checks import Recheck, dead_end
from ctxaudit.model import Cause, Evidence, Finding, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule


class RetriedDeadEnd(Rule):
    """An attempt that had failed is repeated unchanged after the failure was evicted.

    ## What it does
    Reports a call that tries to change something, or that a person had refused, with the very
    arguments with which it had failed, when the failure has left the prompt and nothing changed
    that could make it succeed now.

    ## Why it matters
    A rejected plan comes back, a refused command is asked for again, a migration fails the same way
    twice. The decision of a person is the most irreducible thing in a prompt.

    ## What to do
    Keep refusals and failed attempts in the summary, in one line each.

    ## What it leaves alone
    Failures that are still in sight, retries after transient errors, attempts after something that
    they depend on was changed, and retries that the user asked for.
    """

    code = "RN305"
    name = "retried-dead-end"
    family = "rederived-negative"
    severity = Severity.ERROR

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        found = dead_end(call, ctx)
        if found is not None:
            yield self._found(found, call)

    def _found(self, found: Recheck, call: ToolCall) -> Finding:
        repeat = found.repeat
        what = "was refused" if found.negative.kind == "refused" else "failed"
        return self.finding(
            call.where,
            f"{call.tool} is tried again exactly as at turn {repeat.earlier.where.turn}, where it "
            f"{what}; that answer was evicted at turn {repeat.eviction.decision.where.turn}",
            fix=f"keep the outcome in one line: “{call.tool}: {found.negative.excerpt}”",
            cause=Cause.of(repeat.eviction.decision, repeat.eviction.span.id),
            confidence=found.confidence,
            tool=call.tool,
            evidence=(
                Evidence("first-attempt", repeat.earlier.where, repeat.earlier.span().text),
                Evidence("evicted-failure", repeat.result.where, repeat.result.text),
            ),
            about=dumps(call.arguments),
        )
