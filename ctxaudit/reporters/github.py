"""Annotations of a GitHub workflow: commands on standard output, the gravest first.

A step shows ten errors, ten warnings and ten notices; what is beyond that is counted at the end.
"""

from __future__ import annotations

from typing import IO

from ctxaudit.model import Severity
from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.ranked import by_gravity
from ctxaudit.reporters.story import counts, problems
from ctxaudit.safe import clean, inert

NAME = "github"
MOST = 10
COMMANDS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write problems, then findings, as far as they are shown."""
    shown = dict.fromkeys(("error", "warning", "notice"), 0)
    left_out = 0
    lines = [
        _command("error", problem.path, problem.line, "ctxaudit", clean(problem.message))
        for problem in problems(report)
    ]
    shown["error"] = min(MOST, len(lines))
    left_out += len(lines) - shown["error"]
    lines = lines[:MOST]
    for item in by_gravity(report.findings()):
        command = COMMANDS[item.finding.severity]
        if shown[command] == MOST:
            left_out += 1
            continue
        shown[command] += 1
        lines.append(_annotation(command, item))
    for line in lines:
        stream.write(f"{line}\n")
    more = f"; {left_out} more are not annotated" if left_out else ""
    stream.write(f"ctxaudit: {counts(report)}{more}\n")


def _annotation(command: str, item: Numbered) -> str:
    found = item.finding
    title = f"{found.rule} {found.name} ({found.severity.label}), turn {found.where.turn}"
    text = f"{clean(found.message)}\nFix: {clean(found.fix)}"
    return _command(command, found.where.path, found.where.line, title, text)


def _command(command: str, path: str, line: int, title: str, text: str) -> str:
    place = f"file={_property(inert(path))},line={max(1, line)}"
    return f"::{command} {place},title={_property(clean(title))}::{_data(text)}"


def _data(text: str) -> str:
    kept = "\n".join(inert(line) for line in text.split("\n"))
    return kept.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
