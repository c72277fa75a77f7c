"""The assistant's own conclusions: sentences that rule something out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxaudit.patterns import regex

#: Characters looked at.
HEAD = 8_000

_CAUSE = (
    r"(?:root )?(?:cause|culprit|issue|problem|reason|bug|source|bottleneck|blocker|explanation)"
)
_RULED_OUT = regex(
    rf"\b(?:ruled (?:\w+ ){{0,4}}?out|rules (?:\w+ ){{0,4}}?out|can (?:now |safely )?rule (?:\w+"
    rf" ){{0,3}}?out"
    rf"|ruling out|not the {_CAUSE}|(?:isn't|wasn't|aren't|not) actually the {_CAUSE}"
    rf"|(?:isn't|wasn't|aren't) the {_CAUSE}"
    r"|dead[ -]end|red herring|false lead|(?:did|does|do|could|can)(?: not|n't|not) (?:be"
    r" )?reproduced?"
    r"|(?:did|does)(?:n't| not) (?:help|work|fix|matter|change (?:anything|the))"
    r"|no effect|(?:made|makes) no difference|decided against|(?:is|are|was|were|looks?) (?:fine"
    r"|ok|okay"
    r"|healthy|correct|unlimited|disabled|not set|unset|normal|up to date|empty|green), (?:so|hence"
    r"|therefore|which means|and so)\b|so (?:it|that|this)(?:'s| is| was) not\b|no (?:evidence"
    r"|sign|trace) of"
    r"|not (?:related|relevant|to blame|affected|involved)|unrelated to"
    r"|(?:abandon(?:ed|ing)?|reject(?:ed|ing)?|discard(?:ed|ing)?|dropp?(?:ed|ing)) (?:the |this "
    r"|that )"
    r"(?:\w+ ){0,2}(?:approach|idea|option|plan|hypothesis|theory|route|path)"
    r"|(?:approach|idea|option|plan|hypothesis|theory) (?:is|was|has been) (?:rejected|abandoned"
    r"|refuted"
    r"|disproved|wrong|excluded))\b",
    re.IGNORECASE,
)
#: Nothing is concluded yet: a question, a condition, an intention.
_OPEN = regex(
    r"\s*(?:#|\|)|\s*(?:[-*>\d.]{1,4}\s+)?(?:if|unless|whether|let me|let's|maybe|perhaps"
    r"|i(?:'ll| will| need to| should| want to)|we (?:need|should|must)(?: to)?|next"
    r"|first|to (?:rule|check|see)|check(?:ing)? (?:if|whether)"
    r"|could|might|can (?:we|i|you)|should (?:we|i))\b|[^\n]{0,300}\b(?:whether|to rule|in order to"
    r"|not (?:yet )?(?:been )?ruled|(?:can't|cannot|can not|couldn't) rule|never ruled|before"
    r" ruling"
    r"|isn't ruled)\b",
    re.IGNORECASE,
)
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_FENCE = regex(r"```[^`]{0,4000}(?:```|\Z)")


def conclusions(text: str) -> tuple[str, ...]:
    """The sentences of an assistant's text that rule something out, in order.

    Questions, conditions and intentions ("let me rule out ...") are none; code blocks are skipped.
    """
    prose = _FENCE.sub("\n", text[:HEAD]) if "```" in text[:HEAD] else text[:HEAD]
    return tuple(_concluding(prose))


def _concluding(prose: str) -> Iterator[str]:
    for sentence in _SENTENCE.split(prose):
        told = sentence.strip()
        if len(told) > HEAD // 8 or told.endswith("?") or _OPEN.match(told):
            continue
        if _RULED_OUT.search(told):
            yield told
