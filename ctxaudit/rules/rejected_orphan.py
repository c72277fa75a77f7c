from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.judge.binding import Orphan, orphans
from ctxaudit.knowledge.errors import Failure, FailureKind, failure
from ctxaudit.knowledge.mentions import mentions
from ctxaudit.knowledge.schemas import flatten
from ctxaudit.knowledge.verdict import Effect
from ctxaudit.model import Cause, Evidence, Finding, Severity, Span, ToolCall, dumps
from ctxaudit.rule import Findings, Rule

#: Failures that say nothing about the handle.
ELSEWHERE = frozenset(
    {
        FailureKind.TRANSIENT,
        FailureKind.INTERRUPTED,
        FailureKind.REFUSED,
        FailureKind.MALFORMED,
        FailureKind.UNKNOWN_TOOL,
        FailureKind.GUARD,
    }
)


TELLING = 5  # characters from which on a value is known by its mention


class RejectedOrphan(Rule):
    """A call with an orphaned handle failed, and the failure concerns the handle.

    ## What it does
    Reports a call whose handle had lost every binding and whose result is an error that names the
    handle or its argument, or says that the thing was not found.

    ## Why it matters
    What the eviction took away is what would have told the model that the handle is stale, wrong,
    or another one.

    ## What to do
    Keep or restate the binding; when such a call fails, give the binding back with the error.

    ## What it leaves alone
    Transient errors, refusals by a person, and failures that are about something else.
    """

    code = "OR203"
    name = "rejected-orphan"
    family = "orphaned-reference"
    severity = Severity.CRITICAL

    def __init__(self) -> None:
        self.open: dict[str, list[Orphan]] = {}

    def on_call(self, call: ToolCall, ctx: ContextState) -> None:
        found = list(orphans(call, ctx))
        if found:
            self.open[call.id] = found

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings:
        found = self.open.pop(call.id, None)
        if not found:
            return
        why = failure(result.text, result.failed)
        if why is None or why.kind in ELSEWHERE:
            return
        rejected = _rejected(why, result, call, found)
        if rejected is not None:
            yield self._rejected(rejected, call, result, ctx)

    def _rejected(self, orphan: Orphan, call: ToolCall, result: Span, ctx: ContextState) -> Finding:
        mutation = ctx.verdict(call.tool, call.arguments).effect is Effect.MUTATION
        binding, handle = orphan.binding, orphan.handle
        return self.finding(
            call.where,
            f"{call.tool} failed on {handle.value}, whose binding had been evicted at turn "
            f"{binding.decision.where.turn}",
            fix=f"keep what introduces {handle.value} resident, and give it back with such an "
            "error",
            cause=Cause.of(binding.decision, binding.span.id),
            severity=Severity.CRITICAL if mutation else Severity.ERROR,
            confidence=orphan.confidence,
            tool=call.tool,
            handle=handle.value,
            evidence=(
                Evidence("binding", binding.span.where, binding.span.text),
                Evidence("failure", result.where, result.text),
            ),
            about=dumps(call.arguments),
        )


def _rejected(why: Failure, result: Span, call: ToolCall, found: list[Orphan]) -> Orphan | None:
    """The handle that the failure is about: one that it names, else one whose argument it names,
    else, if nothing was found and no other argument is named, the first."""
    named = [orphan for orphan in found if mentions(result.text, orphan.handle.value)]
    if named:
        return named[0]
    if any(_names(result.text, value) for _, value in flatten(call.arguments)):
        return None
    leaves = {name.rsplit(".", 1)[-1] for name in why.fields}
    fitting = [orphan for orphan in found if orphan.handle.path.rsplit(".", 1)[-1] in leaves]
    if not fitting and why.kind is FailureKind.NOT_FOUND:
        fitting = found
    return fitting[0] if fitting else None


def _names(text: str, value: object) -> bool:
    """Whether a failure names a value that was passed, where that is no common word or number."""
    told = str(value)
    return len(told) >= TELLING and isinstance(value, (str, int)) and mentions(text, told)
