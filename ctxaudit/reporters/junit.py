"""JUnit XML: a suite a log, a test a session. Violations are failures, problems are errors.

A test has one failure, with all its violations: most readers look at the first one only. What is no
violation, and what could not be checked, is its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from ctxaudit.log import Problem
from ctxaudit.report import LogReport, Numbered, Report, SessionReport, by_session
from ctxaudit.reporters.concise import line, place
from ctxaudit.reporters.ranked import by_gravity
from ctxaudit.reporters.story import problems, unseen
from ctxaudit.safe import clean, inert

NAME = "junit"
#: Characters of one text: readers that are built on libxml2 refuse ten million.
MOST = 1_000_000


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole document."""
    stream.write("\n".join(_document(report)) + "\n")


def _document(report: Report) -> Iterator[str]:
    bad: dict[str, list[Problem]] = {log.path: [] for log in report.logs}
    for problem in problems(report):
        bad.setdefault(problem.path, []).append(problem)
    suites = [_Suite(log, found, bad.pop(log.path, [])) for log, found in report.by_log()]
    suites += [_Suite(LogReport(path), [], told) for path, told in bad.items()]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    totals = " ".join(
        f'{name}="{sum(suite.counts[name] for suite in suites)}"' for name in _Suite.COUNTED
    )
    yield f'<testsuites name="ctxaudit" {totals}>'
    for suite in suites:
        yield from suite.lines()
    yield "</testsuites>"


class _Suite:
    """One log: its sessions, and whether it could be read."""

    COUNTED = ("tests", "failures", "errors", "skipped")

    def __init__(self, log: LogReport, findings: list[Numbered], bad: list[Problem]) -> None:
        self.log, self.bad = log, bad
        self.name = quoteattr(inert(log.path))
        self.own = by_session(findings)
        empty = not log.sessions and not bad
        self.counts = {
            "tests": len(log.sessions) + bool(bad) + empty,
            "failures": sum(any(i.violation for i in own) for own in self.own.values()),
            "errors": int(bool(bad)),
            "skipped": int(empty),
        }

    def lines(self) -> Iterator[str]:
        totals = " ".join(f'{name}="{count}"' for name, count in self.counts.items())
        yield f"<testsuite name={self.name} {totals}>"
        for session in self.log.sessions:
            yield from self._session(session, self.own[session.session])
        if self.bad:
            yield from self._reading()
        if self.counts["skipped"]:
            yield f'<testcase classname={self.name} name="reading"><skipped/></testcase>'
        yield "</testsuite>"

    def _session(self, session: SessionReport, findings: list[Numbered]) -> Iterator[str]:
        name = quoteattr(clean(session.session) or "(unnamed)")
        yield f"<testcase classname={self.name} name={name}>"
        if violations := [item for item in findings if item.violation]:
            worst = by_gravity(violations)[0].finding
            plural = "" if len(violations) == 1 else "s"
            told = (
                f"{len(violations)} violation{plural}, worst: {worst.severity.label} {worst.rule}"
            )
            told += f" at turn {worst.where.turn}: {clean(worst.message)}"
            text = _text(line(item) for item in violations)
            kind = quoteattr(f"{worst.rule} {worst.name}")
            yield f"<failure type={kind} message={quoteattr(told)}>{text}</failure>"
        others = [line(item) for item in findings if not item.violation]
        others += [f"not checked: {clean(reason)}" for reason in unseen(session)]
        if others:
            yield f"<system-out>{_text(others)}</system-out>"
        yield "</testcase>"

    def _reading(self) -> Iterator[str]:
        text = _text(f"{place(p.path, p.line)}: {clean(p.message)}" for p in self.bad)
        message = quoteattr(clean(self.bad[0].message))
        yield f'<testcase classname={self.name} name="reading">'
        yield f'<error type="problem" message={message}>{text}</error>'
        yield "</testcase>"


def _text(lines: Iterable[str]) -> str:
    """Lines as the content of an element, as many as readers take."""
    kept: list[str] = []
    size, more = 0, 0
    for told in lines:
        size += len(told)
        if size > MOST:
            more += 1
        else:
            kept.append(escape(told))
    return "\n".join([*kept, f"and {more} more"] if more else kept)
