from __future__ import annotations

from dataclasses import replace

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Ghost, Without, ghost, state_severity
from ctxaudit.model import EVICTING, Aspect, DecisionKind, Finding, Severity, ToolCall
from ctxaudit.rule import Findings, Rule

CHURN = 2  # so many swaps make a policy that selects tools turn by turn


class GhostTool(Rule):
    """A tool's schema left the prompt while the arguments of an earlier call to it stayed.

    ## What it does
    Reports, once per tool, the turn at which a schema was pruned although a successful earlier call
    still stands in the history (or is quoted in a summary), and no text tells the model that the
    schema is withheld.

    ## Why it matters
    The model can talk about such a tool but cannot validate a call: it rebuilds one from the old
    arguments, without the fields it cannot see and with values that may be stale. Tools that change
    state fail open, and they are the ones that a frequency-based pruner drops first.

    ## What to do
    Evict the arguments together with the schema, or leave a tombstone: one line saying that the
    tool exists, that its schema is withheld, and that it must be re-expanded before it is called.

    ## What it leaves alone
    Tools whose calls left with the schema, tools with a tombstone, deferred tools, removal of all
    tools at once, renames, another agent's tool list, and servers that died.
    """

    code = "GT101"
    name = "ghost-tool"
    family = "ghost-tool"
    severity = Severity.ERROR
    state = True
    needs = frozenset({Aspect.SCHEMAS})

    def __init__(self) -> None:
        self.found: dict[str, Finding] = {}
        self.opened: dict[str, int] = {}
        self.called: set[str] = set()  # tools that were called while they were ghosts
        self.churned = 0  # turns in which tools left while others came

    def on_prompt(self, ctx: ContextState) -> None:
        """Look at tools pruned now, and after an eviction (a tombstone may be gone) at all."""
        kinds = {decision.kind for decision in ctx.decisions}
        self.churned += {DecisionKind.SCHEMA_PRUNED, DecisionKind.SCHEMA_RESTORED} <= kinds
        pruned = [
            tool
            for decision in ctx.decisions
            if decision.kind is DecisionKind.SCHEMA_PRUNED
            for tool in decision.tools
        ]
        again = any(decision.kind in EVICTING for decision in ctx.decisions)
        for tool in dict.fromkeys([*pruned, *(ctx.withheld if again else ())]):
            if tool in self.found:
                self.opened[tool] += tool in pruned
                continue
            state = ghost(tool, ctx)
            if state is not None and state.way is Without.GHOST and not state.external:
                self.opened[tool] = 1
                self.found[tool] = self._found(state, ctx)

    def on_call(self, call: ToolCall, ctx: ContextState) -> None:
        if call.tool in self.found and call.tool in ctx.withheld:
            self.called.add(call.tool)

    def _found(self, state: Ghost, ctx: ContextState) -> Finding:
        arguments = state.prior.arguments if state.prior is not None else None
        quoted = "a summary still quotes" if arguments is None else "the history still holds"
        what = ctx.verdict(state.tool, arguments)
        return self.finding(
            ctx.where,
            f"{state.tool}: schema no longer in the prompt, but {quoted} the arguments of an "
            "earlier "
            "call, and nothing says that the schema is withheld",
            fix=f"evict the arguments of {state.tool} together with its schema, or leave a "
            "tombstone: "
            f"“{state.tool} exists; its schema is withheld; request it before calling.”",
            cause=state.cause,
            severity=state_severity(what.effect),
            confidence=state.confidence,
            tool=state.tool,
            evidence=state.evidence(),
        )

    def on_end(self, ctx: ContextState) -> Findings:
        """Tell each tool once, with the number of times that the gap opened."""
        for tool, finding in self.found.items():
            times = self.opened[tool]
            if self.churned < CHURN and times < CHURN:
                yield finding
                continue
            # A selector is one policy: what counts are the calls that fall into its gaps.
            severity = finding.severity if tool in self.called else Severity.NOTE
            more = f" (a changing selection; the gap opened {times} times)"
            yield replace(finding, message=finding.message + more, severity=severity)
