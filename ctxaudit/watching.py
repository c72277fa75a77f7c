"""Logs that are being written: audited anew when they have grown, each finding told once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ctxaudit.audit import Input, Options, audit_one, expand
from ctxaudit.parallel import wanted
from ctxaudit.report import LogReport, Numbered, Report

Stamp = tuple[int, int]
PATIENCE = 10  # times as long as an audit took, before the same log is audited again


@dataclass(slots=True)
class Watched:
    """One log: what it was when it was last read, and when it may be read again."""

    stamp: Stamp = (-1, -1)
    due: float = 0.0
    told: set[str] = field(default_factory=set)
    report: LogReport | None = None


class Watch:
    """Looks at paths again and again. ``build`` makes a report of what was audited."""

    def __init__(
        self,
        paths: Sequence[str],
        options: Options,
        build: Callable[[list[LogReport]], Report],
        clock: Callable[[], float] = time.monotonic,
        *,
        exclude: Sequence[str] = (),
    ) -> None:
        self.paths, self.options, self.build, self.clock = paths, options, build, clock
        self.exclude = exclude
        self.logs: dict[str, Watched] = {}

    def look(self) -> Iterator[Numbered]:
        """What is new since the last look, in the order of the logs."""
        for item in self._inputs():
            known = self.logs.setdefault(item.path, Watched())
            stamp = _stamp(item.path)
            now = self.clock()
            if stamp == known.stamp or now < known.due:
                continue
            known.stamp = stamp
            report = audit_one(Input(item.path, found=True), self.options)
            known.due = now + PATIENCE * (self.clock() - now)
            if report is None:
                continue
            known.report = report
            for numbered in self.build([report]).findings():
                if numbered.id not in known.told:
                    known.told.add(numbered.id)
                    yield numbered

    def _inputs(self) -> Iterator[Input]:
        for path in self.paths:
            for item in expand([path]):
                if wanted(item, path, self.exclude):
                    yield item

    def report(self) -> Report:
        """All that was audited, as it was at the last look."""
        return self.build([one.report for one in self.logs.values() if one.report is not None])


def _stamp(path: str) -> Stamp:
    """Size and time of a log; of a folder, of all that is in it."""
    where = Path(path)
    try:
        files = [where] if where.is_file() else [p for p in where.rglob("*") if p.is_file()]
        stats = [file.stat() for file in files]
    except OSError:
        return (-1, -1)
    return sum(s.st_size for s in stats), max((s.st_mtime_ns for s in stats), default=0)
