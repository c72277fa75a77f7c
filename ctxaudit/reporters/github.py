"""Annotations of a GitHub workflow: commands on standard output, the gravest first.

A step shows ten errors, ten warnings and ten notices; what is beyond that is counted at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import IO

from ctxaudit.log import Problem
from ctxaudit.model import Severity
from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.concise import place
from ctxaudit.reporters.places import shown
from ctxaudit.reporters.ranked import by_gravity
from ctxaudit.reporters.story import counts, problems
from ctxaudit.safe import clean, inert

NAME = "github"
MOST = 10
LISTED = 5  # problems in their annotation
COMMANDS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write findings as far as they are shown, one annotation for all problems, and the counts."""
    failed = list(problems(report))
    used = Counter({"error": 1 if failed else 0})
    left_out = 0
    for item in by_gravity(report.findings()):
        command = COMMANDS[item.finding.severity]
        if used[command] == MOST:
            left_out += 1
            continue
        used[command] += 1
        stream.write(f"{_annotation(command, item)}\n")
    if failed:
        stream.write(f"{_problems(failed)}\n")
    more = f"; {left_out} more are not annotated" if left_out else ""
    stream.write(f"ctxaudit: {counts(report)}{more}\n")


def _annotation(command: str, item: Numbered) -> str:
    found = item.finding
    title = f"{found.rule} {found.name} ({found.severity.label}), turn {found.where.turn}"
    told = [clean(found.message), f"Fix: {clean(found.fix)}"]
    return _command(command, found.where.path, found.where.line, title, told)


def _problems(failed: Sequence[Problem]) -> str:
    first = failed[0]
    told = [f"{place(p.path, p.line)}: {clean(p.message)}" for p in failed[:LISTED]]
    if len(failed) > LISTED:
        told.append(f"and {len(failed) - LISTED} more")
    return _command("error", first.path, first.line, "Not all could be read or done", told)


def _command(command: str, path: str, line: int, title: str, told: Sequence[str]) -> str:
    at = f"file={_property(inert(shown(path)))}" + (f",line={line}" if line else "")
    return f"::{command} {at},title={_property(clean(title))}::{_data(chr(10).join(told))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
