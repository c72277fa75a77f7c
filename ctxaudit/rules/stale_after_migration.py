from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Relation, relation
from ctxaudit.knowledge.schemas import violations
from ctxaudit.model import (
    Aspect,
    Cause,
    DecisionKind,
    Evidence,
    Residency,
    Severity,
    ToolCall,
    dumps,
)
from ctxaudit.rule import Findings, Rule


class StaleAfterMigration(Rule):
    """A schema changed incompatibly while calls of the old shape stay in the history.

    ## What it does
    Notes the turn at which a tool's schema changed in a way that the resident calls do not satisfy,
    and reports a later call that follows the old shape: valid by the old schema, invalid by the
    new.

    ## Why it matters
    The history is an example, and examples win over schemas. The old calls teach the old shape.

    ## What to do
    When a schema migrates, rewrite or evict the calls of the old shape, or add one line that tells
    what changed.

    ## What it leaves alone
    Compatible changes, and calls that are wrong by both schemas.
    """

    code = "GT106"
    name = "stale-after-migration"
    family = "ghost-tool"
    severity = Severity.ERROR
    needs = frozenset({Aspect.SCHEMAS})

    def on_prompt(self, ctx: ContextState) -> Findings:
        for decision in ctx.decisions:
            if decision.kind is not DecisionKind.SCHEMA_MIGRATED:
                continue
            for tool in decision.tools:
                new = ctx.schemas.get(tool)
                for prior in ctx.resident_calls(tool):
                    wrong = violations(new.parameters if new else None, prior.arguments)
                    if not wrong or not ctx.succeeded(prior.id):
                        continue
                    yield self.finding(
                        ctx.where,
                        f"{tool}: the schema changed, and the call of turn {prior.where.turn} that "
                        "stays "
                        f"in the history has the old shape ({wrong[0]})",
                        fix=f"evict or rewrite the old calls of {tool}, or tell the model what "
                        "changed",
                        cause=Cause.of(decision, tool),
                        severity=Severity.NOTE,
                        tool=tool,
                        evidence=(Evidence("prior-call", prior.where, prior.text),),
                    )
                    break

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        before = ctx.rewritten.get(call.tool)
        if before is None or ctx.schema_residency(call.tool) is not Residency.RESIDENT:
            return
        old, decision = before
        if decision.kind is not DecisionKind.SCHEMA_MIGRATED:
            return
        wrong = violations(ctx.schemas[call.tool].parameters, call.arguments)
        if not wrong or violations(old.parameters, call.arguments):
            return
        for prior in ctx.resident_calls(call.tool):
            if relation(call.arguments, prior.arguments) is Relation.DIVERGENT:
                continue
            yield self.finding(
                call.where,
                f"{call.tool} is called in its old shape, as at turn {prior.where.turn}: "
                f"{wrong[0]}",
                fix=f"evict or rewrite the old calls of {call.tool}, or tell the model what "
                "changed",
                cause=Cause.of(decision, call.tool),
                tool=call.tool,
                evidence=(Evidence("prior-call", prior.where, prior.text),),
                about=dumps(call.arguments),
            )
            return
