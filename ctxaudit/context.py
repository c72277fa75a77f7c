"""What the model can see at a turn, and which decision took the rest away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.knowledge.effects import verdict
from ctxaudit.knowledge.errors import failure
from ctxaudit.knowledge.handles import Handle, HandleKind, handles, words
from ctxaudit.knowledge.mentions import mentions
from ctxaudit.knowledge.sameness import key, same
from ctxaudit.knowledge.schemas import Change, compare
from ctxaudit.knowledge.tombstones import tombstoned
from ctxaudit.knowledge.verdict import Verdict
from ctxaudit.model import (
    BINDING,
    EVICTING,
    SCHEMA,
    DecisionKind,
    Kind,
    Location,
    PruningDecision,
    Residency,
    Span,
    ToolCall,
    ToolSchema,
    Turn,
    result_id,
)
from ctxaudit.settings import Settings
from ctxaudit.word_index import WordIndex

REWRITES = frozenset({DecisionKind.SCHEMA_COMPRESSED, DecisionKind.SCHEMA_MIGRATED})
#: Names of placeholders that clients send where a provider wants some tool: an offer of nothing.
DUMMIES = frozenset(
    {"noop", "_noop", "no_op", "dummy", "dummy_tool", "dummy-tool", "placeholder", "none"}
)


@frozen
class Eviction:
    """A span as it was before a decision took it, or its text, away."""

    span: Span
    decision: PruningDecision


class ContextState:
    """The prompt of one session, turn by turn. Rules read it; only the engine changes it."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.where = Location("", 0)
        self.turn: Turn | None = None
        self.resident: dict[str, Span] = {}
        self.size = 0  # characters of all resident spans
        self.evicted: dict[str, Eviction] = {}
        self.calls: dict[str, ToolCall] = {}
        self.results: dict[str, Span] = {}  # of each call, as it first came
        self.by_tool: dict[str, list[str]] = {}  # call ids of each tool, in order
        self.decisions: tuple[PruningDecision, ...] = ()  # of this turn
        self.schemas: dict[str, ToolSchema] = {}  # the last full schema seen of each tool
        self.offered: dict[str, ToolSchema] = {}
        self.withheld: dict[str, PruningDecision] = {}  # tools whose schema was pruned, and by what
        self.rewritten: dict[str, tuple[ToolSchema, PruningDecision]] = {}  # the schema before
        self.tools_known = False
        self.tools_complete = False
        self.unrecorded: PruningDecision | None = None
        self._by_key: dict[str, list[ToolCall]] = {}
        self._entered: dict[str, int] = {}  # the order in which spans came
        self._last_offer: Mapping[str, ToolSchema] | None = None
        self._keyed = 0  # how many of ``calls`` are in ``_by_key``
        self._words: WordIndex | None = None  # of spans that may bind; made when first asked
        self._order: dict[str, int] = {}  # the place of each call in ``calls``
        self._handles: dict[str, tuple[Handle, ...]] = {}  # of each call

    # -- changes, made by the engine ------------------------------------------------------------

    def begin(self, turn: Turn) -> None:
        """Start a turn: from here on, everything is said of it."""
        self.turn, self.where, self.decisions = turn, turn.where, ()

    def apply(self, decision: PruningDecision) -> None:
        """Carry out one decision."""
        self.decisions += (decision,)
        if decision.kind in EVICTING:
            for span_id in decision.spans:
                self._evict(span_id, decision)
        elif decision.kind is DecisionKind.SCHEMA_PRUNED:
            for tool in decision.tools:
                self.withheld.setdefault(tool, decision)
                self.offered.pop(tool, None)
        elif decision.kind is DecisionKind.SCHEMA_RESTORED:
            for tool in decision.tools:
                self.withheld.pop(tool, None)
        elif decision.kind is DecisionKind.UNRECORDED:
            self.unrecorded = decision

    def _evict(self, span_id: str, decision: PruningDecision) -> None:
        span = self.resident.get(span_id)
        if span is None:
            return
        self.evicted.setdefault(span_id, Eviction(span, decision))
        stub = decision.stubs.get(span_id)
        if stub is None:
            self._drop(span_id)
        else:
            kind = Kind.CALL if span.kind is Kind.CALL else Kind.TOMBSTONE
            self._put(replace(span, kind=kind, text=stub, arguments=None))

    def _put(self, span: Span) -> None:
        """A span is in the prompt, in the place of the one with its id."""
        old = self.resident.get(span.id)
        self.size += len(span.text) - (len(old.text) if old else 0)
        self.resident[span.id] = span
        self._index(span)

    def _drop(self, span_id: str) -> None:
        old = self.resident.pop(span_id, None)
        self.size -= len(old.text) if old else 0

    def restore(self, span_id: str) -> None:
        """A span that had been evicted is in the prompt again."""
        eviction = self.evicted.pop(span_id, None)
        if eviction is not None:
            self._put(eviction.span)

    def withdraw(self, span_id: str) -> None:
        """A span left, and no pruner is to blame: not even for having taken it away before."""
        self._drop(span_id)
        self.evicted.pop(span_id, None)

    def add(self, span: Span) -> None:
        """A span enters the prompt."""
        self._put(span)
        self._entered.setdefault(span.id, len(self._entered))
        if span.kind is Kind.CALL and span.call and span.call not in self.calls:
            self._note(ToolCall(span.call, span.tool or "", span.arguments, span.where))
        elif span.kind is Kind.RESULT and span.call:
            self.results.setdefault(span.call, span)

    def call(self, call: ToolCall) -> None:
        """The model calls a tool: from the next prompt on the call is a span."""
        self._note(call)
        self._put(call.span())

    def _note(self, call: ToolCall) -> None:
        self._order.setdefault(call.id, len(self.calls))
        self.calls[call.id] = call
        self.by_tool.setdefault(call.tool, []).append(call.id)

    def offer(self, turn: Turn) -> list[PruningDecision]:
        """The tools of this turn; returns what their difference to the last known ones implies."""
        tools = turn.tools
        if tools is self._last_offer and not self.decisions:
            return []
        self._last_offer = tools
        # An offer of nothing (a summariser's call, a last turn without tools) decides about no
        # tool.
        if tools is None or not tools or all(name.lower() in DUMMIES for name in tools):
            self.tools_known = False
            return []
        self.tools_known, self.tools_complete = True, turn.complete
        stated = {t for d in self.decisions if d.kind in SCHEMA for t in d.tools}
        if self._stubbed(tools):
            self.tools_known = False
            return []
        implied = [d for d in self._implied(tools, turn) if not stated.issuperset(d.tools)]
        if self._handed_over(tools, turn):
            implied = [replace(d, external=True, actor="another agent") for d in implied]
        for decision in (*self.decisions, *implied):
            if decision.kind in REWRITES:
                for tool in decision.tools:
                    if tool in self.schemas:
                        self.rewritten[tool] = (self.schemas[tool], decision)
        for schema in tools.values():
            self._offer_one(schema)
        if turn.complete:
            self.offered = dict(tools)
        else:
            self.offered.update(tools)
        return implied

    def _stubbed(self, tools: Mapping[str, ToolSchema]) -> bool:
        """All schemas are empty that were not: a summariser's call behind a proxy, no decision."""
        return (
            all(not (t.parameters or {}).get("properties") for t in tools.values())
            and any(
                (self.offered[name].parameters or {}).get("properties")
                for name in tools
                if name in self.offered
            )
            and len(tools) > 1
        )

    def _handed_over(self, tools: Mapping[str, ToolSchema], turn: Turn) -> bool:
        """Another agent goes on with the same history: its own instructions, and mostly other
        tools.
        """
        if not self.offered or not any(s.kind is Kind.SYSTEM for s in turn.added):
            return False
        shared = sum(name in self.offered for name in tools)
        return shared < len(tools) and 2 * shared <= min(len(tools), len(self.offered))

    def _offer_one(self, schema: ToolSchema) -> None:
        if schema.deferred:
            return
        self.withheld.pop(schema.name, None)
        if schema.parameters is not None or schema.name not in self.schemas:
            self.schemas[schema.name] = schema

    def _implied(self, tools: Mapping[str, ToolSchema], turn: Turn) -> Iterator[PruningDecision]:
        for name, old in self.offered.items():
            new = tools.get(name)
            if new is old or old.deferred:
                continue
            if new is None:
                if turn.complete:
                    yield self._left(name, tools, turn)
            elif new.deferred:
                yield PruningDecision(DecisionKind.SCHEMA_PRUNED, turn.where, tools=(name,))
            elif new.parameters != old.parameters:
                yield from self._rewritten(name, old, new, turn)
        for name, schema in tools.items():
            if name in self.withheld and not schema.deferred:
                yield PruningDecision(DecisionKind.SCHEMA_RESTORED, turn.where, tools=(name,))

    def _left(self, name: str, tools: Mapping[str, ToolSchema], turn: Turn) -> PruningDecision:
        heir = self.heir(name, tools)
        reason = f"renamed to {heir}" if heir else None
        return PruningDecision(
            DecisionKind.SCHEMA_PRUNED,
            turn.where,
            tools=(name,),
            actor="vendor" if heir else None,
            reason=reason,
            external=heir is not None,
        )

    def heir(self, name: str, tools: Mapping[str, ToolSchema]) -> str | None:
        """The tool that first appears in the turn in which ``name`` leaves, with its very
        parameters.
        """
        old = self.schemas.get(name)
        if old is None or not (old.parameters or {}).get("properties"):
            return None
        for other, schema in tools.items():
            if other not in self.schemas and schema.parameters == old.parameters:
                return other
        return None

    def _rewritten(
        self, name: str, old: ToolSchema, new: ToolSchema, turn: Turn
    ) -> Iterator[PruningDecision]:
        difference = compare(old.parameters, new.parameters)
        kinds = {
            Change.COMPRESSED: DecisionKind.SCHEMA_COMPRESSED,
            Change.MIGRATED: DecisionKind.SCHEMA_MIGRATED,
        }
        if kind := kinds.get(difference.change):
            told = ", ".join((*difference.lost, *difference.changed)[:6])
            yield PruningDecision(kind, turn.where, tools=(name,), reason=told or None)

    @property
    def touched(self) -> bool:
        """Whether anything was ever pruned: until then no state of the prompt can be unsound."""
        return bool(self.evicted or self.withheld or self.rewritten or self.decisions)

    # -- questions, asked by rules --------------------------------------------------------------

    def schema_residency(self, tool: str) -> Residency:
        """Whether the tool's schema is in this prompt."""
        if not self.tools_known:
            return Residency.UNKNOWN
        schema = self.offered.get(tool)
        if schema is not None:
            return Residency.EVICTED if schema.deferred else Residency.RESIDENT
        if self.tools_complete or tool in self.withheld:
            return Residency.EVICTED
        return Residency.UNKNOWN

    def tombstone(self, tool: str) -> Span | None:
        """The resident text that says the tool's schema is withheld and how to get it back."""
        for span in self.mentioning(tool):
            if tombstoned(span.text, tool):
                return span
        return None

    def mentioning(self, text: str) -> Iterator[Span]:
        """Resident spans other than calls and reasoning in which a text stands, in any way."""
        for span_id in self._candidates(text):
            span = self.resident.get(span_id)
            if span is not None and span.kind in BINDING and text in span.text:
                yield span

    def _candidates(self, text: str) -> Iterable[str]:
        if self._words is None:
            self._words = WordIndex()
            for span in (*(e.span for e in self.evicted.values()), *self.resident.values()):
                self._index(span)
        return self._words.candidates(text)

    def _index(self, span: Span) -> None:
        if self._words is not None and span.kind in BINDING:
            self._words.add(span.id, span.text)

    def succeeded(self, call_id: str) -> bool:
        """Whether the call is known to have gone well."""
        result = self.results.get(call_id)
        return result is not None and failure(result.text, result.failed) is None

    def resident_calls(self, tool: str) -> Iterator[Span]:
        """Earlier calls to the tool whose arguments are in the prompt, the latest first."""
        for call_id in reversed(self.by_tool.get(tool, ())):
            if call_id in self.resident and call_id not in self.evicted:
                yield self.resident[call_id]

    def bindings(self, value: str) -> Iterator[Span]:
        """Resident spans that hold the value and may introduce it."""
        for span_id in self._candidates(value):
            span = self.resident.get(span_id)
            if span is None or span.kind not in BINDING:
                continue
            if value in span.text and mentions(span.text, value):
                yield span

    def evicted_bindings(self, value: str) -> Iterator[Eviction]:
        """Evicted spans that had introduced the value."""
        for span_id in self._candidates(value):
            eviction = self.evicted.get(span_id)
            if eviction is None or eviction.span.kind not in BINDING:
                continue
            if value in eviction.span.text and mentions(eviction.span.text, value):
                yield eviction

    def eviction_of_result(self, call_id: str) -> Eviction | None:
        """How the result of a call left the prompt, None if it is there or never came."""
        return self.evicted.get(result_id(call_id))

    def same_calls(self, call: ToolCall) -> list[ToolCall]:
        """Earlier calls that are the same: same tool, equal normalised arguments; in order."""
        fresh = list(islice(self.calls.values(), self._keyed, None))
        for earlier in fresh:
            self._by_key.setdefault(key(earlier.tool, earlier.arguments), []).append(earlier)
        self._keyed += len(fresh)
        return [
            earlier
            for earlier in self._by_key.get(key(call.tool, call.arguments), ())
            if earlier.id != call.id
            and same(earlier.tool, earlier.arguments, call.tool, call.arguments)
        ]

    def after(self, span: Span) -> Iterator[Span]:
        """Resident spans that entered the prompt after ``span`` did."""
        since = self._entered.get(span.id, -1)
        for other in self.resident.values():
            if self._entered.get(other.id, -1) > since:
                yield other

    def since(self, call: ToolCall) -> list[ToolCall]:
        """The calls made after ``call``, in order."""
        return list(islice(self.calls.values(), self._order[call.id] + 1, None))

    def verdict(self, tool: str, arguments: Any) -> Verdict:
        """What a call does: by declaration, table, arguments or name."""
        schema = self.schemas.get(tool)
        hints = (schema.annotations if schema else None) or self._hints(tool)
        return verdict(tool, arguments, hints, self.settings.tools)

    def _hints(self, tool: str) -> Mapping[str, Any] | None:
        """What the user's list of a server's tools says of one, also where a runtime has put the
        server's name before it."""
        known = self.settings.hints
        return known.get(tool) or known.get(tool.rpartition("__")[2]) if known else None

    def handles_of(self, call: ToolCall) -> tuple[Handle, ...]:
        """The handles in the arguments of a call."""
        found = self._handles.get(call.id)
        if found is None:
            found = self._handles[call.id] = tuple(self.handles(call.arguments))
        return found

    def handles(self, arguments: Any) -> Iterator[Handle]:
        """The handles in a call's arguments, those of the user's making included."""
        own = self.settings.handles
        if not own:
            yield from handles(arguments)
            return
        seen = set()
        for path, word in words(arguments):
            if own.fits(word):
                seen.add((path, word))
                yield Handle(word, HandleKind.OPAQUE, path)
        yield from (h for h in handles(arguments) if (h.path, h.value) not in seen)
