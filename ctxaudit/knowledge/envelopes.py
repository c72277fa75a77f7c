"""A result without its runtime's wrapping: tags, command headers, exit codes, JSON wrappers."""

from __future__ import annotations

import json
import re
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.patterns import regex

#: Characters looked at: in words, in a JSON body.
HEAD, JSON_CAP = 6_000, 20_000

_ANSI = regex(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TAGGED = regex(r"\s*<(tool_use_error|error|tool_error)>(.*?)(?:</\1>\s*|\Z)", re.DOTALL)
_HEADER = regex(
    r"(?:(?:chunk id|wall time|original token count|total output lines|session id|output|command"
    r"|directory|process exited with code|process running with session id|exit code|script"
    r" (?:completed"
    r"|failed|running with cell id))\b[^\n]{0,200}(?:\n|\Z))+",
    re.IGNORECASE,
)
_EXIT_HEAD = regex(
    r"(?:process exited with code|exit code|<returncode>|command (?:exited|failed) with"
    r" (?:exit )?(?:code|status))[:= ]*(-?\d{1,5})",
    re.IGNORECASE,
)
_EXIT_TAIL = regex(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)|exit_code|returncode|finished with exit code)"
    r"[:= ]{1,3}(-?\d{1,5})[\])}.\"]{0,4}\s*(?:\Z|\n)",
    re.IGNORECASE,
)
_BRACKETS = (("{", "}"), ("[", "]"))
_TEXT_KEYS = ("output", "result", "content", "text", "stdout")
_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")


@frozen
class Envelope:
    """A result without its runtime's wrapping.

    ``text`` is what the tool said, ``exit`` the exit status of a command, ``flagged`` whether the
    wrapping itself says that this is an error, ``value`` the parsed body if it is a JSON container.
    """

    text: str
    exit: int | None = None
    flagged: bool = False
    value: Any = None


def parsed(text: str) -> Any:
    """The JSON object or array that ``text`` is, or None (also where it is too long to bother)."""
    stripped = text.strip()
    if len(stripped) > JSON_CAP or not stripped or (stripped[0], stripped[-1]) not in _BRACKETS:
        return None
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def unwrap(text: str) -> Envelope:
    """Strip tags, command headers and ``{"output": ...}`` wrappings from a result."""
    if "\x1b" in text[:HEAD]:
        text = _ANSI.sub("", text[: 2 * JSON_CAP])
    if tagged := _TAGGED.match(text):
        return Envelope(tagged[2].strip(), flagged=True)
    value = parsed(text)
    if value is not None:
        return _unwrap_json(text, value)
    return _unwrap_command(text)


def _unwrap_command(text: str) -> Envelope:
    head = text[:400].lstrip()
    code = (
        _EXIT_HEAD.search(head) if _HEADER.match(head) or head.startswith("<returncode>") else None
    )
    body = text
    if code or head[:9].lower() in ("wall time", "chunk id:") or head.startswith("Script "):
        body = _HEADER.sub("", text.lstrip(), count=1)
    code = code or _EXIT_TAIL.search(text[-160:])
    value = parsed(body) if body is not text else None
    return Envelope(body, int(code[1]) if code else None, value=value)


def _unwrap_json(text: str, value: Any) -> Envelope:
    if isinstance(value, list):
        texts = [v["text"] for v in value if isinstance(v, dict) and isinstance(v.get("text"), str)]
        if texts and len(texts) == len(value) and value[0].get("type") == "text":
            return _unwrap_command("\n".join(texts))
        return Envelope(text, value=value)
    flagged = value.get("isError") is True or value.get("is_error") is True
    code = _exit_of(value)
    if code is None and not flagged and len(value) > 1:
        return Envelope(text, value=value)
    for key in _TEXT_KEYS:
        inner = value.get(key)
        if isinstance(inner, list | dict):
            inner = json.dumps(inner)
        if isinstance(inner, str) and (inner or code is not None):
            nested = unwrap(inner) if inner != text else Envelope(inner)
            if code and not nested.text.strip() and isinstance(value.get("stderr"), str):
                nested = Envelope(value["stderr"])
            return Envelope(
                nested.text,
                nested.exit if code is None else code,
                flagged,
                nested.value,
            )
    return Envelope(text, code, flagged, value)


def _exit_of(value: dict[str, Any]) -> int | None:
    for holder in (value, value.get("metadata")):
        if isinstance(holder, dict):
            for key in _EXIT_KEYS:
                if isinstance(holder.get(key), int):
                    return int(holder[key])
    return None
