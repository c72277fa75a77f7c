from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ctxaudit.context import ContextState
from ctxaudit.judge.binding import Orphan, orphan, points
from ctxaudit.knowledge.handles import Handle, HandleKind
from ctxaudit.model import (
    BINDING,
    EVICTING,
    Cause,
    Evidence,
    Finding,
    Severity,
    Span,
)
from ctxaudit.rule import Findings, Rule
from ctxaudit.word_index import WORD, words_of


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """A handle in a call: the call's number and the handle's place in it give the order."""

    number: int
    place: int
    call: str
    handle: Handle = field(compare=False)


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
        self.read = 0  # calls whose handles are known
        self.uses: dict[str, list[Use]] = {}  # of each handle, by its value
        self.by_word: dict[str, set[str]] = {}  # values of handles by their longest word

    def on_prompt(self, ctx: ContextState) -> Findings:
        taken = [
            ctx.evicted[span_id].span.text
            for decision in ctx.decisions
            if decision.kind in EVICTING and not decision.opaque
            for span_id in decision.spans
            if span_id in ctx.evicted and ctx.evicted[span_id].span.kind in BINDING
        ]
        if not taken:
            return
        self._learn(ctx)
        for use in sorted(self._touched(taken)):
            value = use.handle.value
            span, call = ctx.resident.get(use.call), ctx.calls[use.call]
            if value in self.told or span is None or span.arguments is None:
                continue
            found = orphan(use.handle, call, ctx)
            if found is not None:
                self.told.add(value)
                yield self._found(found, span, ctx)

    def _learn(self, ctx: ContextState) -> None:
        """Take note of the handles of the calls that came since the last eviction."""
        for number, call in enumerate(islice(ctx.calls.values(), self.read, None), self.read):
            for place, handle in enumerate(ctx.handles_of(call)):
                if points(handle, call):
                    use = Use(number, place, call.id, handle)
                    self.uses.setdefault(handle.value, []).append(use)
                    word = max(WORD.findall(handle.value), key=len, default="")
                    self.by_word.setdefault(word, set()).add(handle.value)
        self.read = len(ctx.calls)

    def _touched(self, texts: list[str]) -> Iterator[Use]:
        """Uses of the handles that stand in one of the texts."""
        for text in texts:
            words = {"", *words_of(text)}
            for word in words & self.by_word.keys():
                for value in self.by_word[word]:
                    if value in text:
                        yield from self.uses[value]

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
