from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.knowledge.errors import FailureKind, failure
from ctxaudit.model import (
    EVICTING,
    Cause,
    Evidence,
    Kind,
    PruningDecision,
    Severity,
    Span,
    ToolCall,
    result_id,
)
from ctxaudit.patterns import regex
from ctxaudit.rule import Findings, Rule

#: The id of a call, as providers name it when they refuse a prompt.
CALL_ID = regex(r"\b(?:toolu|call|fc|tool|srvtoolu)_[\w-]{4,80}")


class SeveredPair(Rule):
    """Pruning left a call without its result, or a result without its call.

    ## What it does
    Reports the prompt in which one half of a call and its result is missing because a decision took
    it. Both halves had been there.

    ## Why it matters
    Providers refuse such a prompt, often for good: every later request fails. Those that accept it
    leave the model with an answer to nothing, or a question that was never answered.

    ## What to do
    Let the pruner cut only between pairs; evict or keep call and result together.

    ## What it leaves alone
    A call that still runs, an interrupted call, a result that was cleared to a stub, a log that
    begins in the middle, and prompts of which only the increment was logged.
    """

    code = "OR204"
    name = "severed-pair"
    family = "orphaned-reference"
    severity = Severity.ERROR

    def __init__(self) -> None:
        self.told: set[str] = set()

    def on_prompt(self, ctx: ContextState) -> Findings:
        for decision in ctx.decisions:
            if decision.kind in EVICTING:
                for span_id in decision.spans:
                    if span_id in ctx.evicted and span_id not in ctx.resident:
                        yield from self._other_half(span_id, decision, ctx)
        for span in ctx.turn.added if ctx.turn else ():
            if span.kind in (Kind.RESULT, Kind.TOMBSTONE) and span.call in ctx.evicted:
                yield from self._late(span, ctx)
        if ctx.turn and ctx.turn.error:
            yield from self._refused(ctx.turn.error, ctx)

    def _refused(self, error: str, ctx: ContextState) -> Findings:
        """The provider says that a call has no result: it was lost before it came into a prompt."""
        why = failure(error, True)
        if why is None or why.kind is not FailureKind.PAIRING:
            return
        named = set(CALL_ID.findall(error))
        for call in ctx.calls.values():
            if named and call.id not in named:
                continue
            span = ctx.resident.get(call.id)
            if call.id in self.told or span is None or result_id(call.id) in ctx.resident:
                continue
            self.told.add(call.id)
            yield self.finding(
                ctx.where,
                f"the call of {call.tool} ({call.id}) is in the prompt without a result, and the "
                f"provider refused the prompt: {error}",
                fix="give every call that stays in the prompt a result, or take it out",
                cause=Cause("lost-result", span.where, call.id),
                tool=call.tool,
                handle=call.id,
                evidence=(Evidence("retained-call", span.where, span.text),),
            )

    def _other_half(self, span_id: str, decision: PruningDecision, ctx: ContextState) -> Findings:
        gone = ctx.evicted[span_id].span
        if gone.kind is Kind.CALL:
            left = ctx.resident.get(result_id(gone.id))
            if left is not None:
                yield from self._severed(gone.id, gone, left, decision, ctx)
        elif gone.call is not None and gone.call not in ctx.evicted:
            left = ctx.resident.get(gone.call)
            if left is not None:
                yield from self._severed(gone.call, gone, left, decision, ctx)

    def _late(self, span: Span, ctx: ContextState) -> Findings:
        """A result arrives whose call had been evicted before."""
        call = span.call or ""
        eviction = ctx.evicted.get(call)
        if eviction is not None and call not in ctx.resident and span.id in ctx.resident:
            yield from self._severed(call, eviction.span, span, eviction.decision, ctx)

    def _severed(
        self, call: str, gone: Span, left: Span, decision: PruningDecision, ctx: ContextState
    ) -> Findings:
        if call in self.told:
            return
        self.told.add(call)
        made: ToolCall | None = ctx.calls.get(call)
        tool = made.tool if made else gone.tool or left.tool
        lost, kept = ("call", "result") if gone.kind is Kind.CALL else ("result", "call")
        refused = (
            f"; the provider refused the prompt: {ctx.turn.error}"
            if ctx.turn and ctx.turn.error
            else ""
        )
        yield self.finding(
            ctx.where,
            f"the {kept} of {tool} ({call}) is in the prompt without its {lost}, which was "
            f"evicted{refused}",
            fix="cut between pairs only: evict the call and its result together, or keep both",
            cause=Cause.of(decision, call),
            tool=tool,
            handle=call,
            evidence=(
                Evidence(f"evicted-{lost}", gone.where, gone.text),
                Evidence(f"retained-{kept}", left.where, left.text),
            ),
        )
