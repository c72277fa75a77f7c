from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.repeat import (
    Repeat,
    asked_for,
    changed_between,
    ended,
    nearly_again,
    same_again,
    success_kept,
)
from ctxaudit.knowledge.negatives import negative
from ctxaudit.knowledge.resources import is_polling
from ctxaudit.knowledge.shell import command_of
from ctxaudit.model import (
    Cause,
    Confidence,
    Evidence,
    Finding,
    Severity,
    ToolCall,
    dumps,
)
from ctxaudit.rule import Findings, Rule


class RepeatedSideEffect(Rule):
    """A call that adds something is repeated after the result of its success was evicted.

    ## What it does
    Reports a create, send, post, book, pay, append or spawn that equals, or in other words
    repeats, an earlier one which had succeeded, when the result of that success has left the
    prompt and no text tells that it was done.

    ## Why it matters
    The message is sent twice, the order placed twice, two agents write the same file. To the trace
    it is a success.

    ## What to do
    Pin the results of calls that cannot be undone or repeated, or write “done: …” into the summary.

    ## What it leaves alone
    Repeats after an error, setting or deleting the same thing again, repeats that the user asked
    for, parallel duplicates in one answer, and repeats with the first success in sight.
    """

    code = "RN304"
    name = "repeated-side-effect"
    family = "rederived-negative"
    severity = Severity.CRITICAL

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        if not ctx.evicted or not ctx.verdict(call.tool, call.arguments).adds:
            return
        repeat = same_again(call, ctx) or nearly_again(call, ctx)
        if repeat is not None and self._unexcused(repeat, call, ctx):
            yield self._found(repeat, call)

    @staticmethod
    def _unexcused(repeat: Repeat, call: ToolCall, ctx: ContextState) -> bool:
        result = repeat.result
        by_shell = command_of(call.tool, call.arguments) is not None
        return (
            ctx.succeeded(repeat.earlier.id)
            and negative(result.text, result.failed) is None
            and not is_polling(call.tool, call.arguments)
            and not changed_between(repeat, call, ctx, named=not by_shell)
            and not asked_for(repeat, call, ctx)
            and not success_kept(repeat, call, ctx)
            and not ended(repeat, ctx)
        )

    def _found(self, repeat: Repeat, call: ToolCall) -> Finding:
        how = "repeats" if repeat.exact else "does in other words"
        return self.finding(
            call.where,
            f"{call.tool} {how} what had succeeded at turn {repeat.earlier.where.turn}; the result "
            "was "
            f"evicted at turn {repeat.eviction.decision.where.turn}",
            fix=f"pin results of {call.tool}, or keep “done” in one line when they are evicted; "
            "undo the "
            "duplicate",
            cause=Cause.of(repeat.eviction.decision, repeat.eviction.span.id),
            confidence=Confidence.PROVEN
            if repeat.exact and repeat.eviction.decision.exact
            else Confidence.LIKELY,
            tool=call.tool,
            evidence=(
                Evidence("first-call", repeat.earlier.where, repeat.earlier.span().text),
                Evidence("evicted-success", repeat.result.where, repeat.result.text),
            ),
            about=dumps(call.arguments),
        )
