from __future__ import annotations

from collections import Counter

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Ghost, Without, ghost
from ctxaudit.knowledge.errors import Failure, FailureKind, failure, schema_not_sent
from ctxaudit.knowledge.schemas import property_names
from ctxaudit.model import (
    Aspect,
    Cause,
    Confidence,
    Evidence,
    Severity,
    Span,
    ToolCall,
    dumps,
)
from ctxaudit.rule import Findings, Rule

BLIND = 2  # the first blind call of a tool is nobody's pruning; who repeats it was told nothing


class GhostRejection(Rule):
    """The executor rejected a call to a tool whose schema had been pruned.

    ## What it does
    Reports the validation error that answers a call made without the tool's schema, names the
    field, and tells whether the last schema that the model had seen would have told it. A refusal
    because the tool is not available any more is reported as a warning.

    ## Why it matters
    This is the second part of the ghost-tool triad, and the one that shows in traces, where it
    looks like a mistake of the model.

    ## What to do
    Restore the schema with the error, so that the next call can be right.

    ## What it leaves alone
    Business errors, malformed JSON, refusals by a person, and errors of tools whose schema is in
    the prompt.
    """

    code = "GT103"
    name = "ghost-rejection"
    family = "ghost-tool"
    severity = Severity.ERROR
    needs = frozenset({Aspect.SCHEMAS, Aspect.RESULTS})

    def __init__(self) -> None:
        self.open: dict[str, Ghost] = {}
        self.blind: Counter[str] = Counter()  # rejections of tools that were never offered
        self.refused: set[str] = set()

    def on_prompt(self, ctx: ContextState) -> Findings:
        """The provider itself refuses a prompt that refers to a tool which is gone."""
        why = failure(ctx.turn.error, True) if ctx.turn and ctx.turn.error else None
        tool = why.tool if why is not None and why.kind is FailureKind.UNKNOWN_TOOL else None
        decision = ctx.withheld.get(tool) if tool else None
        if tool is None or decision is None or tool in self.refused:
            return
        self.refused.add(tool)
        yield self.finding(
            ctx.where,
            f"the provider refused the prompt: it refers to {tool}, which is not offered any more",
            fix=f"take the references to {tool} out of the history when its schema goes",
            cause=Cause.of(decision, tool),
            tool=tool,
            evidence=(Evidence("refusal", ctx.where, ctx.turn.error or ""),) if ctx.turn else (),
        )

    def on_call(self, call: ToolCall, ctx: ContextState) -> None:
        state = ghost(call.tool, ctx)
        if state is not None and not state.external and state.way is not Without.HISTORY:
            self.open[call.id] = state

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings:
        state = self.open.pop(call.id, None)
        if state is None:
            yield from self._never_sent(call, result, ctx)
            return
        why = failure(result.text, result.failed)
        if why is None:
            return
        if why.kind is FailureKind.VALIDATION:
            severity = Severity.ERROR
        elif why.kind is FailureKind.UNKNOWN_TOOL:
            severity = Severity.WARNING
        else:
            return
        yield self.finding(
            call.where,
            self._message(call, why, ctx),
            fix=f"answer such an error with the schema of {call.tool}, and tell the pruner to keep "
            "it",
            cause=state.cause,
            severity=severity,
            confidence=state.confidence,
            tool=call.tool,
            evidence=(*state.evidence(), Evidence("rejection", result.where, result.text)),
            about=dumps(call.arguments),
        )

    def _never_sent(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings:
        """The runtime says so itself, or the executor knows a tool that no prompt ever offered."""
        said = schema_not_sent(result.text) is not None
        if not said:
            if call.tool in ctx.schemas or not (ctx.tools_known and ctx.tools_complete):
                return
            why = failure(result.text, result.failed)
            if why is None or why.kind is not FailureKind.VALIDATION:
                return
            self.blind[call.tool] += 1
        if not said and self.blind[call.tool] < BLIND:
            return
        how = "its schema was not sent" if said else "repeatedly, and no prompt ever offered it"
        yield self.finding(
            call.where,
            f"{call.tool} was called blind and rejected: {how}",
            fix=f"answer such a call with the schema of {call.tool}, and put it into the next "
            "prompt",
            cause=Cause("schema-not-sent", call.where, call.tool, explicit=said),
            severity=Severity.WARNING,
            confidence=Confidence.PROVEN if said else Confidence.LIKELY,
            tool=call.tool,
            evidence=(Evidence("rejection", result.where, result.text),),
            about=dumps(call.arguments),
        )

    @staticmethod
    def _message(call: ToolCall, why: Failure, ctx: ContextState) -> str:
        if why.kind is FailureKind.UNKNOWN_TOOL:
            return f"{call.tool} was refused: it is not available any more"
        if not why.fields:
            return f"{call.tool} was rejected with a validation error"
        schema = ctx.schemas.get(call.tool)
        known = property_names(schema.parameters if schema else None)
        told = [field for field in why.fields if field.split(".")[0] in known]
        names = ", ".join(f"`{field}`" for field in why.fields)
        tail = "; the pruned schema would have told" if told else ""
        return f"{call.tool} was rejected with a validation error naming {names}{tail}"
