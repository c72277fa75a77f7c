"""Where a handle stands in the text of a span, and which one is a slip of another."""

from __future__ import annotations

import json
import re

from ctxaudit.knowledge.handle_shapes import HAS_DIGIT, HEX
from ctxaudit.patterns import regex

_ESCAPES = frozenset("ntrbf")


def mentions(text: str, value: str) -> bool:
    """Does ``value`` stand in the text as a whole, between characters of no identifier?

    Forms with a trailing slash, a leading ``./`` and JSON escapes count as the same.
    """
    if not value:
        return False
    value = value.removeprefix("./") if len(value) > 3 else value
    value = value.rstrip("/") or value
    if _stands(text, value, value):
        return True
    if "\\" in text and ("/" in value or "\\" in value or not value.isascii()):
        escaped = json.dumps(value)[1:-1]
        forms = {escaped, escaped.replace("/", "\\/")} - {value}
        return any(_stands(text, form, value) for form in forms)
    return False


def _stands(text: str, form: str, value: str) -> bool:
    start = text.find(form)
    while start >= 0:
        if _free_left(text, start, value) and _free_right(text, start + len(form), value):
            return True
        start = text.find(form, start + 1)
    return False


def _is_part(char: str) -> bool:
    return char.isalnum() or char == "_"


def _free_left(text: str, start: int, value: str) -> bool:
    if start == 0:
        return True
    char = text[start - 1]
    if _is_part(char):
        if not (_is_part(value[0]) or value[0] in "/~"):
            return True
        return _is_escape(text, start)
    return not (value.isdigit() and char in ".," and text[max(0, start - 2)].isdigit())


def _is_escape(text: str, start: int) -> bool:
    r"""Is the letter before ``start`` the end of a JSON escape (``\n``, ``\u0022``)?"""
    if text[start - 1] in _ESCAPES and text[start - 2 : start - 1] == "\\":
        return text[start - 3 : start - 2] != "\\"
    return start >= 6 and text[start - 6 : start - 4] == "\\u" and not _letter(text, start - 6)


def _letter(text: str, at: int) -> bool:
    r"""Is the escape (``\u00e9``) at a place that of a letter or a figure?"""
    try:
        return _is_part(chr(int(text[at + 2 : at + 6], 16)))
    except ValueError:
        return False


def _free_right(text: str, end: int, value: str) -> bool:
    char, beyond = text[end : end + 1], text[end + 1 : end + 2]
    if not char:
        return True
    if char == "\\" and beyond == "u" and _is_part(value[-1]):
        return not _letter(text, end)
    if _is_part(char):
        return not _is_part(value[-1])
    if value.isdigit():
        return not (char in ".," and beyond.isdigit())
    return not ("/" in value and char in ".-" and _is_part(beyond))


# -- near copies --------------------------------------------------------------------------------

_PREFIX = regex(r"[A-Za-z#]+[-_:#]?")
LONG = 14  # characters from which an id is random enough to be known by most of them


def near(value: str, other: str) -> bool:
    """Is ``value`` a slip of ``other``: the same prefix and shape, a character or two apart?

    Neighbours in a short numbering (``run_1``, ``run_2``) are two things, not a slip.
    """
    if value == other or abs(len(value) - len(other)) > 1 or min(len(value), len(other)) < 6:
        return False
    if "/" in value or " " in value or not (HAS_DIGIT.search(value) and HAS_DIGIT.search(other)):
        return False
    if _is_long_slip(value, other):
        return True
    if not _same_prefix(value, other) or _is_next_in_line(value, other):
        return False
    if len(value) == len(other) >= 16 and value[: len(value) // 2] == other[: len(value) // 2]:
        return _shape(value) == _shape(other) or HEX.fullmatch(value.replace("-", "")) is not None
    allowed = 2 if min(len(value), len(other)) >= 8 else 1
    return _distance(value, other, allowed) <= allowed


def _is_long_slip(value: str, other: str) -> bool:
    """Do two long random ids differ in one or two places only? Chance does not do that."""
    if len(value) != len(other) or len(value) < LONG:
        return False
    apart = [(a, b) for a, b in zip(value, other, strict=True) if a != b]
    tail = value[: -len(apart)] == other[: -len(apart)]  # counted up, as time-ordered ids are
    return len(apart) <= 2 and not tail and all(a.isalnum() and b.isalnum() for a, b in apart)


def _same_prefix(value: str, other: str) -> bool:
    one, two = _PREFIX.match(value), _PREFIX.match(other)
    if one and two and one[0][-1] in "-_:#":
        return one[0].lower() == two[0].lower()
    return value[:2].lower() == other[:2].lower()


def _is_next_in_line(value: str, other: str) -> bool:
    """Do they differ only by a short number at one place?"""
    one, two = re.split(r"(\d+)", value), re.split(r"(\d+)", other)
    if len(one) != len(two):
        return False
    apart = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return len(apart) == 1 and all(part.isdigit() and len(part) <= 3 for part in apart[0])


def _shape(value: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value)))


def _distance(value: str, other: str, limit: int) -> int:
    """Edit distance; anything above ``limit`` may come out as ``limit + 1``."""
    if len(value) > 128:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, a in enumerate(value, 1):
        previous, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
        if min(row) > limit:
            return limit + 1
    return row[-1]
