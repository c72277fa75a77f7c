"""Log content is hostile, and it holds secrets: what of it may reach a reader, and how."""

from __future__ import annotations

import re

#: Characters that do something to a terminal or a reader's eye instead of being shown.
ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
MASK = "[redacted]"
SECRETS = (
    re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]*PRIVATE KEY-----)?"
    ),
    re.compile(r"\b(?:sk|rk|pk)-(?:[A-Za-z]{2,12}-)?[A-Za-z0-9_\-]{20,200}"),
    re.compile(r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,100}"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,255}|\bgithub_pat_[A-Za-z0-9_]{20,255}"),
    re.compile(r"\bglpat-[A-Za-z0-9_\-]{16,64}|\bnpm_[A-Za-z0-9]{30,64}|\bhf_[A-Za-z0-9]{20,64}"),
    re.compile(r"\bxox[abeoprs]-[A-Za-z0-9\-]{10,250}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_\-]{35}"),
    re.compile(r"\beyJ[A-Za-z0-9_\-]{8,2000}\.[A-Za-z0-9_\-]{8,4000}(?:\.[A-Za-z0-9_\-]{0,2000})?"),
)
#: What follows one of these is a secret; the first group stays.
NAMED = (
    re.compile(r"(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/\-]{12,2000}=*"),
    re.compile(r"(\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{1,100}:)[^\s@/]{1,200}(?=@)"),
    re.compile(
        r"(?i)((?:pass(?:word|wd|phrase)?|pwd|secret|api[_\-]?key|access[_\-]?key|auth[_\-]?token|"
        r"access[_\-]?token|refresh[_\-]?token|client[_\-]?secret|private[_\-]?key)"
        r"\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?)(?!\[redacted\]|null\b|none\b|true\b|false\b)"
        r"[^\s\"',;}\\]{4,400}"
    ),
)


def redact(text: str) -> str:
    """The text without what looks like a secret."""
    for pattern in SECRETS:
        text = pattern.sub(MASK, text)
    for pattern in NAMED:
        text = pattern.sub(lambda match: match.group(1) + MASK, text)
    return text


def inert(text: str) -> str:
    """The text on one line, with every active character shown as an escape."""
    return ACTIVE.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    char = match.group()
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return named.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def excerpt(text: str, needle: str | None = None, width: int = 160) -> str:
    """A part of a text for a reader: around the needle, redacted, inert, at most so wide."""
    at = text.find(needle) if needle else -1
    start = max(0, at - width // 3) if at >= 0 else 0
    # Redact a wider part, so that a secret which begins outside is not shown by its tail.
    part = redact(text[max(0, start - 4000) : start + width * 4])
    offset = min(start, 4000) if start else 0
    shown = inert(part[offset:] if offset < len(part) else part)
    if len(shown) > width:
        shown = shown[: width - 1] + "…"
    return ("…" if start else "") + shown
