"""The documentation of a rule by its code, for outputs that carry it."""

from __future__ import annotations

import inspect

from ctxaudit.model import Severity
from ctxaudit.selection import catalogue


def documentation(code: str) -> tuple[str, str, Severity | None]:
    """A rule's first line, the whole of its text and its worst severity; nothing of a rule that is
    not here."""
    rule = next((rule for rule in catalogue()[0] if rule.code == code), None)
    if rule is None:
        return "", "", None
    text = inspect.getdoc(rule) or ""
    return text.partition("\n")[0], text, rule.severity
