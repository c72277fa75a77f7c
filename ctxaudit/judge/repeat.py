"""Is a call a repeat of one whose result was evicted, with nothing that would justify it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxaudit.context import ContextState, Eviction
from ctxaudit.frozen import frozen
from ctxaudit.knowledge.handles import HandleKind, handles
from ctxaudit.knowledge.mentions import mentions
from ctxaudit.knowledge.negatives import negative
from ctxaudit.knowledge.resources import ANYTHING, may_affect, touches
from ctxaudit.knowledge.sameness import NEAR, near_same
from ctxaudit.knowledge.schemas import flatten
from ctxaudit.knowledge.verdict import Effect
from ctxaudit.model import Confidence, Kind, Span, ToolCall, dumps, result_id
from ctxaudit.patterns import regex

#: A user who says one of these asks for a repeat.
AGAIN = regex(
    r"\b(again|re-?(?:run|try|check|test|send|do|open|submit|create|peat)\w*|once more|one more|"
    r"another|second time|duplicate|also (?:send|post|create|book)|after all|go ahead|approved?|"
    r"i agree|agreed|allowed|you (?:may|can) now|changed my mind|permission granted)\b",
    re.IGNORECASE,
)
DONE = regex(
    r"\b(sent|posted|created|booked|paid|published|submitted|dispatched|launched|started|running|done|"
    r"completed|finished|added|made|placed|opened|filed|scheduled|merged|pushed|notified|told|refunded|"
    r"taken care of|succe\w+|handled|settled|arranged|confirmed|delivered|closed|resolved|recorded|"
    r"charged|transferred|appended|incremented|spawned|registered|replied|commented|emailed|uploaded)\b",
    re.IGNORECASE,
)
PENDING = regex(
    r"\b(pending|to ?do|todo|remaining|next steps?|not yet|still (?:to|needs?|waiting)|waiting for|"
    r"needs? to|no \w+ exists?|has not|have not|hasn't|haven't|will|must|should|want(?:s|ed)?)\b",
    re.IGNORECASE,
)
NEGATION = regex(
    r"\b(no|not|none|never|nothing|zero|0|without|cannot|can't|isn't|wasn't|doesn't|don't|didn't|fail\w*|"
    r"error\w*|missing|absent|empty|unlimited|disabled|reject\w*|refus\w*|declin\w*|denied|"
    r"ruled out|unknown|unavailable|broken|dead end)\b",
    re.IGNORECASE,
)
COMMON = frozenset(
    "true false none null the and for with from this that path file query pattern command "
    "name text value limit type body content message title action send create update read "
    "search list data input src lib app test tests main index".split()
)


@frozen
class Repeat:
    """An earlier call whose result was evicted, and how surely the new one is the same."""

    earlier: ToolCall
    result: Span
    eviction: Eviction
    exact: bool

    @property
    def confidence(self) -> Confidence:
        return Confidence.LIKELY


def same_again(call: ToolCall, ctx: ContextState) -> Repeat | None:
    """The latest same call of which the result is gone; None while any such result is resident."""
    if not ctx.evicted:
        return None
    return _latest(ctx.same_calls(call), ctx, exact=True)


def nearly_again(call: ToolCall, ctx: ContextState) -> Repeat | None:
    """As ``same_again``, for calls to the same tool with the same target in other words."""
    if not ctx.evicted:
        return None
    alike = [
        earlier
        for earlier in (ctx.calls[i] for i in ctx.by_tool.get(call.tool, ()) if i != call.id)
        if near_same(call.tool, call.arguments, earlier.tool, earlier.arguments) >= NEAR
    ]
    return _latest(alike, ctx, exact=False)


def _latest(calls: list[ToolCall], ctx: ContextState, *, exact: bool) -> Repeat | None:
    found = None
    for earlier in calls:
        if earlier.where.turn == ctx.where.turn:
            return None  # parallel duplicates in one answer: no pruning lies between
        result = ctx.results.get(earlier.id)
        if result is None:
            continue
        eviction = ctx.eviction_of_result(earlier.id)
        if eviction is None:
            return None  # still in sight: a loop, not a pruning fault
        if not eviction.decision.opaque:
            found = Repeat(earlier, result, eviction, exact)
    return found


def changed_between(
    repeat: Repeat, call: ToolCall, ctx: ContextState, *, named: bool = False
) -> bool:
    """Whether something that ran in between may have changed what the call is about.

    ``named``: only what names its target counts, not what might have touched anything.
    """
    check = touches(call.tool, call.arguments)
    for other in ctx.since(repeat.earlier):
        effect = ctx.verdict(other.tool, other.arguments).effect
        if effect is Effect.READ or not _took_place(other, ctx):
            continue
        wrote = touches(other.tool, other.arguments)
        if named and ANYTHING in wrote.writes:
            continue
        if may_affect(wrote, check):
            return True
    return False


def _took_place(call: ToolCall, ctx: ContextState) -> bool:
    """A call without a known result may have done its work."""
    return call.id not in ctx.results or ctx.succeeded(call.id)


def asked_for(repeat: Repeat, call: ToolCall, ctx: ContextState) -> bool:
    """Whether a user message that came after the earlier result asks for the repeat."""
    subject = subjects(call)
    for span in ctx.after(repeat.result):
        if span.kind is Kind.USER and (
            AGAIN.search(span.text) or any(mentions(span.text, word) for word in subject)
        ):
            return True
    return False


def subjects(call: ToolCall) -> tuple[str, ...]:
    """Distinctive words of a call's arguments: what it is about."""
    found = [h.value for h in handles(call.arguments)]
    for _, leaf in flatten(call.arguments):
        if isinstance(leaf, str):
            found += re.findall(r"[A-Za-z_][\w.\-/]{3,}", leaf[:2000])
    return tuple(dict.fromkeys(w for w in found if len(w) > 3 and w.lower() not in COMMON))


