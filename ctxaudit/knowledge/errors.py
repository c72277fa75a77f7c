"""What executors and providers say when a call fails, and which kind of failure it is.

One table (``ROWS``) of wordings seen in public logs, then general shapes: lists of schema issues,
JSON error bodies, status codes. The log's own error flag is a hint only: real validation errors
come with the flag unset, and plain "no matches" answers come with it set.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.knowledge import error_bodies
from ctxaudit.knowledge.content import is_content, is_plain_none
from ctxaudit.knowledge.envelopes import HEAD, unwrap
from ctxaudit.knowledge.error_table import LEAD, ROWS
from ctxaudit.knowledge.error_words import hinted, last_line, match_row, stages_of
from ctxaudit.knowledge.issue_fields import (
    decode,
    fields_of,
    issue_fields,
    named_fields,
    only_issues,
)
from ctxaudit.patterns import regex

#: A longer text that merely begins like an error is content (a log, a page), unless it is flagged.
SHORT = 2_000
#: A longer text without any error prefix is content.
BARE = 500


class FailureKind(StrEnum):
    """Why a call failed. Only VALIDATION is about fields that the tool's schema would have told."""

    VALIDATION = "validation"
    UNKNOWN_TOOL = "unknown-tool"
    PAIRING = "pairing"
    MALFORMED = "malformed"
    TRANSIENT = "transient"
    REFUSED = "refused"
    GUARD = "guard"
    NOT_FOUND = "not-found"
    INTERRUPTED = "interrupted"
    BUSINESS = "business"


@frozen
class Failure:
    """A failed call, read from its result.

    ``fields`` are the parameters that the text names, as dotted paths (for a NameError: the name);
    ``tool`` is the tool that it names; ``signature`` is the table row that matched.
    """

    kind: FailureKind
    fields: tuple[str, ...] = ()
    tool: str | None = None
    signature: str = ""


_ROWS = tuple((FailureKind(row.kind), row) for row in ROWS)
#: Exit statuses with a meaning of their own: timeout(1), SIGINT.
_EXITS = {124: FailureKind.TRANSIENT, 130: FailureKind.INTERRUPTED}
#: What a command with a bad exit status can mean; its output may quote anything else.
_OF_COMMANDS = frozenset(
    {
        FailureKind.NOT_FOUND,
        FailureKind.TRANSIENT,
        FailureKind.REFUSED,
        FailureKind.INTERRUPTED,
        FailureKind.BUSINESS,
    }
)
#: Kinds whose wordings are everyday words: a long text that begins so is content.
_SHORT_ONLY = frozenset({FailureKind.NOT_FOUND, FailureKind.TRANSIENT, FailureKind.BUSINESS})
#: Kinds whose wordings are telling even at the head of a long text.
_LONG_KINDS = frozenset({FailureKind.VALIDATION, FailureKind.UNKNOWN_TOOL, FailureKind.REFUSED})


def failure(text: str, failed: bool | None = None) -> Failure | None:
    """What kind of failure a result tells of; None when it is none.

    ``failed`` is the log's own error flag. Set, it makes any text a failure except a plain "none
    found"; unset or absent, the text must begin like an error, or be one as a whole.
    """
    envelope = unwrap(text)
    flagged = failed is True or envelope.flagged or bool(envelope.exit)
    if is_plain_none(envelope.text[:BARE]) and not envelope.exit:
        return None
    if envelope.exit == 0 and failed is not True:
        return None
    if isinstance(envelope.value, dict):
        found = _of_body(envelope.value, 0)
    elif isinstance(envelope.value, list):
        found = _of_issues(envelope.value) if only_issues(envelope.value) else None
    else:
        found = _of_text(envelope.text, flagged)
    if found is None:
        return _unworded(envelope.exit) if flagged else None
    if envelope.exit and found.kind not in _OF_COMMANDS:
        return Failure(FailureKind.BUSINESS, signature="exit-status")
    return found


def _unworded(code: int | None) -> Failure:
    """A failure whose text says nothing known: the exit status or the flag alone."""
    kind = _EXITS.get(code or 0, FailureKind.BUSINESS)
    return Failure(kind, signature="exit-status" if code else "flag")


def _of_text(text: str, flagged: bool) -> Failure | None:
    """Classify prose; ``flagged`` texts are searched, others must begin with the wording."""
    head = last_line(text[:HEAD]) if text.startswith("Traceback (most recent") else text[:HEAD]
    if not flagged and (not hinted(head[:BARE]) or is_content(head)):
        return None
    stages, tool = stages_of(head)
    prefixed = len(stages) > 1
    if not flagged and not prefixed and len(text) > BARE and not _telling_start(head):
        return None
    for kind, row in _ROWS:
        if match := match_row(row, head, stages, flagged or prefixed):
            if kind in _SHORT_ONLY and not flagged and len(text) > SHORT:
                return None
            return Failure(kind, _named(kind, match, head), _tool(match) or tool, row.name)
    if flagged or (prefixed and len(text) <= SHORT):
        found = _of_embedded(head, tool)
        if found is None and prefixed:
            return Failure(FailureKind.BUSINESS, (), tool, "error-prefix")
        return found
    return None


