"""One line a finding, so that an editor or a terminal can jump to it, and a line of counts."""

from __future__ import annotations

from typing import IO

from ctxaudit.model import Severity
from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.story import counts, problems
from ctxaudit.safe import clean, inert, lines_inert

NAME = "concise"
COLORS = {
    Severity.CRITICAL: "\x1b[1;31m",
    Severity.ERROR: "\x1b[31m",
    Severity.WARNING: "\x1b[33m",
    Severity.NOTE: "\x1b[36m",
}
PLAIN = "\x1b[0m"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write findings in the order of the logs, then problems, then the counts."""
    for item in report.findings():
        stream.write(f"{line(item, color=color)}\n")
    for problem in problems(report):
        stream.write(f"{place(problem.path, problem.line)}: problem: {clean(problem.message)}\n")
    stream.write(f"{counts(report)}\n")


def line(item: Numbered, *, color: bool = False) -> str:
    """``path:line: severity CODE message [session:turn tool/handle]``."""
    found, where = item.finding, item.finding.where
    level = found.severity.label
    if color:
        level = f"{COLORS[found.severity]}{level}{PLAIN}"
    about = "/".join(clean(name, 200) for name in (found.tool, found.handle) if name)
    at = f"{clean(where.session, 200)}:{where.turn} {about}".strip()
    told = f"{level} {found.rule} {clean(found.message)} [{at}]"
    return f"{place(where.path, where.line)}: {told}"


def place(path: str, line: int) -> str:
    """A path and the line in it, where there is one."""
    named = lines_inert(inert(path))
    return f"{named}:{line}" if line else named
