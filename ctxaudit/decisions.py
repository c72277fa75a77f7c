"""What a pruner must have decided, by what one prompt has done to the one before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Location, PruningDecision, Span
from ctxaudit.pieces import Piece

UNREADABLE = "a summary is encrypted: what it kept of the conversation is unknown"


@dataclass(slots=True)
class Difference:
    """What one prompt has done to the one before it.

    ``cleared`` and ``emptied`` are results and calls of which only another text is left.
    ``withdrawn`` left without being pruned. ``bearing`` are pieces among the new ones that load or
    remove tools. ``summarised``: a summary has taken the place of what was dropped, an ``opaque``
    one if it cannot be read.
    """

    dropped: list[Span] = field(default_factory=list)
    cleared: dict[str, str] = field(default_factory=dict)
    emptied: dict[str, str] = field(default_factory=dict)
    withdrawn: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    added: list[Span] = field(default_factory=list)
    bearing: list[Piece] = field(default_factory=list)
    summarised: bool = False
    opaque: bool = False


def decisions(
    difference: Difference, where: Location, actor: str | None
) -> Iterator[PruningDecision]:
    """The decisions in the order: spans, arguments, results, tools.

    ``actor`` is the pruner's name where the log states that it was at work; it never states which
    spans it took, so these are inferred all the same.
    """
    told: dict[str, Any] = {"explicit": actor is not None, "exact": actor is None, "actor": actor}
    found = [
        (kind, spans, stubs)
        for kind, spans, stubs in (
            (_left(difference), tuple(span.id for span in difference.dropped), {}),
            (DecisionKind.ARGUMENTS_EVICTED, tuple(difference.emptied), difference.emptied),
            (DecisionKind.RESULT_CLEARED, tuple(difference.cleared), difference.cleared),
        )
        if spans
    ]
    for order, (kind, spans, stubs) in enumerate(found):
        opaque = kind is DecisionKind.SPAN_SUMMARIZED and difference.opaque
        yield PruningDecision(
            kind, where, spans, order=order, opaque=opaque, stubs=dict(stubs), **told
        )
    removing = [piece for piece in difference.bearing if piece.removes]
    for order, piece in enumerate(removing, len(found)):
        yield PruningDecision(
            DecisionKind.SCHEMA_PRUNED, where, tools=piece.removes, order=order, explicit=True
        )


def _left(difference: Difference) -> DecisionKind:
    summarised = DecisionKind.SPAN_SUMMARIZED
    return summarised if difference.summarised else DecisionKind.SPAN_EVICTED


def gaps(difference: Difference) -> tuple[Gap, ...]:
    """What the prompt itself cannot show."""
    if not difference.opaque:
        return ()
    return (Gap(Aspect.SUMMARIES, Extent.PARTIAL, UNREADABLE),)
