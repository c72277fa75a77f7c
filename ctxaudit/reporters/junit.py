"""JUnit XML: a suite a log, a test a session. Violations are failures, problems are errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from ctxaudit.log import Problem
from ctxaudit.report import LogReport, Numbered, Report, SessionReport
from ctxaudit.reporters.concise import line
from ctxaudit.reporters.story import by_log, problems
from ctxaudit.safe import clean, inert

NAME = "junit"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole document."""
    stream.write("\n".join(_document(report)) + "\n")


def _document(report: Report) -> Iterator[str]:
    told = list(problems(report))
    suites = [
        (log, found, [p for p in told if p.path == log.path]) for log, found in by_log(report)
    ]
    others = [p for p in told if all(p.path != log.path for log in report.logs)]
    tests = sum(max(1, len(log.sessions)) + bool(bad) for log, _, bad in suites) + len(others)
    failed = sum(len(_failed(log, found)) for log, found, _ in suites)
    broken = sum(bool(bad) for _, _, bad in suites) + len(others)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="ctxaudit" tests="{tests}" failures="{failed}" errors="{broken}">'
    for log, found, bad in suites:
        yield from _suite(log, found, bad)
    if others:
        count = len(others)
        yield f'<testsuite name="ctxaudit" tests="{count}" failures="0" errors="{count}">'
        for problem in others:
            yield from _error(problem.path, [problem])
        yield "</testsuite>"
    yield "</testsuites>"


def _failed(log: LogReport, findings: list[Numbered]) -> set[str]:
    """The sessions that have a violation."""
    known = {session.session for session in log.sessions}
    return {i.finding.where.session for i in findings if i.violation} & known


def _suite(log: LogReport, findings: list[Numbered], bad: list[Problem]) -> Iterator[str]:
    failed = _failed(log, findings)
    tests = max(1, len(log.sessions)) + bool(bad)
    name, errors = quoteattr(inert(log.path)), int(bool(bad))
    yield f'<testsuite name={name} tests="{tests}" failures="{len(failed)}" errors="{errors}">'
    for session in log.sessions:
        own = [i for i in findings if i.finding.where.session == session.session]
        yield from _case(log, session, own)
    if not log.sessions:
        yield f'<testcase classname={name} name="sessions"><skipped/></testcase>'
    if bad:
        yield from _error(log.path, bad)
    yield "</testsuite>"


def _case(log: LogReport, session: SessionReport, findings: list[Numbered]) -> Iterator[str]:
    violations = [item for item in findings if item.violation]
    others = [item for item in findings if not item.violation]
    name = quoteattr(clean(session.session) or "(unnamed)")
    yield f"<testcase classname={quoteattr(inert(log.path))} name={name}>"
    if violations:
        first = violations[0].finding
        told = f"{len(violations)} violations, first {first.rule} at turn {first.where.turn}"
        text = "\n".join(line(item) for item in violations)
        kind = quoteattr(first.rule)
        yield f"<failure type={kind} message={quoteattr(told)}>{escape(text)}</failure>"
    if others:
        yield f"<system-out>{escape(chr(10).join(line(item) for item in others))}</system-out>"
    yield "</testcase>"


def _error(path: str, bad: list[Problem]) -> Iterator[str]:
    text = "\n".join(f"line {p.line}: {clean(p.message)}" for p in bad)
    name = quoteattr(inert(path))
    yield (
        f'<testcase classname={name} name="reading"><error type="problem" '
        f"message={quoteattr(clean(bad[0].message))}>{escape(text)}</error></testcase>"
    )
