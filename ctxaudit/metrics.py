"""What is counted of a session, without being a finding.

Tokens come from the provider's usage where it is logged; everything else in tokens is an estimate
from lengths, or another model's tokenizer where the settings name one, and its name says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ctxaudit.context import ContextState
from ctxaudit.knowledge.errors import FailureKind, failure
from ctxaudit.knowledge.reexpansion import requested
from ctxaudit.model import EVICTING, DecisionKind, Finding, Kind, Severity, Span, ToolCall, Turn
from ctxaudit.tokens import CHARS_PER_TOKEN, ESTIMATE, counter, estimate

#: No refusal of a call does without one of these in its beginning.
SUSPECT = (
    *("valid", "missing", "requir", "unknown", "expected", "unsupported", "unrecogni", "malform"),
    *("pars", "schema", "argument", "parameter", "propert", "extra", "must", "allowed", "tool"),
    *("function", "not defined", "keyerror", "typeerror", "syntax", "unavailable"),
)
HEAD = 2_000
INVALID = frozenset({FailureKind.VALIDATION, FailureKind.UNKNOWN_TOOL, FailureKind.MALFORMED})


@dataclass(slots=True)
class Metrics:
    """Counts of one session."""

    reexpansions: int = 0
    invalid_calls: int = 0
    pruned: float = 0.0  # tokens
    tombstones: float = 0.0  # tokens
    tombstoned: set[str] = field(default_factory=set)
    unsound: set[int] = field(default_factory=set)  # turns with a finding at warning or above
    recovery: dict[int, int] = field(default_factory=dict)  # prompt tokens, by turn
    estimated: bool = False

    def call(self, call: ToolCall, ctx: ContextState) -> None:
        """Count a request for a withheld schema or content."""
        self.reexpansions += requested(call.tool, call.arguments) is not None

    def result(self, call: ToolCall, result: Span) -> None:
        """Count a call that was refused for what it was."""
        if result.failed is not True:
            head = result.text[:HEAD].lower()
            if not any(word in head for word in SUSPECT):
                return
        why = failure(result.text, result.failed)
        self.invalid_calls += why is not None and why.kind in INVALID

    def turn(self, turn: Turn, ctx: ContextState) -> None:
        """Count what was pruned before the turn, and what was left in its place."""
        count = counter(ctx.settings.tokens) if ctx.decisions else estimate
        for decision in ctx.decisions:
            if decision.kind in EVICTING:
                for span_id in decision.spans:
                    if eviction := ctx.evicted.get(span_id):
                        left = count(decision.stubs.get(span_id, ""))
                        self.pruned += max(0, count(eviction.span.text) - left)
                        self.tombstones += left
            elif decision.kind is DecisionKind.SCHEMA_PRUNED:
                for tool in decision.tools:
                    text = ctx.tombstone(tool) if tool not in self.tombstoned else None
                    if text is not None:
                        self.tombstoned.add(tool)
                        if text.kind is Kind.TOMBSTONE:
                            self.tombstones += count(text.text)

    def finding(self, finding: Finding, ctx: ContextState) -> None:
        """Count a turn that was unsound, and what a turn cost whose call went wrong."""
        turn = finding.where.turn
        if finding.severity >= Severity.WARNING:
            self.unsound.add(turn)
            if not finding.state:
                self.recovery.setdefault(turn, self._size(ctx))

    def _size(self, ctx: ContextState) -> int:
        if ctx.turn is not None and ctx.turn.prompt_tokens is not None:
            return ctx.turn.prompt_tokens
        self.estimated = True
        if ctx.settings.tokens == ESTIMATE:
            return round(ctx.size / CHARS_PER_TOKEN)
        count = counter(ctx.settings.tokens)
        return round(sum(count(span.text) for span in ctx.resident.values()))

    def as_dict(self, turns: int) -> dict[str, float | int | bool | None]:
        """The counts and the rates made of them, in a fixed order."""
        tombstones = len(self.tombstoned)
        unsound = len(self.unsound)
        rate = round(40 * self.invalid_calls / turns, 3) if turns else 0.0
        return {
            "reexpansion_requests": self.reexpansions,
            "tombstoned_tools": tombstones,
            "reexpansions_per_tombstone": (
                round(self.reexpansions / tombstones, 3) if tombstones else None
            ),
            "pruned_tokens_estimate": round(self.pruned),
            "tombstone_tokens_estimate": round(self.tombstones),
            "invalid_calls": self.invalid_calls,
            "invalid_calls_per_40_turns": rate,
            "affected_turns": len(self.recovery),
            "affected_prompt_tokens": sum(self.recovery.values()),
            "affected_prompt_tokens_estimated": self.estimated,
            "sound_turns_share": round(1 - unsound / turns, 4) if turns else None,
        }
