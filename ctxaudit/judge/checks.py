"""Is a call a check that had already been answered with no?"""

from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.frozen import frozen
from ctxaudit.judge.repeat import (
    Repeat,
    asked_for,
    changed_between,
    nearly_again,
    negative_kept,
    same_again,
)
from ctxaudit.knowledge.effects import computes
from ctxaudit.knowledge.negatives import Negative, NegativeKind, negative
from ctxaudit.knowledge.reexpansion import requested
from ctxaudit.knowledge.resources import is_polling
from ctxaudit.knowledge.verdict import Effect
from ctxaudit.model import Confidence, ToolCall


@frozen
class Recheck:
    """A repeated check and the negative result that it had."""

    repeat: Repeat
    negative: Negative

    @property
    def confidence(self) -> Confidence:
        return Confidence.LIKELY if self.repeat.exact else Confidence.POSSIBLE


def recheck(call: ToolCall, ctx: ContextState) -> Recheck | None:
    """The evicted negative result that the call asks for again, None if there is none or it may."""
    if not ctx.evicted or ctx.verdict(call.tool, call.arguments).effect is not Effect.READ:
        return None
    repeat = same_again(call, ctx) or nearly_again(call, ctx)
    if repeat is None or requested(call.tool, call.arguments) is not None:
        return None
    silence = not computes(call.tool)
    said = negative(repeat.result.text, repeat.result.failed, silent_is_negative=silence)
    if said is None or said.kind is NegativeKind.REFUSED:
        return None
    return Recheck(repeat, said) if _unexcused(repeat, call, ctx) else None


def dead_end(call: ToolCall, ctx: ContextState) -> Recheck | None:
    """The evicted failure of the very same attempt, None if there is none or it may be tried
    again.
    """
    if not ctx.evicted:
        return None
    repeat = same_again(call, ctx)
    if repeat is None:
        return None
    said = negative(repeat.result.text, repeat.result.failed)
    if said is None:
        return None
    reads = ctx.verdict(call.tool, call.arguments).effect is Effect.READ
    if said.kind is not NegativeKind.REFUSED and (reads or said.kind not in FAILURES):
        return None
    return Recheck(repeat, said) if _unexcused(repeat, call, ctx) else None


#: Negative results of an attempt that mean that it failed.
FAILURES = frozenset({NegativeKind.ERROR, NegativeKind.NOT_FOUND, NegativeKind.NONZERO_EXIT})


def _unexcused(repeat: Repeat, call: ToolCall, ctx: ContextState) -> bool:
    return not (
        is_polling(call.tool, call.arguments)
        or changed_between(repeat, call, ctx)
        or asked_for(repeat, call, ctx)
        or negative_kept(repeat, call, ctx)
    )
