"""What a report tells, in the order in which it is told; every output for people draws it its own
way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ctxaudit.frozen import frozen
from ctxaudit.log import Problem
from ctxaudit.model import Cause, Severity
from ctxaudit.report import Numbered, Report, SessionReport

MAX_PROBLEMS = 20  # of one log; who has more looks at the first ones


@frozen
class Incident:
    """The findings that one decision led to, by turn; a finding without a cause is alone in it."""

    id: str
    findings: tuple[Numbered, ...]

    @property
    def worst(self) -> Severity:
        return max(item.finding.severity for item in self.findings)

    @property
    def cause(self) -> Cause | None:
        return self.findings[0].finding.cause

    @property
    def subjects(self) -> list[str]:
        """What the decision took, as far as the findings are about it."""
        causes = [item.finding.cause for item in self.findings]
        return list(dict.fromkeys(cause.subject for cause in causes if cause is not None))

    @property
    def fixes(self) -> list[str]:
        return list(dict.fromkeys(item.finding.fix for item in self.findings))

    @property
    def turns(self) -> list[int]:
        """The turns in which the model acted on what was missing."""
        return sorted({i.finding.where.turn for i in self.findings if not i.finding.state})


def incidents(findings: Iterable[Numbered]) -> list[Incident]:
    """Findings by the decision that led to them; the worst incident first, then by turn."""
    groups: dict[str, list[Numbered]] = {}
    for item in findings:
        groups.setdefault(item.incident or item.id, []).append(item)
    told = [Incident(ident, tuple(group)) for ident, group in groups.items()]
    return sorted(told, key=lambda i: (-i.worst, i.findings[0].finding.where.turn))


def not_checked(report: Report) -> dict[str, int]:
    """What the logs did not show, and in how many sessions; the same reason is told once."""
    sessions: dict[str, set[tuple[str, str]]] = {}
    for session in report.sessions:
        for reason in unseen(session):
            sessions.setdefault(reason, set()).add((session.log, session.session))
    return {reason: len(where) for reason, where in sessions.items()}


def unseen(session: SessionReport) -> list[str]:
    """What the log does not show of a session, and which rules could not look for that."""
    rules: dict[str, list[str]] = {}
    for rule, reason in session.unchecked:
        rules.setdefault(reason, []).append(rule)
    grouped = [f"{', '.join(codes)}: {reason}" for reason, codes in rules.items()]
    return [*session.notes, *grouped]


def problems(report: Report) -> Iterator[Problem]:
    """What could not be read or done; of each log the first ones, and how many more there are."""
    for log in report.logs:
        yield from log.problems[:MAX_PROBLEMS]
        if (more := len(log.problems) - MAX_PROBLEMS) > 0:
            yield Problem(log.path, 0, f"{more:,} more problems")
    yield from report.extra


def verdict(report: Report) -> str:
    """The exit code in words."""
    code = report.exit_code
    threshold = f"{report.fail_on.label} or worse, at least {report.min_confidence.label}"
    if code == 1:
        return f"violations ({threshold})"
    if code == 2:
        return "not all could be read or done" + (", and violations" if report.violated else "")
    if code == 3:
        return "nothing to audit"
    if report.violated:
        return f"violations ({threshold}), which --exit-zero lets pass"
    return f"no violation ({threshold})"


def counts(report: Report) -> str:
    """How many findings there are, on one line."""
    findings = report.findings()
    severities = Counter(item.finding.severity for item in findings)
    told = ", ".join(f"{severities[s]} {s.label}" for s in sorted(Severity, reverse=True))
    accepted = len(report.accepted())
    more = f", {accepted} more accepted" if accepted else ""
    plural = "" if len(findings) == 1 else "s"
    return f"{len(findings)} finding{plural} ({told}){more}"
