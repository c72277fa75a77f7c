"""GitLab's code quality report: a list of issues that merge requests show beside the change."""

from __future__ import annotations

from typing import IO, Any

import orjson

from ctxaudit.model import Severity
from ctxaudit.report import Numbered, Report, fingerprint
from ctxaudit.reporters.places import shown
from ctxaudit.reporters.story import problems
from ctxaudit.safe import clean, inert

NAME = "gitlab"
SEVERITIES = {
    Severity.CRITICAL: "blocker",
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.NOTE: "info",
}


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write findings, then problems."""
    issues = [_issue(item) for item in report.findings()]
    issues += [
        {
            "description": clean(problem.message),
            "check_name": "ctxaudit-problem",
            "fingerprint": fingerprint("problem", problem.path, str(problem.line), problem.message),
            "severity": "critical",
            "location": _place(problem.path, problem.line),
        }
        for problem in problems(report)
    ]
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    stream.write(orjson.dumps(issues, option=options).decode())


def _issue(item: Numbered) -> dict[str, Any]:
    found = item.finding
    return {
        "description": f"{found.rule} turn {found.where.turn}: {clean(found.message)}",
        "check_name": f"{found.rule} {found.name}",
        "fingerprint": item.id,
        "severity": SEVERITIES[found.severity],
        "location": _place(found.where.path, found.where.line),
    }


def _place(path: str, line: int) -> dict[str, Any]:
    return {"path": inert(shown(path)), "lines": {"begin": max(1, line)}}
