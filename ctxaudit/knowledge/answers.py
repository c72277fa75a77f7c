"""Two runs of one check: do their answers say the same, or do they contradict each other?"""

from __future__ import annotations

import re

from ctxaudit.knowledge.envelopes import unwrap
from ctxaudit.knowledge.errors import failure
from ctxaudit.knowledge.negatives import ANSWERS, HEAD, SHORT, NegativeKind, negative
from ctxaudit.knowledge.placeholders import stub
from ctxaudit.patterns import regex

#: What differs from run to run without meaning anything.
_NOISE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (regex(pattern, re.IGNORECASE), mark)
    for pattern, mark in (
        (
            r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?",
            "<time>",
        ),
        (
            r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? [^\n]{0,14}\d{1,2}:\d\d:\d\d"
            r"[^\n]{0,12}\d{4}",
            "<time>",
        ),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?", "<time>"),
        (
            r"\b\d{1,9}(?:\.\d{1,9})?\s?(?:ms|us|µs|ns|secs?|seconds?|minutes?|mins?|s|m)\b(?:\d{1,2}s\b)?",
            "<span>",
        ),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
        (r"\b0x[0-9a-f]{4,16}\b", "<id>"),
        (r"\b(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,64}\b", "<id>"),
        (
            r"\b(pid|ppid|process(?: id)?|session(?: id)?|cell id|chunk id|request[ _-]id"
            r"|trace[ _-]id|thread)"
            r"(\W{1,4})[\w-]{1,64}",
            r"\1\2<id>",
        ),
        (r"\b(req|trace|span|chatcmpl|msg|toolu|call)_[0-9a-z]{6,64}\b", "<id>"),
        (r"\b\d{1,9} (lines?)\b", r"<n> \1"),
        (r"\b(lines?) \d{1,9}\b", r"\1 <n>"),
        (r"(?:/private)?/(?:tmp|var/folders)/[\w./+-]{1,200}", "<temp>"),
    )
)
_SPACE = regex(r"\s+")
_NONE = frozenset({NegativeKind.EMPTY, NegativeKind.NOT_FOUND, NegativeKind.ZERO_HITS})
_TOKEN = regex(r"-?\d+(?:\.\d+)?|[^\W\d_]{2,}")


def normalised(text: str) -> str:
    """A result without what differs from run to run: times, durations, process ids, line counts."""
    plain = unwrap(text).text[:HEAD]
    for pattern, mark in _NOISE:
        plain = pattern.sub(mark, plain)
    return _SPACE.sub(" ", plain).strip().casefold()


def is_answer(text: str) -> bool:
    """Does the result answer at all? A placeholder or a dead transport does not."""
    if stub(text) is not None:
        return False
    told = failure(text)
    return told is None or told.kind in ANSWERS


def same_answer(a: str, b: str) -> bool:
    """Do two results of one check say the same? Noise aside; two ways of "none" are the same."""
    if not (is_answer(a) and is_answer(b)):
        return False
    if a == b or normalised(a) == normalised(b):
        return True
    return _polarity(a) in _NONE and _polarity(b) in _NONE


def contradicts(a: str, b: str) -> bool:
    """Do two results of one check differ in substance?

    One says no and the other does not, or both are short and give other states, numbers or words.
    Two long positive answers that differ in detail do not contradict each other, nor do two errors.
    """
    if not (is_answer(a) and is_answer(b)) or same_answer(a, b):
        return False
    one, other = _polarity(a), _polarity(b)
    if (one is None) != (other is None):
        return True
    if one is not None and not (one is other is NegativeKind.STATE):
        return False
    return _other_values(normalised(a), normalised(b))


def _other_values(a: str, b: str) -> bool:
    if max(len(a), len(b)) > SHORT:
        return False
    return _TOKEN.findall(a) != _TOKEN.findall(b)


def _polarity(text: str) -> NegativeKind | None:
    told = negative(text, silent_is_negative=True)
    return told.kind if told else None
