from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.model import (
    SCHEMA,
    Aspect,
    Cause,
    DecisionKind,
    PruningDecision,
    Residency,
    Severity,
)
from ctxaudit.rule import Findings, Rule


class ArbitrationOrder(Rule):
    """Within one turn the schema was pruned before the argument budget was applied.

    ## What it does
    Looks at the order of logged decisions of one turn. Reports a schema that was pruned before
    arguments of the same tool were evicted, and arguments evicted by a pruner that decided about
    other schemas in that turn but not about this one.

    ## Why it matters
    Pruning schemas first is cheap, and it is the order that makes ghost tools: whatever the
    argument budget then keeps has lost its schema. Evicting arguments has to lead to a decision
    about the schema.

    ## What to do
    Apply the argument budget first, then decide about each schema with what is left in sight.

    ## What it leaves alone
    Logs in which decisions are inferred: they have no order.
    """

    code = "GT107"
    name = "arbitration-order"
    family = "ghost-tool"
    severity = Severity.WARNING
    needs = frozenset({Aspect.SCHEMAS})

    def on_prompt(self, ctx: ContextState) -> Findings:
        stated = [decision for decision in ctx.decisions if decision.explicit]
        schema = [decision for decision in stated if decision.kind in SCHEMA]
        for decision in stated:
            if decision.kind is DecisionKind.ARGUMENTS_EVICTED and schema:
                tools = {ctx.calls[i].tool for i in decision.spans if i in ctx.calls}
                for tool in sorted(tools):
                    yield from self._about(tool, decision, schema, ctx)

    def _about(
        self,
        tool: str,
        evicted: PruningDecision,
        schema: list[PruningDecision],
        ctx: ContextState,
    ) -> Findings:
        own = [decision for decision in schema if tool in decision.tools]
        if any(decision.order > evicted.order for decision in own):
            return
        if own:
            what = f"the schema of {tool} was pruned before its arguments were"
        elif ctx.schema_residency(tool) is Residency.RESIDENT:
            what = f"arguments of {tool} were evicted, and no decision about its schema followed"
        else:
            return
        yield self.finding(
            ctx.where,
            what,
            fix="apply the argument budget first, then decide about each schema",
            cause=Cause.of(own[0] if own else evicted, tool),
            tool=tool,
        )
