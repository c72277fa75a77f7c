"""The parts of a JSON error body: its message, the fields it names, its type and status."""

from __future__ import annotations

import re
from typing import Any

from ctxaudit.knowledge.envelopes import HEAD
from ctxaudit.knowledge.error_table import LEAD, STATUSES, TYPES
from ctxaudit.knowledge.issue_fields import NAME, strings
from ctxaudit.patterns import regex

_FIELD_KEYS = (
    "field",
    "param",
    "parameter",
    "argument",
    "missing",
    "missing_fields",
    "fields",
    "property",
)
_STATUS_KEYS = ("code", "status", "statusCode", "status_code", "httpStatus", "http_status")
#: Words of a server that is busy: some send them with 403.
_THROTTLED = regex(r"rate[ _-]?limit|too many|quota|throttl|overload", re.IGNORECASE)
_DENIED = regex(r"\b(?:blocked|forbidden|denied|unauthori[sz]ed)\b", re.IGNORECASE)
_REQUIRED = regex(r"required|not a valid|may not be (?:blank|null)|invalid|must be", re.IGNORECASE)


def form_errors(body: dict[str, Any]) -> tuple[str, ...]:
    """Django style: every key is a field, every value a list of complaints."""
    for value in body.values():
        if not (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
            return ()
        if not _REQUIRED.search(value[0][:LEAD]):
            return ()
    return tuple(body) if len(body) <= 20 else ()


def is_record(body: dict[str, Any]) -> bool:
    """A record that tells of something else's failure: a job with an id and an error column."""
    return "id" in body and ("status" in body or "state" in body)


def says_no(body: dict[str, Any]) -> bool:
    """Does a body without an error key say that something failed?"""
    if body.get("isError") is True or body.get("is_error") is True:
        return True
    refused = body.get("ok") is False or body.get("success") is False
    status = body.get("status")
    bad = isinstance(status, str) and status.lower() in ("error", "failed", "failure")
    return (refused or bad) and isinstance(body.get("message", body.get("reason", "")), str)


def status_of(body: dict[str, Any]) -> int | None:
    """The HTTP or JSON-RPC status that a body with a message tells, if it is one of an error."""
    for key in _STATUS_KEYS:
        value = body.get(key)
        if isinstance(value, str) and value.isdigit() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and (400 <= value < 600 or value in STATUSES):
            return value if "message" in body or "error" in body or "detail" in body else None
    return None


def by_status(status: int | None) -> str | None:
    """The kind of failure (its value) that a status stands for."""
    if status is None:
        return None
    return "transient" if 500 <= status < 600 else STATUSES.get(status)


def by_type(body: dict[str, Any], error: Any) -> str | None:
    """The kind of failure (its value) that the body's type, code or one-word error stands for."""
    words = [body.get("type"), body.get("code"), body.get("name")]
    if isinstance(error, str) and " " not in error:
        words.append(error)
    for word in words:
        if isinstance(word, str):
            for pattern, kind in TYPES:
                if pattern.search(word[:80]):
                    return kind
    return None


def denies(body: dict[str, Any], *, by_words: bool) -> bool:
    """Does a body say "you may not", so that trying again is no use?

    By an HTTP status, or (``by_words``) by its message where it has none; a busy server denies not.
    """
    error = body.get("error", body.get("errors"))
    holders = (body, error) if isinstance(error, dict) else (body,)
    told = [
        value[:LEAD] for holder in holders for value in holder.values() if isinstance(value, str)
    ]
    if _THROTTLED.search("\n".join(told)):
        return False
    status = status_of(body)
    if status is not None and status > 0:
        return by_status(status) == "refused"
    return by_words and _DENIED.search(message_of(body, error)) is not None


def message_of(body: dict[str, Any], error: Any) -> str:
    """The words of an error body, wherever it keeps them."""
    pieces = [
        error,
        body.get("message"),
        body.get("reason"),
        body.get("detail"),
        body.get("msg"),
    ]
    if isinstance(error, list):
        pieces += [e.get("message", e.get("msg")) if isinstance(e, dict) else e for e in error[:10]]
    return "\n".join(piece for piece in pieces if isinstance(piece, str) and piece)[:HEAD]


def field_keys(body: dict[str, Any]) -> list[str]:
    """Fields named under keys such as ``param`` and ``missing_fields``."""
    names = []
    errors, details = body.get("errors"), body.get("details")
    several = [v for value in (errors, details) if isinstance(value, list) for v in value[:20]]
    for holder in (body, body.get("error"), details, *several):
        if isinstance(holder, dict):
            for key in _FIELD_KEYS:
                names += [n for n in strings(holder.get(key)) if NAME.match(n)]
    return names
