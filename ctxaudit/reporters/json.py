"""The report as one JSON document, version 1: a public contract (``ctxaudit schema report``)."""

from __future__ import annotations

from collections import Counter
from typing import IO, Any

import orjson

from ctxaudit import __version__
from ctxaudit.model import Cause, Evidence, Severity
from ctxaudit.report import Numbered, Report, SessionReport, totals
from ctxaudit.safe import clean, excerpt, inert

NAME = "json"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole report, indented, with a newline at its end."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    stream.write(orjson.dumps(document(report), option=options).decode())


def document(report: Report) -> dict[str, Any]:
    """The report as plain data, in a fixed order."""
    findings = report.findings()
    return {
        "schema": "ctxaudit.report/1",
        "version": __version__,
        "summary": summary(report, findings),
        "sessions": [_session(session) for session in report.sessions],
        "findings": [finding(item) for item in findings],
        "not_checked": [
            {
                "log": inert(s.log),
                "session": clean(s.session),
                "rule": rule,
                "reason": clean(reason),
            }
            for s in report.sessions
            for rule, reason in s.unchecked
        ],
        "errors": [
            {"log": inert(problem.path), "line": problem.line, "message": clean(problem.message)}
            for problem in report.problems
        ],
    }


def summary(report: Report, findings: list[Numbered]) -> dict[str, Any]:
    """The counts that all outputs agree on."""
    severities = Counter(item.finding.severity for item in findings)
    rules = Counter(item.finding.rule for item in findings)
    seen = totals(report.sessions)
    return {
        "logs": report.audited,
        "sessions": len(report.sessions),
        "turns": seen.turns,
        "calls": seen.calls,
        "decisions": seen.decisions,
        "findings": len(findings),
        "by_severity": {s.label: severities[s] for s in sorted(Severity, reverse=True)},
        "by_rule": dict(sorted(rules.items())),
        "accepted": len(report.accepted()),
        "exit_code": report.exit_code,
    }


def _session(session: SessionReport) -> dict[str, Any]:
    return {
        "log": inert(session.log),
        "session": clean(session.session),
        "format": session.format,
        "turns": session.turns,
        "calls": session.calls,
        "decisions": session.decisions,
        "coverage": {
            **{aspect.value: extent.label for aspect, extent in session.extent.items()},
            "notes": [clean(note) for note in session.notes],
        },
        "metrics": session.metrics,
    }


def finding(item: Numbered) -> dict[str, Any]:
    """One finding as plain data."""
    found = item.finding
    return {
        "id": item.id,
        "rule": found.rule,
        "name": found.name,
        "family": found.family,
        "severity": found.severity.label,
        "confidence": found.confidence.label,
        "log": inert(found.where.path),
        "session": clean(found.where.session),
        "turn": found.where.turn,
        "line": found.where.line,
        "tool": _text(found.tool),
        "handle": _text(found.handle),
        "message": clean(found.message),
        "fix": clean(found.fix),
        "incident": item.incident,
        "cause": _cause(found.cause),
        "evidence": [_evidence(evidence) for evidence in found.evidence],
    }


def _cause(cause: Cause | None) -> dict[str, Any] | None:
    if cause is None:
        return None
    return {
        "kind": cause.kind,
        "turn": cause.where.turn,
        "line": cause.where.line,
        "subject": clean(cause.subject),
        "explicit": cause.explicit,
        "actor": _text(cause.actor),
        "reason": _text(cause.reason),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "role": evidence.role,
        "turn": evidence.where.turn,
        "line": evidence.where.line,
        "excerpt": excerpt(evidence.excerpt),
    }


def _text(text: str | None) -> str | None:
    return None if text is None else clean(text)
