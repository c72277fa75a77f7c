"""Handles: opaque identifiers in a call's arguments that only a binding explains.

Found by value: whole strings, and the identifier-like tokens of longer ones (commands, code,
URLs, prompts). Patterns decide the kind, and so the weight; whether a value *is* a handle is
for the caller to see, who knows whether an earlier span held it.

    {"run": "run_8841", "cmd": "cat /tmp/a.log"}   run_8841 OPAQUE, /tmp/a.log PATH
    {"limit": 20, "on": "2025-03-01", "mode": "fast"}   nothing
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from ctxaudit.frozen import frozen
from ctxaudit.knowledge import handle_looks as looks
from ctxaudit.knowledge import handle_shapes as shapes
from ctxaudit.patterns import regex


class HandleKind(StrEnum):
    """How much a value looks like an identifier; from strong to weak, but for URL and PATH."""

    OPAQUE = "opaque"  #: ``run_8841``, ``FQ8APE``, a hash, an ARN
    UUID = "uuid"
    PATH = "path"
    URL = "url"
    NUMBER = "number"  #: five digits and more, ``#123``, fewer under a name like ``session_id``
    WORD = "word"  #: ``june_invoices``, ``fetchRows``, an address: a name that may be common


@frozen
class Handle:
    """One identifier-like value and the dotted path of the argument that holds it."""

    value: str
    kind: HandleKind
    path: str


OPAQUE, UUID, PATH = HandleKind.OPAQUE, HandleKind.UUID, HandleKind.PATH
URL, NUMBER, WORD = HandleKind.URL, HandleKind.NUMBER, HandleKind.WORD

LONGEST = 512
SCAN = 16_000  #: of one long string, head and tail
MOST = 400  #: handles of one call
WORDS = regex(r"[^\s\"'`<>(){}\[\],;=]+")


def kind_of(value: str) -> HandleKind | None:
    """The kind of handle that a whole value looks like; None if it is no handle at all."""
    value = value.strip()
    if not 3 <= len(value) <= LONGEST or value.lower() in shapes.COMMON:
        return None
    if shapes.UUID.fullmatch(value):
        return UUID
    if shapes.URL.fullmatch(value):
        return None if shapes.LOCAL.fullmatch(value) else URL
    if shapes.ARN.fullmatch(value) or shapes.ISSUE.fullmatch(value):
        return OPAQUE
    if shapes.ISSUE_NUMBER.fullmatch(value):
        return NUMBER
    if looks.is_plain(value):
        return None
    if shapes.NUMBERS.fullmatch(value):
        return NUMBER if len(value.lstrip("#")) >= 5 else None
    if looks.is_path(value):
        return PATH
    return WORD if shapes.EMAIL.fullmatch(value) else _kind_of_token(value)


def _kind_of_token(value: str) -> HandleKind | None:
    if not shapes.TOKEN.fullmatch(value) or value.lower() in shapes.COMMON:
        return None
    if not shapes.HAS_LETTER.search(value):
        groups = len(re.findall(r"\d+", value))
        return OPAQUE if groups >= 2 and sum(map(str.isdigit, value)) >= 6 else None
    if shapes.HAS_DIGIT.search(value):
        return _kind_of_mixed(value)
    if looks.is_random(value):
        return OPAQUE
    if (
        shapes.SHOUTED.fullmatch(value)
        or shapes.SNAKE.fullmatch(value)
        or shapes.CAMEL.fullmatch(value)
    ):
        return WORD
    return None


def _kind_of_mixed(value: str) -> HandleKind | None:
    """Letters and digits: an identifier, unless it counts, versions or reads as a word."""
    if shapes.HEX.fullmatch(value):
        return OPAQUE
    if shapes.CHARACTER_CLASS.search(value):
        return None
    if counted := shapes.COUNTER.fullmatch(value):
        prefix, bare = counted[1], value[len(counted[1]) : len(counted[1]) + 1].isdigit()
        if prefix.lower() in shapes.COUNTED or len(value) < 4:
            return None
        return WORD if bare and prefix.islower() else OPAQUE
    if shapes.NAMED.fullmatch(value):
        return WORD
    if shapes.VERSIONED.fullmatch(value) and value.count("_") + value.count("-") > 1:
        return WORD
    return OPAQUE if shapes.HAS_DIGIT.search(shapes.SLUG_DATE.sub("", value)) else WORD


def handles(arguments: object) -> Iterator[Handle]:
    """Identifier-like values in a call's arguments, each value once per argument."""
    seen: set[tuple[str, str]] = set()
    for path, value in _leaves(arguments):
        for found, kind in _in_leaf(path, value):
            if (path, found) not in seen:
                seen.add((path, found))
                yield Handle(found, kind, path)
        if len(seen) >= MOST:
            return


def words(arguments: object) -> Iterator[tuple[str, str]]:
    """Whole values, and the words of longer ones, each with the dotted path of its argument."""
    for path, value in _leaves(arguments):
        text = str(value).strip()
        yield path, text
        if parts := WORDS.findall(text[:SCAN]):
            yield from ((path, part) for part in dict.fromkeys(parts) if part != text)


