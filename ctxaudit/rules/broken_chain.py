from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.binding import orphans
from ctxaudit.knowledge.handles import HandleKind
from ctxaudit.model import Cause, Evidence, Kind, Severity, ToolCall, dumps
from ctxaudit.rule import Findings, Rule

STRONG = frozenset({HandleKind.OPAQUE, HandleKind.UUID})


class BrokenChain(Rule):
    """A call depends, over two hops, on a producer that was evicted.

    ## What it does
    Notes a new call whose handle is bound by a resident result, when the call behind that result
    itself used a handle of which every binding was evicted.

    ## Why it matters
    Validity is transitive. Each link in sight looks sound, but what the chain hangs on is gone,
    and the model cannot check it any more.

    ## What to do
    Evict chains of results as a whole, or keep their first link.

    ## What it leaves alone
    Direct uses of evicted handles (OR202), paths, and chains whose first link is in sight.
    """

    code = "OR205"
    name = "broken-chain"
    family = "orphaned-reference"
    severity = Severity.NOTE

    def __init__(self) -> None:
        self.told: set[tuple[str, str]] = set()

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        if not ctx.evicted:
            return
        for handle in ctx.handles_of(call):
            if handle.kind not in STRONG:
                continue
            for span in ctx.bindings(handle.value):
                producer = ctx.calls.get(span.call or "") if span.kind is Kind.RESULT else None
                if producer is not None and producer.id != call.id:
                    yield from self._behind(call, handle.value, producer, ctx)

    def _behind(
        self, call: ToolCall, value: str, producer: ToolCall, ctx: ContextState
    ) -> Findings:
        for orphan in orphans(producer, ctx):
            first = orphan.handle
            if (
                first.kind not in STRONG
                or (value, first.value) in self.told
                or first.value == value
            ):
                continue
            self.told.add((value, first.value))
            binding = orphan.binding
            yield self.finding(
                call.where,
                f"{call.tool} uses {value}, which {producer.tool} produced from {first.value}; "
                "what "
                f"introduced {first.value} was evicted at turn {binding.decision.where.turn}",
                fix=f"keep the chain {first.value} → {value} whole, or restate {first.value}",
                cause=Cause.of(binding.decision, binding.span.id),
                confidence=orphan.confidence,
                tool=call.tool,
                handle=value,
                evidence=(
                    Evidence("binding", binding.span.where, binding.span.text),
                    Evidence("link", producer.where, producer.span().text),
                ),
                about=dumps(call.arguments),
            )
