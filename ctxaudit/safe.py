"""Log content is hostile, and it holds secrets: what of it may reach a reader, and how."""

from __future__ import annotations

import re

from ctxaudit.patterns import regex
from ctxaudit.redaction import MASK, redact

#: Characters that do something to a terminal, a reader's eye or an encoder instead of being shown:
#: controls, bidirectional and invisible ones, halves of surrogate pairs, tags, what XML forbids.
#: And what begins ``##[error]`` or ``##vso[...]``, which build services obey anywhere in a line.
ACTIVE = regex(
    r"#(?=#[A-Za-z]{0,40}\[)|"
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
#: What a workflow obeys at the beginning of a line: ``::error::``, behind whatever blanks.
COMMAND = regex(r"(?m)^((?:[^\S\n]|\x1b\[[0-9;]*m)*)::")
NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
MARGIN = 4000  # characters before an excerpt in which a secret may begin that reaches into it
LIMIT = 2000  # characters of a message; a tool's name can be a megabyte long


def inert(text: str) -> str:
    """The text on one line, with every active character shown as an escape."""
    return ACTIVE.sub(_shown, text)


def lines_inert(text: str) -> str:
    """Lines of which none is a command of a workflow, wherever it was wrapped."""
    return COMMAND.sub(r"\1\\x3a:", text)


def _shown(match: re.Match[str]) -> str:
    char, code = match.group(), ord(match.group())
    if char in NAMED_ESCAPES:
        return NAMED_ESCAPES[char]
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def clean(text: str, limit: int = LIMIT) -> str:
    """A text for a reader: redacted, inert, and not longer than anybody would read."""
    return _cut(inert(redact(text[: limit + MARGIN])), limit)


def excerpt(text: str, needle: str | None = None, width: int = 160) -> str:
    """A part of a text for a reader: around the needle, redacted, inert, at most so wide."""
    at = max(0, text.find(needle)) if needle else 0
    lead = width // 3
    low = max(0, at - lead - MARGIN)
    part = redact(text[low : at + width * 4])
    # Redaction moves what follows it, and may take the needle itself.
    found = max(0, part.find(needle) if needle and needle in part else part.find(MASK))
    start = max(0, found - lead) if at else 0
    shown = inert(part[start:])
    before = "…" if low or start else ""
    return _cut(before + shown, width)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
