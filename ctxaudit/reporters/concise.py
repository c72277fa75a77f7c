"""One line a finding, so that an editor or a terminal can jump to it, and a line of counts."""

from __future__ import annotations

from typing import IO

from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.story import counts, problems
from ctxaudit.safe import clean, inert

NAME = "concise"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """``path:line: severity CODE session:turn message``, in the order of the logs."""
    for item in report.findings():
        stream.write(f"{line(item)}\n")
    for problem in problems(report):
        at = f"{inert(problem.path)}:{problem.line}" if problem.line else inert(problem.path)
        stream.write(f"{at}: problem: {clean(problem.message)}\n")
    stream.write(f"{counts(report)}\n")


def line(item: Numbered) -> str:
    """A finding on one line."""
    found, where = item.finding, item.finding.where
    return (
        f"{inert(where.path)}:{where.line}: {found.severity.label} {found.rule} "
        f"{clean(where.session)}:{where.turn} {clean(found.message)}"
    )
