"""Is a tool a ghost: schema gone, arguments of an earlier call still there?"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from ctxaudit.context import ContextState
from ctxaudit.frozen import frozen
from ctxaudit.knowledge.schemas import flatten
from ctxaudit.knowledge.tombstones import renamed
from ctxaudit.knowledge.verdict import Effect
from ctxaudit.model import (
    Cause,
    Confidence,
    Evidence,
    Kind,
    PruningDecision,
    Residency,
    Severity,
    Span,
    ToolCall,
)

QUOTE_WIDTH = 400  # characters after a tool's name in which a summary may quote its arguments


class Without(StrEnum):
    """In which way a tool stands without its schema."""

    GHOST = "ghost"  # arguments of an earlier successful call are resident
    MEMORY = "memory"  # nothing of it is resident
    TOMBSTONED = "tombstoned"  # the prompt says that the schema is withheld
    HISTORY = "history-only"  # calls in the history, but never offered to this model


class Relation(StrEnum):
    """How the arguments of a call relate to those of a resident earlier one."""

    SUBSET = "subset"
    STALE_VARIANT = "stale-variant"
    REPEAT = "repeat"
    DIVERGENT = "divergent"


@frozen
class Ghost:
    """A tool without schema. ``prior`` is the resident earlier call or the summary that quotes
    it."""

    tool: str
    way: Without
    cause: Cause
    external: bool
    decision: PruningDecision | None = None
    prior: Span | None = None
    tombstone: Span | None = None

    @property
    def confidence(self) -> Confidence:
        """Proven by the prompts, unless the log is not exact or only a summary quotes the call."""
        if self.prior is not None and self.prior.kind is not Kind.CALL:
            return Confidence.LIKELY
        exact = self.decision is None or self.decision.exact
        return Confidence.PROVEN if exact else Confidence.LIKELY

    def evidence(self) -> tuple[Evidence, ...]:
        """Where the earlier call and the tombstone stand."""
        out = []
        if self.prior is not None:
            role = "prior-call" if self.prior.kind is Kind.CALL else "quoted-call"
            out.append(Evidence(role, self.prior.where, self.prior.text))
        if self.tombstone is not None:
            out.append(Evidence("tombstone", self.tombstone.where, self.tombstone.text))
        return tuple(out)


def ghost(tool: str, ctx: ContextState) -> Ghost | None:
    """How the tool stands without its schema, None if the schema is there or the log cannot
    tell.
    """
    if ctx.schema_residency(tool) is not Residency.EVICTED:
        return None
    decision = ctx.withheld.get(tool)
    prior = _prior(tool, ctx)
    if decision is None:
        return _history_only(tool, prior, ctx)
    heir = _heir(tool, ctx)
    cause = (
        Cause("vendor-rename", decision.where, tool, reason=f"renamed to {heir}") if heir else None
    )
    cause = cause or Cause.of(decision, tool)
    tombstone = ctx.tombstone(tool)
    if tombstone is not None:
        way = Without.TOMBSTONED
    else:
        way = Without.GHOST if prior is not None else Without.MEMORY
    external = decision.external or heir is not None
    return Ghost(tool, way, cause, external, decision, prior, tombstone)


def _history_only(tool: str, prior: Span | None, ctx: ContextState) -> Ghost | None:
    """A call stands in the history although this model was never offered the tool."""
    if prior is None or not ctx.tools_complete or prior.kind is not Kind.CALL:
        return None
    if tool in ctx.offered or tool in ctx.schemas:
        return None
    if prior.where.turn == ctx.where.turn and not ctx.succeeded(prior.id):
        return None
    heir = _heir(tool, ctx)
    kind = "vendor-rename" if heir else "history-only"
    cause = Cause(kind, prior.where, tool, reason=f"renamed to {heir}" if heir else None)
    return Ghost(tool, Without.HISTORY, cause, heir is not None, None, prior)


def _heir(tool: str, ctx: ContextState) -> str | None:
    """The new name of a renamed tool, where a resident text tells it and the new tool is
    offered.
    """
    for span in ctx.mentioning(tool):
        name = renamed(span.text, tool)
        if name and name in ctx.offered:
            return name
    return None


def _prior(tool: str, ctx: ContextState) -> Span | None:
    """The latest earlier successful call whose arguments the model can read."""
    for span in ctx.resident_calls(tool):
        if ctx.succeeded(span.id):
            return span
    return next(_quoting(tool, ctx), None)


def _quoting(tool: str, ctx: ContextState) -> Iterator[Span]:
    """Summaries that quote arguments of an earlier successful call."""
    gone = [
        ctx.calls[i] for i in ctx.by_tool.get(tool, ()) if i in ctx.evicted and ctx.succeeded(i)
    ]
    if not gone:
        return
    for span in ctx.resident.values():
        if span.kind is not Kind.SUMMARY or (at := span.text.find(tool)) < 0:
            continue
        quote = span.text[at : at + len(tool) + QUOTE_WIDTH]
        if any(_quoted(call, quote) for call in gone):
            yield span


def _quoted(call: ToolCall, quote: str) -> bool:
    leaves = [(p.rsplit(".", 1)[-1].rstrip("[]"), str(v)) for p, v in flatten(call.arguments)]
    return any(name in quote and value and value in quote for name, value in leaves)


def relation(arguments: Any, earlier: Any) -> Relation:
    """How a call's flattened arguments relate to those of an earlier call."""
    now, then = dict(flatten(arguments)), dict(flatten(earlier))
    if now == then:
        return Relation.REPEAT
    if set(now) < set(then):
        return Relation.SUBSET
    if set(now) == set(then):
        return Relation.STALE_VARIANT
    shared = set(now) & set(then)
    if shared and any(now[path] == then[path] for path in shared):
        return Relation.STALE_VARIANT
    return Relation.DIVERGENT


def state_severity(effect: Effect) -> Severity:
    """How bad an unsound state of a tool is, by what the tool does."""
    return {
        Effect.MUTATION: Severity.ERROR,
        Effect.READ: Severity.NOTE,
        Effect.UNKNOWN: Severity.WARNING,
    }[effect]


def call_severity(effect: Effect) -> Severity:
    """How bad a call is that rests on something gone, by what it does."""
    return Severity.ERROR if effect is Effect.MUTATION else Severity.WARNING
