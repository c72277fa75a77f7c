"""Secrets in logs: what they look like, and the text without them."""

from __future__ import annotations

import re
from itertools import pairwise

from ctxaudit.patterns import regex

MASK = "[redacted]"

#: What is a secret by its own looks. Before each pattern, what every match of it holds one of: a
#: cheap test.
SECRETS = tuple(
    (tuple(marks.split()), regex(pattern))
    for marks, pattern in (
        (
            "PRIVATE",
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,8000}"
            r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
        ),
        (
            "sk- rk- pk-",
            r"\b(?:sk|rk|pk)-(?=[A-Za-z_\-]{0,200}[0-9])[A-Za-z0-9_\-]{20,250}",
        ),
        (
            "sk_ rk_ pk_ whsec_",
            r"\b(?:[srp]k|whsec)_(?:(?:live|test)_[A-Za-z0-9]{10,120}|[A-Za-z0-9]{24,120})",
        ),
        (
            "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
            r"\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,255}",
        ),
        ("glpat-", r"\bglpat-[A-Za-z0-9_\-]{16,64}"),
        ("npm_ hf_", r"\b(?:npm|hf)_[A-Za-z0-9]{20,64}"),
        ("pypi-", r"\bpypi-[A-Za-z0-9_\-]{40,250}"),
        ("dop_v1_ shpat_", r"\b(?:dop_v1|shpat)_[A-Fa-f0-9]{24,80}"),
        ("xox xapp-", r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9\-]{10,250}"),
        ("hooks.slack.com", r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,100}"),
        ("AKIA ASIA AROA", r"\b(?:AKIA|ASIA|AROA)[A-Z0-9]{16}\b"),
        ("AIza ya29.", r"\bAIza[A-Za-z0-9_\-]{35}|\bya29\.[\w\-]{20,400}"),
        ("SG.", r"\bSG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,100}"),
        (
            "eyJ",
            r"\beyJ[A-Za-z0-9_\-]{8,2000}\.[A-Za-z0-9_\-]{8,4000}(?:\.[A-Za-z0-9_\-]{0,2000})?",
        ),
    )
)
#: The assignment after a name, in JSON (be it quoted within a string), YAML, code or a URL.
GIVEN = r"\\{0,7}[\"']?\s{0,4}(?::|=>?)\s{0,4}\\{0,7}[\"']?"
#: A value: up to its closing quote where it has an opening one, else one word.
VALUE = (
    r"(?!\[redacted\]|(?:null|none|true|false|undefined)\b)"
    r"(?:(?<=[\"'])[^\"'\\\r\n]{1,400}|[^\s\"',;&}\\]{4,400})"
)
#: What follows one of these is a secret; the first group stays. The marks are in small letters.
NAMED = tuple(
    (tuple(marks.split()), regex(pattern))
    for marks, pattern in (
        (
            "authorization",
            rf"(?i)(authorization{GIVEN}(?:(?:bearer|basic|token|digest|apikey)\s{{1,4}})?+){VALUE}",
        ),
        (
            "bearer basic",
            r"(?i)(\b(?:bearer|basic)\s{1,4})(?=[A-Za-z._~+/\-]{0,200}[0-9=])"
            r"[A-Za-z0-9._~+/\-]{8,2000}=*",
        ),
        (
            "://",
            r"(\b[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s:/@\"']{0,100}:)[^\s/\"'<>]{1,200}(?=@)",
        ),
        ("://", r"(://)[A-Za-z0-9_\-]{20,200}(?=@)"),
        (
            "passw passp passc _pass -pass pwd secret",
            r"(?i)((?:passw(?:or)?d|passphrase|passcode|[_\-]pass|\bpwd(?!\W{1,9}[/~])|secret)"
            rf"{GIVEN}){VALUE}",
        ),
        (
            "key",
            r"(?i)((?:api|access|account|private|encryption|signing)[_\-]?key"
            rf"{GIVEN}){VALUE}",
        ),
        (
            "token",
            rf"(?i)((?:auth|access|refresh|bearer|id|session)[_\-]?token{GIVEN}){VALUE}",
        ),
        (
            "--",
            r"(?i)(--(?:password|passwd|token|api-?key|secret)[ =][\"']?)[^\s\"'\\]{4,400}",
        ),
    )
)
#: What follows one of these is a secret if it looks random: keys and tokens can be plain handles.
WEAK_NAMES = ("token", "key", "credential", "sig", "cookie", "session")
WEAK = regex(
    rf"(?i)((?:token|\bkey|[_\-]key|credentials?|sig(?:nature)?|cookie|session){GIVEN})"
    r"([A-Za-z0-9_\-+/.=]{20,400})"
)
#: Digests and UUIDs are handles.
HEX = regex(r"[0-9A-Fa-f\-]+=*")
RANDOM = 0.35  # changes between capitals, small letters and digits, for each character


def redact(text: str) -> str:
    """The text without what looks like a secret; what only might be one (an id, a digest) stays."""
    for marks, pattern in SECRETS:
        if any(mark in text for mark in marks):
            text = pattern.sub(MASK, text)
    lower = text.lower()
    for marks, pattern in NAMED:
        if any(mark in lower for mark in marks):
            text = pattern.sub(_named, text)
    return WEAK.sub(_if_random, text) if any(name in lower for name in WEAK_NAMES) else text


def _named(match: re.Match[str]) -> str:
    return match.group(1) + MASK


def _if_random(match: re.Match[str]) -> str:
    value = match.group(2)
    if HEX.fullmatch(value):
        return match.group()
    kinds = [char.isdigit() + 2 * char.isupper() for char in value if char.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return match.group(1) + MASK if changes >= RANDOM * len(value) else match.group()
