from __future__ import annotations

import re

from ctxaudit.context import ContextState, Eviction
from ctxaudit.frozen import frozen
from ctxaudit.knowledge.prose import conclusions
from ctxaudit.model import Cause, Confidence, Evidence, Finding, Kind, Severity, Span
from ctxaudit.patterns import regex
from ctxaudit.rule import Findings, Rule

OPEN = regex(
    r"\b(maybe|perhaps|could be|might be|may be|suspect|hypothesis|possibly|what if|let me "
    r"(?:check|see) (?:if|whether)|is it (?:the|a)|likely (?:that|the)|my guess)\b",
    re.IGNORECASE,
)
WORD = regex(r"[A-Za-z_][\w.\-/]{3,}")
PLAIN = frozenset(
    "that this then than with from have been were what when where which would could might "
    "maybe perhaps likely check checked cause caused because problem issue ruled rule looks "
    "look seems fine still also into there their about after before again just only does "
    "doesn isn't wasn't let's suspect possibly hypothesis really actually".split()
)
SHARED = 0.6  # of the conclusion's words that the new hypothesis repeats
MIN_WORDS = 2


@frozen
class RuledOut:
    """A conclusion of evicted text: what it says, and its telling words."""

    text: str
    words: frozenset[str]
    eviction: Eviction


class RederivedHypothesis(Rule):
    """The reasoning takes up again a hypothesis that evicted reasoning had ruled out.

    ## What it does
    Reports assistant text that raises as open what an evicted text had concluded against, when no
    text in the prompt says so any more. It rests on wording, so it is at most `possible`.

    ## Why it matters
    Turns are spent again on what was known, and the second look may end differently.

    ## What to do
    Keep a line per ruled-out hypothesis in the summary.

    ## What it leaves alone
    Hypotheses whose refutation is in sight, and compactions whose summary cannot be read.
    """

    code = "RN306"
    name = "rederived-hypothesis"
    family = "rederived-negative"
    severity = Severity.WARNING

    def __init__(self) -> None:
        self.out: list[RuledOut] = []
        self.read: set[str] = set()

    def on_prompt(self, ctx: ContextState) -> None:
        """Read evicted texts once, for what they had concluded against."""
        for decision in ctx.decisions:
            for span_id in decision.spans:
                eviction = ctx.evicted.get(span_id)
                if eviction is None or span_id in self.read or decision.opaque:
                    continue
                self.read.add(span_id)
                if eviction.span.kind in (Kind.ASSISTANT, Kind.REASONING):
                    for text in conclusions(eviction.span.text):
                        self.out.append(RuledOut(text, _words(text), eviction))

    def on_reply(self, span: Span, ctx: ContextState) -> Findings:
        if not self.out or span.kind not in (Kind.ASSISTANT, Kind.REASONING):
            return
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", span.text[:8000]):
            if not OPEN.search(sentence):
                continue
            words = _words(sentence)
            for known in self.out:
                shared = known.words & words
                if len(shared) < MIN_WORDS or len(shared) < SHARED * len(known.words):
                    continue
                if not _told(known, span, ctx):
                    self.out.remove(known)
                    yield self._found(sentence, known, span, ctx)
                    return

    def _found(self, sentence: str, known: RuledOut, span: Span, ctx: ContextState) -> Finding:
        eviction = known.eviction
        return self.finding(
            ctx.where,
            "a hypothesis is open again that evicted text of turn "
            f"{eviction.span.where.turn} had ruled out: {known.text}",
            fix=f"keep in one line: “{known.text}”",
            cause=Cause.of(eviction.decision, eviction.span.id),
            confidence=Confidence.POSSIBLE,
            evidence=(
                Evidence("ruled-out", eviction.span.where, known.text),
                Evidence("hypothesis", span.where, sentence),
            ),
            about=known.text,
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(w.lower().strip(".-/") for w in WORD.findall(text)) - PLAIN


def _told(known: RuledOut, span: Span, ctx: ContextState) -> bool:
    """Whether a resident text still says so."""
    for other in ctx.resident.values():
        if (
            other.id != span.id
            and other.kind is not Kind.CALL
            and any(
                len(known.words & _words(text)) >= SHARED * len(known.words)
                for text in conclusions(other.text)
            )
        ):
            return True
    return False
