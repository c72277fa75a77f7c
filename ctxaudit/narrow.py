"""A part of what was audited: some sessions, some turns, logs that are new enough."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from ctxaudit.errors import UsageError
from ctxaudit.report import LogReport

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
Range = tuple[int, int | None]


def turn_range(text: str) -> Range:
    """``9``, ``5:12``, ``5:`` or ``:12`` as the first and the last turn. Raises: UsageError."""
    found = re.fullmatch(r"(\d*)(?::(\d*))?", text)
    if not found or not (found[1] or found[2]):
        raise UsageError(f"--turns {text}: not a turn or a range of turns such as 5:12")
    first = int(found[1] or 1)
    last = int(found[2]) if found[2] else None if ":" in text else first
    if last is not None and last < first:
        raise UsageError(f"--turns {text}: ends before it begins")
    return first, last


def moment(text: str, now: datetime | None = None) -> float:
    """``36h``, ``7d`` or a date as seconds since the epoch. Raises: UsageError."""
    now = now or datetime.now().astimezone()
    if found := re.fullmatch(r"(\d+)([mhdw])", text):
        try:
            return (now - timedelta(**{UNITS[found[2]]: int(found[1])})).timestamp()
        except OverflowError:
            return 0.0
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--since {text}: neither a time span such as 7d nor a date") from None
    return (then if then.tzinfo else then.astimezone()).timestamp()


def narrowed(
    logs: Iterable[LogReport], session: str | None, turns: Range | None
) -> list[LogReport]:
    """The reports without other sessions, and without findings of other turns."""
    first, last = turns or (0, None)

    def meant(name: str) -> bool:
        return session is None or fnmatchcase(name, session)

    return [
        replace(
            log,
            sessions=[s for s in log.sessions if meant(s.session)],
            findings=[
                f
                for f in log.findings
                if meant(f.where.session)
                and f.where.turn >= first
                and (last is None or f.where.turn <= last)
            ],
        )
        for log in logs
    ]
