"""The documentation of a rule by its code, for outputs that carry it."""

from __future__ import annotations

import inspect

from ctxaudit.selection import catalogue


def documentation(code: str) -> tuple[str, str]:
    """A rule's first line and the whole of its text; empty where no rule has that code."""
    rule = next((rule for rule in catalogue()[0] if rule.code == code), None)
    text = inspect.getdoc(rule) or "" if rule is not None else ""
    return text.partition("\n")[0], text
