"""What "no" looks like in a tool's result.

    No matches found              ZERO_HITS     {"found": false}            NOT_FOUND
    Error: user not found         NOT_FOUND     open files: unlimited       STATE
    1 failed (exit code 1)        NONZERO_EXIT  User rejected the plan      REFUSED

No answer at all is no "no": a pruner's placeholder, a result made up to repair a transcript, a
closed transport, a guard that wants the file read first. Those give None.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.knowledge.content import is_content
from ctxaudit.knowledge.envelopes import Envelope, unwrap
from ctxaudit.knowledge.errors import FailureKind, failure
from ctxaudit.knowledge.placeholders import stub
from ctxaudit.patterns import regex

#: Characters: an answer of a few words; a short answer; what is looked at; an excerpt.
TERSE, SHORT, HEAD, EXCERPT = 160, 400, 8_000, 120


class NegativeKind(StrEnum):
    """How a result says no."""

    ERROR = "error"
    NOT_FOUND = "not-found"
    EMPTY = "empty"
    ZERO_HITS = "zero-hits"
    NONZERO_EXIT = "nonzero-exit"
    REFUSED = "refused"
    STATE = "state"


@frozen
class Negative:
    """A result that says no; ``excerpt`` is the one line that says it."""

    kind: NegativeKind
    excerpt: str


N = NegativeKind
#: Failures that answer the check. The others (a dead transport, a read guard, an interruption, a
#: provider's refusal of the request) say nothing about the world.
ANSWERS = {
    FailureKind.NOT_FOUND: N.NOT_FOUND,
    FailureKind.REFUSED: N.REFUSED,
    FailureKind.BUSINESS: N.ERROR,
    FailureKind.VALIDATION: N.ERROR,
    FailureKind.UNKNOWN_TOOL: N.ERROR,
    FailureKind.MALFORMED: N.ERROR,
}
_THINGS = (
    r"(?:match(?:es|ing \w+)?|results?|hits?|files?|rows?|records?|items?|entries|documents?"
    r"|occurrences?"
    r"|tasks?|messages?|pages?|references?|usages?|users?|jobs?|events?|lines matched)"
)
#: A line that says "none". It must be the whole line.
_ZERO = regex(
    rf"(?:[^\n:]{{0,80}}(?:->|=>|→|:) ?)?(?:no (?:\w+ ){{0,2}}{_THINGS}(?: \w+){{0,3}}?"
    rf"(?: (?:for|in|with|matching|match)\b[^\n]{{0,120}})?"
    rf"|(?:found |returned |got )?\(?(?:0|zero) (?:\w+ )?{_THINGS}\)?(?: (?:were )?(?:found"
    rf"|returned|matched))?"
    r"(?: (?:for|in|across|matching|searched)\b[^\n]{0,120})?|(?:count|total|matches|results"
    r"|hits)[:=] ?0"
    r"|0|nothing (?:found|matched)(?: (?:for|in) [^\n]{0,120})?|no (?:data|output found|content"
    r" found)"
    r"|no (?!(?:\w+ )?(?:errors?|issues?|problems?|warnings?|failures?|conflicts?|vulnerabilit))"
    r"\w+(?: \w+)? found)[.!]?",
    re.IGNORECASE,
)
_ABSENT = regex(
    r"[^\n]{0,120}?\b(?:not found|(?:does|do|did)(?: not|n't) exist|no such \w+|404)\b[^\n]{0,60}",
    re.IGNORECASE,
)
_SILENT = regex(
    r"[(\[<]?(?:(?:bash |command )?(?:completed|executed|finished|succeeded)?(?: successfully)?"
    r"(?: with)? ?(?:no|empty) (?:output|result|stdout)|empty|no output|\{\s{0,9}\})[)\]>]?\.?",
    re.IGNORECASE,
)
_STATE = regex(
    r"\b(?:unlimited|not set|unset|disabled|not configured|not applicable|not enabled|not installed"
    r"|not running|inactive|already up[ -]to[ -]date|up[ -]to[ -]date|no changes|nothing to commit"
    r"|not available|unavailable|undefined|null|none|n/a|false|off)\b",
    re.IGNORECASE,
)
#: State words that also occur in passing: they count only as the whole answer or as a value.
_VALUE_ONLY = frozenset(
    ("undefined", "null", "none", "n/a", "false", "off", "unavailable", "inactive", "unset")
)
_VALUE = regex(r"(?:[^\n:=]{1,80}[:=]\s{0,20})?(?P<word>[\w/]{2,12})\.?", re.IGNORECASE)
#: Tests: the last lines of a run whose exit status the log does not tell.
_FAILED_RUN = regex(
    r"(?:^|\n)[= ]{0,80}(?:tests?:? {1,8})?(?:[1-9]\d{0,5} (?:failed|failures?|failing|errors?)\b"
    r"|FAILED \(|(?:FAIL|FAILED)\b[^\n]{0,200}(?:\n|\Z)|test result: FAILED)",
)
_COUNTS = (
    "count",
    "total",
    "total_count",
    "totalCount",
    "num_results",
    "matches_count",
    "hits",
    "size",
)
_LISTS = (
    "results",
    "matches",
    "items",
    "data",
    "hits",
    "files",
    "records",
    "rows",
    "entries",
    "documents",
    "content",
    "output",
    "result",
    "value",
    "issues",
    "jobs",
    "tasks",
    "events",
    "messages",
)
_FLAGS = ("found", "ok", "success", "exists", "valid", "available", "enabled", "passed", "matched")
_FLAG_KINDS = {
    "found": N.NOT_FOUND,
    "exists": N.NOT_FOUND,
    "enabled": N.STATE,
    "available": N.STATE,
}


def negative(
    text: str, failed: bool | None = None, *, silent_is_negative: bool = False
) -> Negative | None:
    """Does this tool result say "no"? None for a positive answer and for no answer at all.

    An empty result is a "no" of a search but the quiet success of a write, so it counts only with
    ``silent_is_negative``. ``failed`` is the log's own error flag.
    """
    if stub(text) is not None:
        return None
    envelope = unwrap(text)
    body = envelope.text.strip()
    if not body or _SILENT.fullmatch(body[:TERSE]):
        return _silence(envelope, body, failed, silent_is_negative)
    told = failure(text, failed)
    if told is not None and told.kind not in ANSWERS:
        return None
    if told is not None and told.kind is not FailureKind.BUSINESS:
        return Negative(ANSWERS[told.kind], _excerpt(body))
    if envelope.exit:
        return Negative(N.NONZERO_EXIT, _excerpt(body))
    said = _said(envelope, body, envelope.exit == 0)
    if told is not None and (said is None or said.kind is N.STATE):
        return Negative(N.ERROR, _excerpt(body))
    return said


def _silence(envelope: Envelope, body: str, failed: bool | None, counts: bool) -> Negative | None:
    if envelope.exit in (124, 130):
        return None
    if envelope.exit:
        return Negative(N.NONZERO_EXIT, f"exit {envelope.exit}, no output")
    return Negative(N.EMPTY, body) if counts or failed else None


def _said(envelope: Envelope, body: str, succeeded: bool) -> Negative | None:
    """A "no" in the words or in the JSON of a result that is no failure."""
    if envelope.value is not None:
        return _in_json(envelope.value, body)
    lines = body.splitlines()
    if len(body) <= SHORT and not is_content(body) and (kind := _of_lines(lines)):
        return Negative(kind, _excerpt(body))
    if not succeeded and (run := _FAILED_RUN.search(body[-SHORT:])):
        return Negative(N.NONZERO_EXIT, _excerpt(run[0]))
    return None


def _of_lines(lines: list[str]) -> NegativeKind | None:
    told = [line.strip() for line in lines if line.strip()]
    if _ZERO.fullmatch(told[0]) or (len(told) <= 3 and _ZERO.fullmatch(told[-1])):
        return N.ZERO_HITS
    if len(told) == 1 and len(told[0]) <= TERSE and _ABSENT.fullmatch(told[0]):
        return N.NOT_FOUND
    if sum(map(len, told)) <= TERSE and any(_is_state(line) for line in told):
        return N.STATE
    return None


def _is_state(line: str) -> bool:
    word = _STATE.search(line)
    if word is None:
        return False
    if word[0].lower() not in _VALUE_ONLY:
        return True
    value = _VALUE.fullmatch(line)
    return value is not None and value["word"].lower() == word[0].lower()


def _in_json(value: Any, body: str) -> Negative | None:
    if isinstance(value, list):
        return None if value else Negative(N.ZERO_HITS, "[]")
    if any(isinstance(value.get(key), list) and value[key] for key in _LISTS):
        return None
    for key in _FLAGS:
        if value.get(key) is False:
            return Negative(_FLAG_KINDS.get(key, N.ERROR), _excerpt(body))
    empty = any(key in value and value[key] in ([], {}) for key in _LISTS)
    zero = any(value.get(key) == 0 and value[key] is not False for key in _COUNTS)
    if (empty or zero) and len(body) <= SHORT:
        return Negative(N.ZERO_HITS, _excerpt(body))
    nothing = len(value) == 1 and next(iter(value.values())) is None
    return Negative(N.EMPTY, _excerpt(body)) if nothing else None


def _excerpt(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= EXCERPT else line[: EXCERPT - 3] + "..."
