from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Ghost, Without, call_severity, ghost, relation
from ctxaudit.knowledge.schemas import violations
from ctxaudit.model import Aspect, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule


class GhostCall(Rule):
    """A tool is called whose schema the model cannot see, from the arguments of an earlier call.

    ## What it does
    Reports every call to a tool whose schema is gone while arguments of an earlier successful call
    are resident, and says how the new arguments relate to them: a `subset`, a `stale-variant`, a
    `repeat` or `divergent`. It also validates the call against the last schema that was seen.

    ## Why it matters
    Such a call is reconstructed, not made: required fields go missing, enum values and types
    drift. If it passes, it passed by luck.

    ## What to do
    Pin the schemas of tools whose calls are resident, or leave a tombstone and let the model ask
    for the schema first.

    ## What it leaves alone
    Tools whose schema is in the prompt, tools that the log says nothing of, names that the model
    made up, and tools that a resident text says are withheld (a call that ignores it is GT103's
    once it is rejected).
    """

    code = "GT102"
    name = "ghost-call"
    family = "ghost-tool"
    severity = Severity.ERROR
    needs = frozenset({Aspect.SCHEMAS})

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        state = ghost(call.tool, ctx)
        if state is None or state.way not in (Without.GHOST, Without.HISTORY):
            return
        effect = ctx.verdict(call.tool, call.arguments).effect
        severity = call_severity(effect)
        if state.external:
            severity = Severity.NOTE
        elif state.way is Without.HISTORY:
            severity = Severity.WARNING
        yield self.finding(
            call.where,
            self._message(call, state, ctx),
            fix=self._fix(state),
            cause=state.cause,
            severity=severity,
            confidence=state.confidence,
            tool=call.tool,
            evidence=state.evidence(),
            about=dumps(call.arguments),
        )

    @staticmethod
    def _message(call: ToolCall, state: Ghost, ctx: ContextState) -> str:
        prior = state.prior
        how = ""
        if prior is not None and prior.arguments is not None:
            kind = relation(call.arguments, prior.arguments)
            how = f"; its arguments are a {kind} of the call of turn {prior.where.turn}"
        if state.way is Without.HISTORY:
            return f"{call.tool} is called although this model was never offered it{how}"
        schema = ctx.schemas.get(call.tool)
        wrong = violations(schema.parameters if schema else None, call.arguments)
        would = f"; against the last schema seen it would fail: {wrong[0]}" if wrong else ""
        return f"{call.tool} is called without its schema in the prompt{how}{would}"

    @staticmethod
    def _fix(state: Ghost) -> str:
        if state.way is Without.HISTORY:
            return (
                f"keep calls of {state.tool} out of this model's history, or replace them by a "
                "note: "
                "what it cannot call, it should not see called"
            )
        return (
            f"keep the schema of {state.tool} while its calls are in the history, or leave a "
            "tombstone "
            "so that the model asks for the schema first"
        )
