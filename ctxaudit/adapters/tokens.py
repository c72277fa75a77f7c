"""A prompt that got smaller for no reason that the log tells, by the provider's token counts."""

from __future__ import annotations

from dataclasses import replace

from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, PruningDecision, Turn

FALL = 3_000  #: tokens; a smaller fall is counting noise


def with_fall(turn: Turn, before: int | None, slack: int = 0) -> Turn:
    """The turn, with a decision and a gap if its prompt is smaller than ``before`` unexplained.

    ``slack`` is the number of tokens that may have left without being pruned (old reasoning). A
    turn that tells of anything that left explains its fall.
    """
    after = turn.prompt_tokens
    if turn.decisions or turn.withdrawn or turn.restored or before is None or after is None:
        return turn
    if before - after <= FALL + slack:
        return turn
    gap = _gap(before, after)
    return with_loss(replace(turn, gaps=(*turn.gaps, gap)), gap.reason, explicit=False)


def with_loss(turn: Turn, reason: str, *, explicit: bool) -> Turn:
    """The turn with the decision that something left, nobody knows what."""
    decision = PruningDecision(
        DecisionKind.UNRECORDED,
        turn.where,
        order=len(turn.decisions),
        reason=reason,
        explicit=explicit,
        exact=False,
    )
    return replace(turn, decisions=(*turn.decisions, decision))


def _gap(before: int, after: int) -> Gap:
    told = f"prompt tokens fell from {before} to {after} with no record of what was removed"
    return Gap(Aspect.PROMPTS, Extent.PARTIAL, told)
