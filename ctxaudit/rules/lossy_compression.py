from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import state_severity
from ctxaudit.model import (
    Aspect,
    Cause,
    DecisionKind,
    Evidence,
    PruningDecision,
    Severity,
)
from ctxaudit.rule import Findings, Rule


class LossyCompression(Rule):
    """A tool's schema was rewritten and lost constraints while arguments of a call to it stayed.

    ## What it does
    Reports the turn at which required fields, types, enums or properties disappeared from a schema
    that stays in the prompt, while an earlier successful call is resident.

    ## Why it matters
    The compressed schema admits calls that the executor does not: the model leaves out what it no
    longer sees, and learns of it by rejection.

    ## What to do
    Compress descriptions only. Required fields, types and enums are what makes a call valid.

    ## What it leaves alone
    Dropped descriptions, titles and examples, added optional fields, and tools that were not
    called yet.
    """

    code = "GT105"
    name = "lossy-compression"
    family = "ghost-tool"
    severity = Severity.ERROR
    state = True
    needs = frozenset({Aspect.SCHEMAS})

    def __init__(self) -> None:
        self.told: set[str] = set()

    def on_prompt(self, ctx: ContextState) -> Findings:
        for decision in ctx.decisions:
            if decision.kind is DecisionKind.SCHEMA_COMPRESSED and not decision.external:
                for tool in decision.tools:
                    yield from self._compressed(tool, decision, ctx)

    def _compressed(self, tool: str, decision: PruningDecision, ctx: ContextState) -> Findings:
        prior = next((s for s in ctx.resident_calls(tool) if ctx.succeeded(s.id)), None)
        if prior is None or tool in self.told:
            return
        self.told.add(tool)
        lost = f": {decision.reason}" if decision.reason else ""
        yield self.finding(
            ctx.where,
            f"{tool}: the schema in the prompt lost constraints that its calls depend on{lost}",
            fix=f"restore the constraints of {tool}; drop only descriptions",
            cause=Cause.of(decision, tool),
            severity=state_severity(ctx.verdict(tool, prior.arguments).effect),
            tool=tool,
            evidence=(Evidence("prior-call", prior.where, prior.text),),
        )