def _leaves(arguments: object) -> Iterator[tuple[str, str | int]]:
    """Strings and integers with their dotted paths, in order; no recursion into the depths."""
    stack: list[tuple[str, object]] = [("", arguments)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            items = [(f"{path}.{key}" if path else str(key), v) for key, v in value.items()]
            stack += reversed(items)
        elif isinstance(value, list | tuple):
            stack += [(f"{path}[{i}]", v) for i, v in reversed(list(enumerate(value)))]
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            yield path, value


def _in_leaf(path: str, value: str | int) -> Iterator[tuple[str, HandleKind]]:
    text = str(value).strip()
    name = _words_of(path)
    if text.lstrip("#").isdecimal() and text.isascii():
        if _counts(text, name) or looks.numbers_issue(text, name):
            yield text, NUMBER
        return
    if not isinstance(value, str) or not text:
        return
    kind = kind_of(text)
    if kind is WORD and not shapes.EMAIL.fullmatch(text) and _names_one(text, name):
        kind = OPAQUE
    if (
        kind is None
        and name & shapes.ID_NAMES
        and shapes.TOKEN.fullmatch(text)
        and not looks.is_plain(text)
    ):
        kind = WORD if len(text) >= 3 and text.lower() not in shapes.COMMON else None
    if kind is not None:
        yield (shapes.AT_LINE.sub("", text) if kind is PATH else text), kind
    if kind in (URL, PATH):
        yield from _segments(text)
    elif kind is None and len(text) > 3:
        yield from _in_text(text)


def _words_of(path: str) -> set[str]:
    """The words of the argument's own name, without list positions."""
    name = re.sub(r"\[\d+\]", "", path).rsplit(".", 1)[-1]
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    return words | {word[:-1] for word in words if word.endswith("s")}


def _counts(digits: str, name: set[str]) -> bool:
    """Is a number an identifier? By its name, or long, not round and no quantity or date."""
    if name & shapes.NUMBERED:
        return not (name & shapes.QUANTITIES and name & {"max", "min", "count"})
    figures = digits.lstrip("#")
    round_one = figures.endswith("000")
    return len(figures) >= 5 and not (
        name & shapes.QUANTITIES or round_one or looks.is_plain(digits)
    )


def _names_one(text: str, name: set[str]) -> bool:
    """An argument called ``.._id`` whose value is shouted or has a digit: ``reservation_id``."""
    return bool(name & shapes.ID_NAMES) and bool(
        shapes.SHOUTED.fullmatch(text) or shapes.HAS_DIGIT.search(text)
    )


def _segments(text: str) -> Iterator[tuple[str, HandleKind]]:
    """The identifiers inside a path or a URL; its plain words are no news."""
    for part in re.split(r"[/\\?&=#:,;]+", text[:LONGEST])[:60]:
        part = part.removesuffix(".git")
        stem = part.rsplit(".", 1)[0] if shapes.FILE.fullmatch(part) else part
        kind = kind_of(stem) if stem != text else None
        if kind in (UUID, OPAQUE, NUMBER) and (kind is not OPAQUE or looks.is_strong(stem)):
            yield stem, kind


def _in_text(text: str) -> Iterator[tuple[str, HandleKind]]:
    if len(text) > SCAN:
        text = text[: SCAN // 2] + "\n" + text[-SCAN // 2 :]
    for match in shapes.IN_TEXT.finditer(text):
        token = match[0].rstrip(".,;:!?-/")
        group = match.lastgroup
        if group == "url" and kind_of(token) is URL:
            yield token, URL
            yield from _segments(token)
        elif token and group in ("path", "relative", "file"):
            yield from _path_in_text(token, group)
        elif group == "issue":
            yield token, OPAQUE
        elif (kind := kind_of(token)) and _worth(token, kind, match):
            yield token, kind


def _path_in_text(token: str, group: str) -> Iterator[tuple[str, HandleKind]]:
    if looks.is_plain(token):
        return
    if group == "path" and token[0] == "/" and token.count("/") < 2 and "." not in token:
        return  # a route, a closing tag, a slash command
    if group == "relative" and not (
        shapes.FILE.fullmatch(token.rsplit("/", 1)[-1])
        or token.count("/") > 1
        or shapes.HAS_DIGIT.search(token)
    ):
        return
    if kind_of(token) is PATH:
        yield token, PATH
        yield from _segments(token)


def _worth(token: str, kind: HandleKind, match: re.Match[str]) -> bool:
    """Inside a text the bar is higher: names need an underscore, identifiers must look odd."""
    if kind is NUMBER:
        if shapes.COLOUR.fullmatch(token):
            return False
        return _counts(token, set()) and match.string[match.end() : match.end() + 2] != ".0"
    if kind is WORD:
        return match.lastgroup == "mail" or (len(token) >= 6 and "_" in token.strip("_"))
    return kind is not OPAQUE or looks.is_strong(token)
