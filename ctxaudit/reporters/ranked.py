"""Findings where an output takes only so many: the gravest come first."""

from __future__ import annotations

from collections.abc import Sequence

from ctxaudit.report import Numbered


def gravest(findings: Sequence[Numbered], most: int) -> tuple[list[Numbered], int]:
    """At most so many findings, the gravest of them in the order of the report; how many are left
    out."""
    if len(findings) <= most:
        return list(findings), 0
    order = sorted(range(len(findings)), key=lambda n: _key(findings[n]))[:most]
    return [findings[n] for n in sorted(order)], len(findings) - most


def _key(item: Numbered) -> tuple[int, int, int]:
    found = item.finding
    return -int(item.violation), -int(found.severity), -int(found.confidence)


def by_gravity(findings: Sequence[Numbered]) -> list[Numbered]:
    """The gravest first; among equals, the order of the report."""
    return sorted(findings, key=_key)
