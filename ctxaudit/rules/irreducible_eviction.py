from __future__ import annotations

import re
from collections.abc import Iterator

from ctxaudit.context import ContextState, Eviction
from ctxaudit.frozen import frozen
from ctxaudit.judge.repeat import (
    Repeat,
    changed_between,
    handle_values,
    negative_kept,
    success_kept,
)
from ctxaudit.knowledge.effects import computes
from ctxaudit.knowledge.negatives import NegativeKind, negative
from ctxaudit.knowledge.shell import command_of
from ctxaudit.knowledge.verdict import Effect, Verdict
from ctxaudit.model import (
    EVICTING,
    Cause,
    Confidence,
    Evidence,
    Finding,
    Kind,
    PruningDecision,
    Severity,
    Span,
    ToolCall,
)
from ctxaudit.patterns import regex
from ctxaudit.rule import Findings, Rule

SECRET = regex(
    r"\b(one[- ]time|otp|single[- ]use|valid once|will not be shown again|only shown once)\b",
    re.IGNORECASE,
)
COMMITTED = regex(r"\bgit\b[^\n|;&]{0,200}\b(?:commit|tag|push|merge|branch|stash|cherry-pick)\b")
#: Who can say no and cannot be asked by running it again, as a policy can.
PERSON = regex(
    r"\b(?:users?|human|person|approver|reviewer|operator|manager|owner|admin\w*|customer|team|lead"
    r"|declined|vetoed|said no|don't want|do not want|rejected by|denied by|not approved)\b",
    re.IGNORECASE,
)
MAX_EVIDENCE = 5


@frozen
class Loss:
    """An evicted result that cannot be had again.

    ``hard``: neither by running the call again, nor from what the call itself still shows.
    """

    call: ToolCall
    eviction: Eviction
    why: str
    hard: bool


class IrreducibleEviction(Rule):
    """Something was evicted that can neither be regenerated nor was written down anywhere.

    ## What it does
    Reports, once per decision, evicted results of calls that add something, refusals by a person
    and one-time secrets, when no text in the prompt keeps them. Noted only: negative results that
    still hold and a policy's refusals (they can be had again, at the price of a step), a bare
    "done" whose call stayed, and deeds that the agent's runtime or version control remembers.

    ## Why it matters
    A file can be read again. A send cannot be unsent, a person's no cannot be looked up, and a code
    that is shown once is gone.

    ## What to do
    Pin such results, or write them down before they are evicted: in the summary, a file, a memory.

    ## What it leaves alone
    Results that the model restated, that a summary keeps, or that a later change made stale, and
    compactions whose summary cannot be read.
    """

    code = "RN301"
    name = "irreducible-eviction"
    family = "rederived-negative"
    severity = Severity.WARNING
    state = True

    def on_prompt(self, ctx: ContextState) -> Findings:
        for decision in ctx.decisions:
            if decision.kind in EVICTING and not decision.opaque:
                losses = list(_losses(decision, ctx))
                if losses:
                    yield self._found(losses, decision, ctx)

    def _found(self, losses: list[Loss], decision: PruningDecision, ctx: ContextState) -> Finding:
        hard = [loss for loss in losses if loss.hard]
        told = hard or losses
        first = told[0]
        more = f" and {len(told) - 1} more" if len(told) > 1 else ""
        return self.finding(
            ctx.where,
            f"evicted, and nowhere written down: {first.why} of {first.call.tool} at turn "
            f"{first.call.where.turn}{more}",
            fix="pin these results, or write them down in one line each before they are evicted",
            cause=Cause.of(decision),
            severity=Severity.WARNING if hard else Severity.NOTE,
            confidence=Confidence.LIKELY,
            tool=first.call.tool,
            evidence=tuple(
                Evidence("evicted-result", loss.eviction.span.where, loss.eviction.span.text)
                for loss in told[:MAX_EVIDENCE]
            ),
            about=" ".join(loss.call.id for loss in told),
        )


def _losses(decision: PruningDecision, ctx: ContextState) -> Iterator[Loss]:
    for span_id in decision.spans:
        eviction = ctx.evicted.get(span_id)
        if eviction is None or eviction.decision is not decision:
            continue
        call = ctx.calls.get(eviction.span.call or "")
        if call is None or eviction.span.kind is not Kind.RESULT:
            continue
        loss = _loss(call, eviction, ctx)
        if loss is not None:
            yield loss


def _loss(call: ToolCall, eviction: Eviction, ctx: ContextState) -> Loss | None:
    span = eviction.span
    repeat = Repeat(call, span, eviction, exact=True)
    what = ctx.verdict(call.tool, call.arguments)
    reads = what.effect is Effect.READ and not computes(call.tool)
    said = negative(span.text, span.failed, silent_is_negative=reads)
    if said is None:
        secret = SECRET.search(span.text[:2000]) is not None
        if not (secret or (what.adds and _told(call, span))) or success_kept(repeat, call, ctx):
            return None
        if secret:
            return Loss(call, eviction, "the one-time secret", True)
        return Loss(call, eviction, "the success", _is_hard(call, span, what, ctx))
    if said.kind is NegativeKind.REFUSED:
        kept = negative_kept(repeat, call, ctx)
        person = PERSON.search(span.text[:2000]) is not None
        return None if kept else Loss(call, eviction, "the refusal", person)
    if not reads:
        return None
    if negative_kept(repeat, call, ctx) or changed_between(repeat, call, ctx):
        return None
    return Loss(call, eviction, "the negative answer", False)


def _is_hard(call: ToolCall, result: Span, what: Verdict, ctx: ContextState) -> bool:
    """A bare "done" says no more than the call that is still there; what an agent's own tools did
    (tasks, memories, sub-agents) its runtime can tell, and what was committed the history."""
    command = command_of(call.tool, call.arguments)
    if what.source == "table" or (command is not None and COMMITTED.search(command)):
        return False
    return call.id not in ctx.resident or bool(handle_values(result.text))


def _told(call: ToolCall, result: Span) -> bool:
    """A shell says little of what it did, and much of it can be looked up: an id must be lost."""
    return command_of(call.tool, call.arguments) is None or bool(handle_values(result.text))
