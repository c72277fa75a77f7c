from __future__ import annotations

from dataclasses import dataclass

from ctxaudit.context import ContextState
from ctxaudit.judge.ghost import Ghost, Without, ghost
from ctxaudit.judge.siblings import related
from ctxaudit.knowledge.errors import FailureKind, failure
from ctxaudit.knowledge.reexpansion import asked_in_words, requested
from ctxaudit.knowledge.shell import command_of
from ctxaudit.knowledge.verdict import Effect
from ctxaudit.model import Aspect, Evidence, Kind, Severity, Span, ToolCall
from ctxaudit.rule import Findings, Rule


@dataclass(slots=True)
class Case:
    """A rejected ghost call whose recovery is awaited."""

    call: ToolCall
    state: Ghost
    rejection: Span
    since: int  # turn from which the model knows of the rejection


class GhostWorkaround(Rule):
    """After the rejection the model took a sibling tool instead of asking for the schema back.

    ## What it does
    Reports the third part of the triad: a ghost call, its rejection, and then, within the recovery
    window, a call to another tool that does something related. Critical if that tool changes
    state; a warning if it only reads, or if it is a shell that does by hand what the tool did.

    ## Why it matters
    The work-around is what does the damage: a duplicate record, a second booking, a change by a
    side door. Nothing in the trace calls it wrong.

    ## What to do
    Make re-expansion the cheap way out: name the load tool in the tombstone and in the error.

    ## What it leaves alone
    Recoveries by re-expansion, a retry that succeeds, unrelated next calls, and what the user
    asked for in between.
    """

    code = "GT104"
    name = "ghost-workaround"
    family = "ghost-tool"
    severity = Severity.CRITICAL
    needs = frozenset({Aspect.SCHEMAS, Aspect.RESULTS})

    def __init__(self) -> None:
        self.made: dict[str, Ghost] = {}
        self.cases: list[Case] = []

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> None:
        if not self.made and not self.cases:
            return
        why = failure(result.text, result.failed)
        state = self.made.pop(call.id, None)
        if why is None:
            self.cases = [case for case in self.cases if case.call.tool != call.tool]
        elif state is not None and why.kind in (FailureKind.VALIDATION, FailureKind.UNKNOWN_TOOL):
            self.cases.append(Case(call, state, result, ctx.where.turn))

    def on_prompt(self, ctx: ContextState) -> None:
        """A user who speaks after the rejection takes over; old cases lapse."""
        spoke = any(s.kind is Kind.USER for s in ctx.turn.added) if ctx.turn else False
        window = ctx.settings.window
        self.cases = [
            case for case in self.cases if not spoke and ctx.where.turn - case.since < window
        ]

    def on_reply(self, span: Span, ctx: ContextState) -> None:
        if span.kind is Kind.ASSISTANT and self.cases:
            back = asked_in_words(span.text, [case.call.tool for case in self.cases])
            self.cases = [case for case in self.cases if case.call.tool not in back]

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        asked = requested(call.tool, call.arguments) if self.cases else None
        if asked is not None:
            self.cases = [c for c in self.cases if asked and c.call.tool not in asked]
        state = ghost(call.tool, ctx)
        if state is not None and not state.external and state.way is not Without.HISTORY:
            self.made[call.id] = state
        if asked is None:
            for case in [c for c in self.cases if c.call.tool != call.tool]:
                yield from self._sibling(case, call, ctx)

    def _sibling(self, case: Case, call: ToolCall, ctx: ContextState) -> Findings:
        link = related(case.call, call)
        if link is None:
            return
        self.cases.remove(case)
        effect = ctx.verdict(call.tool, call.arguments).effect
        by_hand = command_of(call.tool, call.arguments) is not None
        severe = effect is Effect.MUTATION and not by_hand
        tool = case.call.tool
        yield self.finding(
            call.where,
            f"after {tool} was rejected, the model worked around it with {call.tool} ({link}) "
            "instead of "
            f"asking for the schema of {tool}",
            fix=f"undo what {call.tool} did if it duplicates; name the way to re-expand {tool} in "
            "its "
            "tombstone and in the error",
            cause=case.state.cause,
            severity=Severity.CRITICAL if severe else Severity.WARNING,
            confidence=case.state.confidence,
            tool=call.tool,
            evidence=(
                *case.state.evidence(),
                Evidence("ghost-call", case.call.where, case.call.span().text),
                Evidence("rejection", case.rejection.where, case.rejection.text),
                Evidence("work-around", call.where, call.span().text),
            ),
            about=tool,
        )
