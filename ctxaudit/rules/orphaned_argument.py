from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.binding import Orphan, orphans
from ctxaudit.judge.ghost import call_severity
from ctxaudit.knowledge.handles import HandleKind
from ctxaudit.model import Cause, Evidence, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule

LONG_NUMBER = 7  # digits from which a number can hardly be met by chance
#: Kinds that are durable outside the prompt: a use is no fault until it fails (OR203).
DURABLE = frozenset({HandleKind.PATH, HandleKind.URL})


class OrphanedArgument(Rule):
    """A new call uses a handle whose every binding was evicted.

    ## What it does
    Reports a call with an identifier that some earlier span introduced and that no span in the
    prompt introduces now, and says so if an older call's arguments still show a stale copy of it.

    ## Why it matters
    The model takes the value from memory or from a copy, without what was said about it: whether
    it is still valid, which of several it is, what state it was in.

    ## What to do
    Keep the binding of every handle that is in use, or restate handles when their results are
    cleared.

    ## What it leaves alone
    Ids that a user or a system message gave, that a summary or the model's own text restates, that
    were computed from values in sight, or that no span ever held. Paths and URLs are durable: they
    are OR203's when the call fails on them.
    """

    code = "OR202"
    name = "orphaned-argument"
    family = "orphaned-reference"
    severity = Severity.ERROR

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        for orphan in orphans(call, ctx):
            if orphan.handle.kind not in DURABLE:
                yield from self._found(orphan, call, ctx)

    def _found(self, orphan: Orphan, call: ToolCall, ctx: ContextState) -> Findings:
        handle, binding = orphan.handle, orphan.binding
        stale = (
            f"; a stale copy stands in the call of turn {orphan.copy.where.turn}"
            if orphan.copy
            else ""
        )
        severity = call_severity(ctx.verdict(call.tool, call.arguments).effect)
        if handle.kind is HandleKind.NUMBER and len(handle.value) < LONG_NUMBER:
            severity = min(severity, Severity.WARNING)
        copied = (
            (Evidence("stale-copy", orphan.copy.where, orphan.copy.text),) if orphan.copy else ()
        )
        yield self.finding(
            call.where,
            f"{call.tool} uses {handle.value}, but the {binding.span.kind.value} of turn "
            f"{binding.span.where.turn} that introduced it was evicted at turn "
            f"{binding.decision.where.turn}{stale}",
            fix=f"keep what introduces {handle.value} resident while it is in use, or restate it",
            cause=Cause.of(binding.decision, binding.span.id),
            severity=severity,
            confidence=orphan.confidence,
            tool=call.tool,
            handle=handle.value,
            evidence=(Evidence("binding", binding.span.where, binding.span.text), *copied),
            about=dumps(call.arguments),
        )
