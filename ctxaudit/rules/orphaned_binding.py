from __future__ import annotations

from collections.abc import Iterator

from ctxaudit.context import ContextState
from ctxaudit.judge.binding import Orphan, orphans
from ctxaudit.knowledge.handles import HandleKind
from ctxaudit.model import (
    BINDING,
    EVICTING,
    Cause,
    Evidence,
    Finding,
    Kind,
    Severity,
    Span,
    ToolCall,
)
from ctxaudit.rule import Findings, Rule


class OrphanedBinding(Rule):
    """An eviction left a call in the prompt whose handle nothing in the prompt explains any more.

    ## What it does
    Reports, once per handle, the turn at which the last span that introduced a handle was evicted
    while a call that uses the handle stayed.

    ## Why it matters
    The retained context is not closed: the call is an example of how to use something that the
    model can no longer identify. A bare id scores low for relevance, and is just what later calls
    need.

    ## What to do
    Check closure after every eviction: pin the spans that bind what retained calls use, or restate
    the handle in one line.

    ## What it leaves alone
    Handles that a user, a system message, a summary or the model's own text still holds, handles
    that the call itself minted, and values that are no identifiers. Paths and URLs are durable: a
    note.
    """

    code = "OR201"
    name = "orphaned-binding"
    family = "orphaned-reference"
    severity = Severity.WARNING
    state = True

    def __init__(self) -> None:
        self.told: set[str] = set()

    def on_prompt(self, ctx: ContextState) -> Findings:
        taken = {
            span_id: decision
            for decision in ctx.decisions
            if decision.kind in EVICTING and not decision.opaque
            for span_id in decision.spans
        }
        if not taken:
            return
        spans = [ctx.evicted[i].span for i in taken if i in ctx.evicted]
        gone = [span.text for span in spans if span.kind in BINDING]
        for span, call in self._retained(ctx):
            for orphan in orphans(call, ctx):
                value = orphan.handle.value
                if value not in self.told and any(value in text for text in gone):
                    self.told.add(value)
                    yield self._found(orphan, span, ctx)

    @staticmethod
    def _retained(ctx: ContextState) -> Iterator[tuple[Span, ToolCall]]:
        for span in ctx.resident.values():
            if span.kind is Kind.CALL and span.arguments is not None and span.id in ctx.calls:
                yield span, ctx.calls[span.id]

    def _found(self, orphan: Orphan, span: Span, ctx: ContextState) -> Finding:
        handle, binding = orphan.handle, orphan.binding
        strong = handle.kind in (HandleKind.OPAQUE, HandleKind.UUID)
        return self.finding(
            ctx.where,
            f"{handle.value} has lost its binding: the {binding.span.kind.value} of turn "
            f"{binding.span.where.turn} that introduced it was evicted, and the call {span.tool} "
            "that "
            "uses it stayed",
            fix=f"pin the span that introduces {handle.value}, or restate it in one line",
            cause=Cause.of(binding.decision, binding.span.id),
            severity=Severity.WARNING if strong else Severity.NOTE,
            confidence=orphan.confidence,
            tool=span.tool,
            handle=handle.value,
            evidence=(
                Evidence("binding", binding.span.where, binding.span.text),
                Evidence("retained-call", span.where, span.text),
            ),
        )
