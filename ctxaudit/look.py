"""What the model could see at one turn, and what had been taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ctxaudit.adapters import Adapter
from ctxaudit.audit import Options
from ctxaudit.context import ContextState
from ctxaudit.errors import NothingError
from ctxaudit.log import Log, Source
from ctxaudit.model import Finding, PruningDecision, Span, Turn
from ctxaudit.replay import Session
from ctxaudit.safe import clean, excerpt, inert

NEWEST = 30  # spans that are shown unless all are asked for


@dataclass(slots=True)
class View:
    """One turn: its prompt, what had left it, and what the model then did."""

    turn: Turn
    ctx: ContextState
    resident: list[Span]
    findings: list[Finding] = field(default_factory=list)


def view(log: Log, adapter: Adapter, number: int, session: str | None, options: Options) -> View:
    """The state of a session at a turn; of several sessions the first that has it.

    Raises: NothingError if no session has that turn.
    """
    sessions: dict[str, Session] = {}
    last = 0
    for turn in adapter.read(Source((log,))):
        name = turn.where.session
        if session is not None and name != session:
            continue
        if name not in sessions:
            sessions[name] = Session(turn, options.rules, options.settings)
        played = list(sessions[name].play(turn))
        last = max(last, turn.where.turn)
        if turn.where.turn == number and not turn.final:
            ctx = sessions[name].ctx
            answered = {span.id for span in turn.reply} | {call.id for call in turn.calls}
            resident = [span for span in ctx.resident.values() if span.id not in answered]
            return View(turn, ctx, resident, played)
    whose = f"session {inert(session)}" if session is not None else "the log"
    raise NothingError(f"{log.name}: {whose} has no turn {number}; the last one is {last}")


def told(seen: View, *, everything: bool = False) -> Iterator[str]:
    """A view in plain lines."""
    where, ctx = seen.turn.where, seen.ctx
    yield f"{inert(where.path)}:{where.line} session {clean(where.session)}, turn {where.turn}"
    yield from _decisions(ctx.decisions)
    yield from _tools(seen)
    yield from _spans(seen, everything)
    yield from _evicted(ctx)
    yield from _answer(seen)


def _decisions(decisions: tuple[PruningDecision, ...]) -> Iterator[str]:
    for decision in decisions:
        by = f" by {clean(decision.actor)}" if decision.actor else ""
        why = f": {clean(decision.reason)}" if decision.reason else ""
        known = "logged" if decision.explicit else "inferred"
        yield f"pruned before it: {decision.kind} of {clean(decision.subject)}{by} ({known}){why}"


def _tools(seen: View) -> Iterator[str]:
    ctx, there = seen.ctx, {span.id for span in seen.resident}
    if not ctx.tools_known:
        yield "tools: the log does not tell"
        return
    full = [name for name, schema in ctx.offered.items() if not schema.deferred]
    deferred = [name for name, schema in ctx.offered.items() if schema.deferred]
    yield f"tools with their schema ({len(full)}): {clean(', '.join(full)) or 'none'}"
    if deferred:
        yield f"tools by name only ({len(deferred)}): {clean(', '.join(deferred))}"
    for name, decision in ctx.withheld.items():
        left = "a tombstone tells of it" if ctx.tombstone(name) else "nothing tells of it"
        kept = sum(span.id in there for span in ctx.resident_calls(name))
        yield (
            f"withheld: {clean(name)}, since turn {decision.where.turn}; {left}; "
            f"{kept} of its calls still in the prompt"
        )


def _spans(seen: View, everything: bool) -> Iterator[str]:
    spans = seen.resident
    shown = spans if everything else spans[-NEWEST:]
    older = len(spans) - len(shown)
    yield f"in the prompt ({len(spans)} spans):"
    if older:
        yield f"  ... {older} older ones; --all shows them"
    for span in shown:
        yield f"  {span.kind:<9} turn {span.where.turn:<4} {excerpt(span.text, width=120)}"


def _evicted(ctx: ContextState) -> Iterator[str]:
    if not ctx.evicted:
        return
    yield f"not in it any more ({len(ctx.evicted)} spans):"
    for eviction in ctx.evicted.values():
        span, decision = eviction.span, eviction.decision
        yield (
            f"  {span.kind:<9} turn {span.where.turn:<4} {decision.kind} at turn "
            f"{decision.where.turn}: {excerpt(span.text, width=90)}"
        )


def _answer(seen: View) -> Iterator[str]:
    turn = seen.turn
    yield "then the model:"
    for span in turn.reply:
        yield f"  {span.kind:<9} {excerpt(span.text, width=120)}"
    for call in turn.calls:
        yield f"  {'call':<9} {excerpt(call.span().text, width=120)}"
    if turn.error is not None:
        yield f"  refused   {excerpt(turn.error, width=120)}"
    for found in seen.findings:
        grade = f"{found.severity.label}, {found.confidence.label}"
        yield f"finding: {found.rule} {found.name} ({grade}) {clean(found.message)}"
