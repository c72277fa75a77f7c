"""Markdown for a step's summary or a comment: counts, then incidents, as many as fit.

A step's summary may have a mebibyte; far less is readable. What does not fit is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from ctxaudit.report import LogReport, Numbered, Report
from ctxaudit.reporters.story import Incident, by_log, counts, incidents, not_checked, problems
from ctxaudit.reporters.story import verdict as verdict_of
from ctxaudit.safe import clean, inert

NAME = "markdown"
MOST = 200_000  # characters
#: Characters that mean something to Markdown or HTML, or make a mention or a link.
SPECIAL = "\\`*_{}[]()<>#+-.!|~&@:"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the summary."""
    stream.write(f"## ctxaudit: {_text(verdict_of(report))}\n\n{_text(counts(report))}\n")
    size, left_out = 0, 0
    for log, findings in by_log(report):
        for incident in incidents(findings):
            block = "".join(f"{line}\n" for line in _incident(log, incident))
            if size + len(block) > MOST:
                left_out += len(incident.findings)
                continue
            size += len(block)
            stream.write(f"\n{block}")
    if left_out:
        stream.write(f"\n{left_out} more findings do not fit here.\n")
    told = list(_unseen(report))
    if told:
        stream.write("\n### Not checked\n\n" + "".join(f"- {line}\n" for line in told))


def _incident(log: LogReport, incident: Incident) -> Iterator[str]:
    cause = incident.cause
    what = f"{cause.kind} of {', '.join(incident.subjects)}" if cause else "no decision known"
    where = incident.findings[0].finding.where
    yield f"### {incident.worst.label}: {_text(what)}"
    yield ""
    yield f"{_text(inert(log.path))}, session {_text(where.session)}"
    yield ""
    yield "| turn | line | rule | what happened |"
    yield "|---:|---:|---|---|"
    yield from (_row(item) for item in incident.findings)
    yield ""
    yield from (f"Fix: {_text(fix)}" for fix in incident.fixes[:3])


def _row(item: Numbered) -> str:
    found = item.finding
    rule = f"{found.rule} {found.name} ({found.severity.label})"
    return f"| {found.where.turn} | {found.where.line} | {_text(rule)} | {_text(found.message)} |"


def _unseen(report: Report) -> Iterator[str]:
    for reason, sessions in not_checked(report).items():
        yield f"{_text(reason)} ({sessions} sessions)"
    for problem in problems(report):
        line = f" line {problem.line}" if problem.line else ""
        yield f"{_text(inert(problem.path))}{line}: {_text(problem.message)}"


def _text(text: str) -> str:
    """Log content as text and nothing else."""
    return "".join(f"\\{char}" if char in SPECIAL else char for char in clean(text))