def _sentences(text: str) -> Iterator[str]:
    yield from re.split(r"(?<=[.;!?])\s+|\n+", text[:20000])


def negative_kept(repeat: Repeat, call: ToolCall, ctx: ContextState) -> bool:
    """Whether a resident text still tells that the check had said no."""
    stub = ctx.resident.get(result_id(repeat.earlier.id))
    if stub is not None and negative(stub.text) is not None:
        return True
    subject = subjects(call)
    for span in ctx.resident.values():
        if span.kind in (Kind.SUMMARY, Kind.ASSISTANT, Kind.TOMBSTONE, Kind.USER, Kind.REASONING):
            for sentence in _sentences(span.text):
                if _about(sentence, subject) and NEGATION.search(sentence):
                    return True
    return False


def success_kept(repeat: Repeat, call: ToolCall, ctx: ContextState) -> bool:
    """Whether a resident text still tells that the action was done."""
    stub = ctx.resident.get(result_id(repeat.earlier.id))
    if stub is not None and stub.text and DONE.search(stub.text):
        return True
    subject = (*subjects(call), call.tool)
    made = handle_values(repeat.result.text)
    for span in ctx.after(repeat.result):
        if span.kind not in (Kind.SUMMARY, Kind.ASSISTANT):
            continue
        if any(value in span.text for value in made):
            return True
        for sentence in _sentences(span.text):
            if _about(sentence, subject) and DONE.search(sentence) and not PENDING.search(sentence):
                return True
    return False


#: Distinctive words of a call from which one alone does not tell what a sentence is about.
MANY = 12


def handle_values(text: str) -> set[str]:
    """Opaque handles that a result introduced."""
    strong = (HandleKind.OPAQUE, HandleKind.UUID)
    return {h.value for h in handles({"text": text[:4000]}) if h.kind in strong}


def _about(sentence: str, subject: tuple[str, ...]) -> bool:
    """Whether a sentence is about a call: one word of its arguments is enough unless they are
    many, of which any long conversation holds one."""
    found = sum(word in sentence for word in subject)
    return found > (len(subject) >= MANY)


def told(call: ToolCall) -> str:
    """A call in a few words."""
    return f"{call.tool} {dumps(call.arguments)}"[:200]


def ended(repeat: Repeat, ctx: ContextState) -> bool:
    """Whether a look at what the first call had made said that it is gone or has failed."""
    made = handle_values(repeat.result.text)
    if not made:
        return False
    for other in ctx.since(repeat.earlier):
        result = ctx.results.get(other.id)
        if result is None or negative(result.text, result.failed) is None:
            continue
        text = f"{dumps(other.arguments)} {result.text}"
        if any(value in text for value in made):
            return True
    return False
