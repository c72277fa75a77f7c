from __future__ import annotations

import re

from ctxaudit.context import ContextState, Eviction
from ctxaudit.knowledge.handles import Handle, HandleKind
from ctxaudit.knowledge.mentions import LONG, near
from ctxaudit.model import (
    BINDING,
    Cause,
    Confidence,
    Evidence,
    Finding,
    Kind,
    Severity,
    ToolCall,
    dumps,
)
from ctxaudit.rule import Findings, Rule


class MutatedHandle(Rule):
    """A call uses a handle that never was bound but nearly equals one whose binding was evicted.

    ## What it does
    Reports an identifier that no span of the session ever held, with the same prefix and shape as
    one that stood in an evicted span and stands in none now.

    ## Why it matters
    The model remembered the id, and remembered it wrong. If a thing of that name exists, the call
    hits the wrong one.

    ## What to do
    Keep or restate ids that are in use.

    ## What it leaves alone
    Ids that the model mints for something new, ids that count on, and ids whose right form is in
    sight.
    """

    code = "OR207"
    name = "mutated-handle"
    family = "orphaned-reference"
    severity = Severity.WARNING

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        if not ctx.evicted:
            return
        for handle in ctx.handles_of(call):
            if handle.kind in (HandleKind.OPAQUE, HandleKind.UUID) and not _known(handle, ctx):
                found = _original(handle.value, ctx)
                if found is not None:
                    yield self._found(handle, *found, call)
                    return

    def _found(self, handle: Handle, original: str, eviction: Eviction, call: ToolCall) -> Finding:
        return self.finding(
            call.where,
            f"{call.tool} uses {handle.value}, which no span ever held; {original} stood in the "
            f"{eviction.span.kind.value} that was evicted at turn {eviction.decision.where.turn}",
            fix=f"keep or restate {original} while it is in use",
            cause=Cause.of(eviction.decision, eviction.span.id),
            confidence=Confidence.LIKELY,
            tool=call.tool,
            handle=handle.value,
            evidence=(Evidence("binding", eviction.span.where, eviction.span.text),),
            about=dumps(call.arguments),
        )


def _known(handle: Handle, ctx: ContextState) -> bool:
    """Whether any span, call or result of the session held the value."""
    value = handle.value
    return (
        any(value in span.text for span in ctx.resident.values())
        or any(value in eviction.span.text for eviction in ctx.evicted.values())
        or any(value in result.text for result in ctx.results.values())
    )


def _original(value: str, ctx: ContextState) -> tuple[str, Eviction] | None:
    """The evicted handle that the value is a near copy of, if it is not in sight any more."""
    prefix = re.match(r"[A-Za-z]+[_\-:#]|[A-Za-z]{2}", value)
    start = re.escape(prefix.group()) if prefix and len(value) < LONG else r"[A-Za-z0-9]"
    shape = re.compile(rf"(?<![\w-]){start}[\w\-]{{2,80}}")
    for eviction in reversed(ctx.evicted.values()):
        span = eviction.span
        if span.kind not in BINDING or span.kind is Kind.USER or eviction.decision.opaque:
            continue
        for candidate in dict.fromkeys(shape.findall(span.text)):
            if near(value, candidate) and next(ctx.bindings(candidate), None) is None:
                return candidate, eviction
    return None
