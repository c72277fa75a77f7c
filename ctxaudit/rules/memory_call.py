from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Without, ghost
from ctxaudit.model import Aspect, Evidence, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule


class MemoryCall(Rule):
    """A tool is called from memory: it was offered earlier and is not now.

    ## What it does
    Reports a call to a tool whose schema was pruned, when no earlier call's arguments are resident
    either. It is the milder form of a ghost call: there is nothing to rebuild it from but memory.

    ## Why it matters
    A remembered signature is a guessed one.

    ## What to do
    Leave a tombstone for tools that were used, or load the schema again before the call.

    ## What it leaves alone
    Tools that were never offered, tools with a tombstone, renames, and logs that do not tell which
    tools were offered.
    """

    code = "GT108"
    name = "memory-call"
    family = "ghost-tool"
    severity = Severity.WARNING
    needs = frozenset({Aspect.SCHEMAS})

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        state = ghost(call.tool, ctx)
        if state is None or state.way is not Without.MEMORY:
            return
        earlier = [ctx.calls[i] for i in ctx.by_tool.get(call.tool, ()) if ctx.succeeded(i)]
        last = (
            (Evidence("prior-call", earlier[-1].where, earlier[-1].span().text),) if earlier else ()
        )
        yield self.finding(
            call.where,
            f"{call.tool} is called from memory: its schema left the prompt before turn "
            f"{call.where.turn}, and no earlier call is in sight",
            fix=f"leave a tombstone for {call.tool} when its schema goes, or load it again before "
            "use",
            cause=state.cause,
            severity=Severity.NOTE if state.external else Severity.WARNING,
            confidence=state.confidence,
            tool=call.tool,
            evidence=last,
            about=dumps(call.arguments),
        )
