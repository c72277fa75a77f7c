"""What a SQL text does, by the words that its statements begin with."""

from __future__ import annotations

import re

from ctxaudit.patterns import regex

MAX_TEXT = 8_000
_COMMENT = regex(r"--[^\n]*|/\*[^*]*\*/")
_LITERAL = regex(r"'[^']*'")
_READ = regex(r"\s*\(?\s*(?:select|show|describe|desc|explain|values|table|from|\\d)\b", re.I)
_PRAGMA = regex(r"\s*pragma\s+\w+\s*(?:\([^)=]*\))?\s*$", re.I)
_ADDS = regex(r"\s*(?:insert|copy|call|exec|execute)\b", re.I)
_SETS = regex(
    r"\s*(?:update|delete|create|drop|alter|truncate|replace|merge|grant|revoke|reindex|vacuum"
    r"|rename|upsert|refresh|comment|set|lock|attach|detach|pragma|load|optimize)\b",
    re.I,
)
_NEUTRAL = regex(r"\s*(?:begin|commit|rollback|end|start|use|savepoint|analyze)\b|\s*$", re.I)
_WITH = regex(r"\s*with\b", re.I)
_INNER_ADDS = regex(r"\binsert\s+into\b", re.I)
_INNER_SETS = regex(r"\b(?:delete\s+from|update\s+[\w.\"]+\s+set|merge\s+into)\b", re.I)
_UPSERT = regex(r"\bon\s+(?:conflict|duplicate)\b|\binsert\s+or\s+(?:ignore|replace)\b", re.I)
_SQL = regex(
    r"\s*(?:select\s[^;]{0,2000}?\bfrom\b|select\s+[\d(*'@]|insert\s+(?:or\s+\w+\s+)?into\b"
    r"|update\s+\S+\s+set\b|delete\s+from\b|truncate\s|replace\s+into\b|merge\s+into\b"
    r"|(?:create|drop|alter)\s+(?:or\s+replace\s+)?(?:unique\s+|temp\s+|temporary\s+)?"
    r"(?:table|index|view|database|schema|user|role|function|trigger|sequence|type|extension)\b"
    r"|with\s+\w+\s+as\b|explain\s|pragma\s|show\s+(?:tables|databases|columns|index|create)\b)",
    re.I,
)


def looks_like_sql(text: str) -> bool:
    """Whether a text begins as a SQL statement does."""
    return bool(_SQL.match(text[:MAX_TEXT]))


def letter(text: str) -> str:
    """``r``, ``m``, ``a`` or ``u`` for all statements of a text."""
    plain = _LITERAL.sub("''", _COMMENT.sub(" ", text[:MAX_TEXT]))
    found = [_statement(part) for part in plain.split(";")]
    found = [item for item in found if item]
    if not found:
        return "u"
    for wanted in "amu":
        if wanted in found:
            return wanted
    return "r"


def _statement(text: str) -> str:
    if _NEUTRAL.match(text):
        return ""
    if _WITH.match(text):
        if _INNER_ADDS.search(text):
            return "a"
        return "m" if _INNER_SETS.search(text) else "r"
    if _READ.match(text) or _PRAGMA.match(text):
        return "r"
    if _ADDS.match(text):
        return "m" if _UPSERT.search(text) else "a"
    return "m" if _SETS.match(text) else "u"
