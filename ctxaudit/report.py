"""Everything that a run found, and everything that it could not look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from ctxaudit.frozen import frozen
from ctxaudit.log import Problem
from ctxaudit.model import Aspect, Confidence, Extent, Finding, Severity

if TYPE_CHECKING:
    from ctxaudit.timeline import Timeline


@frozen
class SessionReport:
    """What was seen of one session.

    ``unchecked`` are (rule code, reason); ``timeline`` is None unless an output draws it;
    ``traces`` are the trace and span of each turn, where the log is a trace; ``begins`` is the
    first call, by which copies of the session may be told.
    """

    log: str
    session: str
    format: str
    turns: int
    calls: int
    decisions: int
    extent: dict[Aspect, Extent]
    notes: tuple[str, ...]
    metrics: dict[str, float | int | bool | None]
    unchecked: tuple[tuple[str, str], ...] = ()
    timeline: Timeline | None = None
    traces: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    begins: str | None = None


@frozen
class Numbered:
    """A finding with its fingerprint and its incident's.

    ``violation``: it fails the run. ``accepted`` says why it does not count, None if it does.
    """

    id: str
    incident: str | None
    finding: Finding
    violation: bool = False
    accepted: str | None = None


@dataclass(slots=True)
class LogReport:
    """The audit of one log, or of the logs that one session is split over.

    ``fail_on`` and ``min_confidence`` are those of this log where it has its own.
    """

    path: str
    format: str | None = None
    sessions: list[SessionReport] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    midway: list[str] = field(default_factory=list)
    fail_on: Severity | None = None
    min_confidence: Confidence | None = None


@dataclass(slots=True)
class Report:
    """All findings and all that was not checked, in a fixed order.

    ``accept`` tells why a finding does not count, None if it does. ``extra`` are problems of no
    log: of a baseline, say.
    """

    logs: list[LogReport]
    fail_on: Severity = Severity.ERROR
    min_confidence: Confidence = Confidence.LIKELY
    exit_zero: bool = False
    accept: Callable[[Numbered], str | None] | None = None
    extra: list[Problem] = field(default_factory=list)
    _numbered: list[Numbered] | None = None

    @property
    def sessions(self) -> list[SessionReport]:
        return [session for log in self.logs for session in log.sessions]

    @property
    def problems(self) -> list[Problem]:
        return [problem for log in self.logs for problem in log.problems] + self.extra

    @property
    def audited(self) -> int:
        """How many logs were of a known format."""
        return sum(log.format is not None for log in self.logs)

    def by_log(self) -> Iterator[tuple[LogReport, list[Numbered]]]:
        """Every log with those of its findings that count."""
        numbered = iter(self.numbered())
        for log in self.logs:
            own = [next(numbered) for _ in log.findings]
            yield log, [item for item in own if item.accepted is None]

    def findings(self) -> list[Numbered]:
        """What counts, in the order of the logs and turns, numbered for good."""
        return [item for item in self.numbered() if item.accepted is None]

    def accepted(self) -> list[Numbered]:
        """What was found and does not count, in the same order."""
        return [item for item in self.numbered() if item.accepted is not None]

    def numbered(self) -> list[Numbered]:
        """All findings. They are numbered once: afterwards ``logs`` must not change."""
        if self._numbered is None:
            owners = [log for log in self.logs for _ in log.findings]
            items = number([finding for log in self.logs for finding in log.findings])
            self._numbered = [
                self._weighed(item, log) for item, log in zip(items, owners, strict=True)
            ]
        return self._numbered

    def _weighed(self, item: Numbered, log: LogReport) -> Numbered:
        found = item.finding
        fail_on = self.fail_on if log.fail_on is None else log.fail_on
        least = self.min_confidence if log.min_confidence is None else log.min_confidence
        accepted = self.accept(item) if self.accept else None
        violation = found.severity >= fail_on and found.confidence >= least
        return replace(item, violation=violation and accepted is None, accepted=accepted)

    @property
    def violated(self) -> bool:
        return any(item.violation for item in self.numbered())

    @property
    def exit_code(self) -> int:
        """0 clean, 1 violations, 2 not all could be done, 3 nothing to audit."""
        audited = any(session.turns for session in self.sessions)
        if any(audited or not problem.nothing for problem in self.problems):
            return 2
        if not audited:
            return 3
        return 1 if self.violated and not self.exit_zero else 0


def by_session(findings: Iterable[Numbered]) -> dict[str, list[Numbered]]:
    """Findings of one log by the session that they are in; none for any other session."""
    own: dict[str, list[Numbered]] = defaultdict(list)
    for item in findings:
        own[item.finding.where.session].append(item)
    return own


@frozen
class Totals:
    """What was looked at in some sessions."""

    turns: int
    calls: int
    decisions: int


def totals(sessions: Sequence[SessionReport]) -> Totals:
    """Turns, calls and pruning decisions of all the sessions."""
    return Totals(
        sum(session.turns for session in sessions),
        sum(session.calls for session in sessions),
        sum(session.decisions for session in sessions),
    )


def number(findings: Sequence[Finding]) -> list[Numbered]:
    """Fingerprint findings by what they are about; equal ones are told apart by their order."""
    seen: Counter[str] = Counter()
    out = []
    for finding in findings:
        base = fingerprint(
            finding.rule, finding.where.session, finding.tool, finding.handle, finding.about
        )
        seen[base] += 1
        ident = base if seen[base] == 1 else fingerprint(base, str(seen[base]))
        out.append(Numbered(ident, incident(finding), finding))
    return out


def incident(finding: Finding) -> str | None:
    """The fingerprint of the decision that led to a finding."""
    cause = finding.cause
    if cause is None:
        return None
    key = cause.decision or f"{cause.kind} {cause.subject}"
    return fingerprint("incident", finding.where.session, key)


def fingerprint(*parts: str | None) -> str:
    """16 hex digits for a tuple of texts."""
    joined = "\x1f".join(part or "" for part in parts)
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
