"""What a pruner must have decided, by what one prompt has done to the one before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Location, PruningDecision, Span

UNREADABLE = Gap(
    Aspect.SUMMARIES,
    Extent.PARTIAL,
    "a summary is encrypted: what it kept of the conversation is unknown",
)


@dataclass(slots=True)
class Difference:
    """What one prompt has done to the one before it.

    ``cleared`` and ``emptied`` map results and calls to what is left of their text. ``withdrawn``
    left without being pruned. ``removed`` are tools that new pieces take out, piece by piece.
    ``summarised``: a summary took the place of what was dropped, an ``opaque`` one if it cannot be
    read.
    """

    dropped: list[str] = field(default_factory=list)
    cleared: dict[str, str] = field(default_factory=dict)
    emptied: dict[str, str] = field(default_factory=dict)
    withdrawn: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    added: list[Span] = field(default_factory=list)
    removed: list[tuple[str, ...]] = field(default_factory=list)
    summarised: bool = False
    opaque: bool = False


def decisions(
    difference: Difference, where: Location, actor: str | None
) -> Iterator[PruningDecision]:
    """The decisions, in the order: spans, arguments, results, tools.

    ``actor`` is the pruner's name where the log states that it was at work. It never states which
    spans it took, so these are inferred all the same.
    """
    told: dict[str, Any] = {"explicit": actor is not None, "exact": actor is None, "actor": actor}
    summarised = difference.summarised
    left = DecisionKind.SPAN_SUMMARIZED if summarised else DecisionKind.SPAN_EVICTED
    order = 0
    if difference.dropped:
        opaque = summarised and difference.opaque
        yield PruningDecision(left, where, tuple(difference.dropped), opaque=opaque, **told)
        order += 1
    for kind, stubs in (
        (DecisionKind.ARGUMENTS_EVICTED, difference.emptied),
        (DecisionKind.RESULT_CLEARED, difference.cleared),
    ):
        if stubs:
            yield PruningDecision(kind, where, tuple(stubs), order=order, stubs=stubs, **told)
            order += 1
    for n, tools in enumerate(difference.removed, order):
        kind = DecisionKind.SCHEMA_PRUNED
        yield PruningDecision(kind, where, tools=tools, order=n, explicit=True)
