"""The fields that a validation error names: in words, or in issue lists (zod, ajv, pydantic)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ctxaudit.knowledge.envelopes import HEAD
from ctxaudit.knowledge.field_table import FIELDS, NO_FIELD
from ctxaudit.patterns import regex

NAME = regex(r"[A-Za-z_$][\w.$\[\]-]{0,120}\Z")


def named_fields(text: str) -> tuple[str, ...]:
    """The parameters that a validation error names, in the order of the table, without repeats."""
    head = text[:HEAD]
    lower = head.lower()
    names = dict.fromkeys(issue_fields(head))
    for hint, pattern in FIELDS:
        if hint in lower:
            for match in pattern.finditer(head):
                names.update(dict.fromkeys(_split(match[1])))
    return tuple(names)


def _split(listed: str) -> Iterator[str]:
    for piece in re.split(r",|\s+and\s+|\s", listed.strip()):
        name = piece.strip("`'\" :").strip(".").replace("/", ".").strip(".")
        if NAME.match(name) and name.lower() not in NO_FIELD:
            yield name


def issue_fields(head: str) -> list[str]:
    """Fields of the first JSON list of issues in a text (zod, MCP, pydantic's JSON form)."""
    if '"path"' not in head and '"loc"' not in head and '"instancePath"' not in head:
        return []
    for at in [m.start() for m in re.finditer(r"[\[{]", head)][:8]:
        value = decode(head, at)
        if value is not None and (fields := fields_of(value, 0)):
            return fields
    paths = re.findall(r'"(?:path|loc)":\s{0,4}\[([^\]\n{}]{1,200})\]', head)
    return [_dotted(re.findall(r'"([^"]{1,80})"|(\d{1,6})', path)) for path in paths]


def decode(text: str, at: int) -> Any:
    """The JSON value that begins at ``at``, whatever follows it; None if there is none."""
    try:
        return _DECODER.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        return None


_DECODER = json.JSONDecoder()


def _dotted(pieces: list[tuple[str, str]]) -> str:
    return ".".join(name or index for name, index in pieces)


def fields_of(value: Any, depth: int) -> list[str]:
    """Paths named by issue objects anywhere in ``value`` (four levels)."""
    if depth > 4:
        return []
    if isinstance(value, list):
        return [field for item in value[:50] for field in fields_of(item, depth + 1)]
    if not isinstance(value, dict):
        return []
    own = _issue(value)
    return own or [f for item in list(value.values())[:20] for f in fields_of(item, depth + 1)]


_NOT_IN_PATHS = frozenset({"body", "query", "header", "params", "arguments"})


def _issue(item: dict[str, Any]) -> list[str]:
    """The fields that one issue object names, empty if it is no issue object."""
    path = item.get("path", item.get("loc"))
    base = ""
    if isinstance(path, list) and _ISSUE_KEYS & item.keys():
        pieces = [str(piece) for piece in path if isinstance(piece, str | int)]
        base = ".".join(pieces[1:] if pieces[:1] and pieces[0] in _NOT_IN_PATHS else pieces)
    elif isinstance(item.get("instancePath"), str) and _ISSUE_KEYS & item.keys():
        base = item["instancePath"].strip("/").replace("/", ".")
    else:
        return []
    params = item.get("params")
    extra = [*strings(item.get("keys"))]
    if isinstance(params, dict):
        extra += [
            *strings(params.get("missingProperty")),
            *strings(params.get("additionalProperty")),
        ]
    if extra:
        return [f"{base}.{name}" if base else name for name in extra]
    return [base] if base else []


_ISSUE_KEYS = frozenset({"message", "msg", "code", "type", "keyword", "expected"})


def strings(value: Any) -> list[str]:
    """A string, or the strings of a list."""
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def only_issues(value: list[Any]) -> bool:
    """Is a list one of issue objects and nothing else?"""
    return bool(value) and all(isinstance(item, dict) and _issue(item) for item in value[:20])
