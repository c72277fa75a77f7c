from __future__ import annotations

from collections.abc import Iterator

from ctxaudit.context import ContextState, Eviction
from ctxaudit.judge.binding import GIVEN
from ctxaudit.knowledge.errors import Failure, FailureKind, failure
from ctxaudit.knowledge.mentions import mentions
from ctxaudit.knowledge.placeholders import StubKind, stub
from ctxaudit.knowledge.summaries import pointers
from ctxaudit.model import (
    Cause,
    Confidence,
    Evidence,
    Finding,
    Kind,
    Severity,
    Span,
    ToolCall,
    dumps,
    result_id,
)
from ctxaudit.patterns import regex
from ctxaudit.rule import Findings, Rule

MISSING = frozenset({FailureKind.NOT_FOUND, FailureKind.UNKNOWN_TOOL})
NAME = regex(r"[A-Za-z_][\w.]{3,80}")


class DanglingPointer(Rule):
    """The prompt points at content that is gone or never was, and the model relies on it.

    ## What it does
    Reports a stub such as “unchanged since last read” whose earlier content was evicted; a saved-to
    path of a summary or stub whose look-up fails; and a name that only a summary asserts, when a
    call with it fails because no such thing exists.

    ## Why it matters
    The prompt promises that the content can be had. It cannot, and what the model then does rests
    on a guess.

    ## What to do
    Clear read caches when the content they point at is evicted, write archives before naming them,
    and check names in summaries against what was really there.

    ## What it leaves alone
    Pointers that resolve, pointers that nobody follows, and look-ups that fail for other reasons.
    """

    code = "OR208"
    name = "dangling-pointer"
    family = "orphaned-reference"
    severity = Severity.ERROR

    def on_prompt(self, ctx: ContextState) -> Findings:
        for span in ctx.turn.added if ctx.turn else ():
            if span.kind is not Kind.RESULT or span.call not in ctx.calls:
                continue
            found = stub(span.text)
            if found is not None and found.kind is StubKind.UNCHANGED:
                eviction = _earlier_content(ctx.calls[span.call], ctx)
                if eviction is not None:
                    yield self._unchanged(ctx.calls[span.call], span, eviction, ctx)

    def _unchanged(
        self, call: ToolCall, span: Span, eviction: Eviction, ctx: ContextState
    ) -> Finding:
        return self.finding(
            ctx.where,
            f"{call.tool} answered that nothing changed and referred to an earlier result, which "
            "was "
            f"evicted at turn {eviction.decision.where.turn}: the content is nowhere in the prompt",
            fix="forget what was read when its content is evicted, so that a new read returns it",
            cause=Cause.of(eviction.decision, eviction.span.id),
            severity=Severity.WARNING,
            tool=call.tool,
            handle=_subject(call),
            evidence=(
                Evidence("evicted-content", eviction.span.where, eviction.span.text),
                Evidence("stub", span.where, span.text),
            ),
            about=dumps(call.arguments),
        )

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings:
        if not ctx.touched:
            return
        why = failure(result.text, result.failed)
        if why is None or why.kind not in MISSING:
            return
        sources = [s for s in ctx.resident.values() if s.kind in (Kind.SUMMARY, Kind.TOMBSTONE)]
        text = f"{call.tool} {dumps(call.arguments)}"
        for source in sources:
            if source.where.turn <= call.where.turn:
                for name in _pointed(source, text, why, result, ctx):
                    yield self._missing(call, result, source, name, ctx)
                    return

    def _missing(
        self, call: ToolCall, result: Span, source: Span, name: str, ctx: ContextState
    ) -> Finding:
        cause = _cause(source, ctx)
        return self.finding(
            call.where,
            f"{call.tool} relied on {name}, which the {source.kind.value} of turn "
            f"{source.where.turn} "
            "names and which does not exist",
            fix=f"check what a summary names before it replaces the history; {name} never was, or "
            "is gone",
            cause=cause,
            severity=Severity.ERROR,
            confidence=Confidence.LIKELY,
            tool=call.tool,
            handle=name,
            evidence=(
                Evidence("pointer", source.where, source.text),
                Evidence("failure", result.where, result.text),
            ),
            about=dumps(call.arguments),
        )


def _earlier_content(call: ToolCall, ctx: ContextState) -> Eviction | None:
    """The evicted result that a stub refers to; None while one with content is in the prompt."""
    gone = None
    for earlier in ctx.same_calls(call):
        result = ctx.results.get(earlier.id)
        if result is None or stub(result.text) is not None:
            continue
        eviction = ctx.evicted.get(result_id(earlier.id))
        if eviction is None:
            return None
        gone = eviction
    return gone


def _subject(call: ToolCall) -> str | None:
    """The one text that such a call is about, usually a path."""
    values = call.arguments.values() if isinstance(call.arguments, dict) else ()
    return next((value for value in values if isinstance(value, str)), None)


def _pointed(
    source: Span, text: str, why: Failure, result: Span, ctx: ContextState
) -> Iterator[str]:
    """What the call took from the source and the failure says is missing."""
    for target in pointers(source.text):
        if mentions(text, target):
            yield target
    for name in dict.fromkeys(NAME.findall(result.text[:4000])):
        if mentions(text, name) and mentions(source.text, name) and _only_there(name, source, ctx):
            yield name


def _only_there(name: str, source: Span, ctx: ContextState) -> bool:
    """Whether nothing before the summary, gone or not, had held the name."""
    spans = [eviction.span for eviction in ctx.evicted.values()]
    spans += [span for span in ctx.resident.values() if span.id != source.id]
    earlier = [s for s in spans if s.where.turn < source.where.turn or s.kind in GIVEN]
    return not any(mentions(span.text, name) for span in earlier)


def _cause(source: Span, ctx: ContextState) -> Cause | None:
    for eviction in ctx.evicted.values():
        if eviction.decision.where.turn == source.where.turn or eviction.span.id == source.id:
            return Cause.of(eviction.decision)
    return None