def _telling_start(head: str) -> bool:
    """A long text without an error prefix can still be one: schema echoes, received arguments."""
    lead = head[:LEAD].lstrip()
    return any(row.pattern.match(lead) for kind, row in _ROWS if kind in _LONG_KINDS)


def _named(kind: FailureKind, match: re.Match[str], head: str) -> tuple[str, ...]:
    if kind is FailureKind.VALIDATION:
        return named_fields(head)
    groups = match.groupdict()
    name = groups.get("field") or groups.get("field2") or groups.get("field3")
    return (name,) if name else ()


def _tool(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    named = groups.get("tool") or groups.get("tool2")
    return named.rstrip(".:") if named else None


def _of_embedded(head: str, tool: str | None) -> Failure | None:
    """An error of unknown wording: it may still carry a JSON list of schema issues."""
    fields = tuple(issue_fields(head))
    if fields:
        return Failure(FailureKind.VALIDATION, fields, tool, "json-issues")
    if (at := head.find("{")) >= 0:
        body = decode(head, at)
        return _of_body(body, 0) if isinstance(body, dict) else None
    return None


def _of_issues(value: Any) -> Failure:
    return Failure(
        FailureKind.VALIDATION,
        tuple(dict.fromkeys(fields_of(value, 0))),
        None,
        "json-issues",
    )


def _of_body(body: dict[str, Any], depth: int) -> Failure | None:
    """Classify a JSON object; None when it is no error.

    A body that denies access is no passing trouble, whatever its words or its type sound like.
    """
    found = _of_object(body, depth)
    if found is None or found.kind is not FailureKind.TRANSIENT:
        return found
    if error_bodies.denies(body, by_words=found.signature == "json-body"):
        return Failure(FailureKind.REFUSED, (), found.tool, "json-denied")
    return found


def _of_object(body: dict[str, Any], depth: int) -> Failure | None:
    if depth > 3:
        return None
    if (fields := error_bodies.form_errors(body)) and depth == 0:
        return Failure(FailureKind.VALIDATION, fields, None, "form-errors")
    error = body.get("error", body.get("errors"))
    status = error_bodies.status_of(body)
    if not error and not status and not error_bodies.says_no(body):
        return _of_detail(body)
    if depth == 0 and not status and error_bodies.is_record(body):
        return None
    holder = error if isinstance(error, dict) else body
    if holder is not body:
        found = _of_body({"error": "", **holder, "ok": False}, depth + 1)
        if found is not None and found.kind is not FailureKind.BUSINESS:
            return _with_fields(found, body)
    return _of_parts(body, error, status)


def _of_parts(body: dict[str, Any], error: Any, status: int | None) -> Failure:
    """Judge by the message, then by issue lists and field keys, then by type, then by status."""
    message = error_bodies.message_of(body, error)
    found = _of_text(message, True) if message else None
    if found is not None and found.kind is not FailureKind.BUSINESS:
        return _with_fields(found, body)
    fields = (*fields_of(body, 0), *error_bodies.field_keys(body))
    if fields:
        return Failure(FailureKind.VALIDATION, tuple(dict.fromkeys(fields)), None, "json-fields")
    kind = FailureKind(
        error_bodies.by_type(body, error) or error_bodies.by_status(status) or "business"
    )
    if kind is FailureKind.VALIDATION:
        return Failure(kind, named_fields(message), None, "json-type")
    return Failure(kind, (), None, "json-body")


def _with_fields(found: Failure, body: dict[str, Any]) -> Failure:
    if found.kind is not FailureKind.VALIDATION:
        return found
    fields = dict.fromkeys((*found.fields, *fields_of(body, 0), *error_bodies.field_keys(body)))
    return Failure(found.kind, tuple(fields), found.tool, found.signature)


def _of_detail(body: dict[str, Any]) -> Failure | None:
    """FastAPI: ``{"detail": [{"loc": [...], "msg": ...}]}`` or ``{"detail": "Not Found"}``."""
    detail = body.get("detail")
    if isinstance(detail, list) and only_issues(detail):
        return _of_issues(detail)
    if isinstance(detail, str) and len(body) == 1:
        return _of_text(detail, False)
    return None


# -- proof of a withheld schema ------------------------------------------------------------------

_NOT_SENT = "schema was not sent to the API"
_SELECT = regex(r"select:([\w.\-/]{1,128})")
_FAILED_CALL = regex(r"([\w.\-/]{1,128}) (?:failed due to the following|was called with input)")


def schema_not_sent(text: str) -> str | None:
    """The tool whose schema the runtime (Claude Code) says it had not sent, None otherwise.

    The sentence follows a validation error; a page that merely quotes it does not begin like one.
    """
    head = text[:HEAD]
    at = head.find(_NOT_SENT)
    if at < 0:
        return None
    call = _FAILED_CALL.search(head, 0, LEAD)
    if call is None or call.end() > at:
        return None
    select = _SELECT.search(head, at)
    return select[1] if select else call[1]
