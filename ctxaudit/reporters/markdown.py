"""Markdown for a step's summary or a comment: counts, then incidents, the gravest first.

A step's summary may have a mebibyte; far less is readable. What does not fit is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO

from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.ranked import gravest
from ctxaudit.reporters.story import (
    Incident,
    counts,
    incidents,
    not_checked,
    problems,
    verdict,
)
from ctxaudit.safe import clean

NAME = "markdown"
MOST = 200_000  # bytes of incidents
MOST_UNSEEN = 50_000  # bytes of what was not checked
MOST_FINDINGS = 50  # of one incident
MOST_SUBJECTS = 12
LIMIT = 600  # characters of a text
#: What means something to Markdown or HTML wherever it stands, and what a forge makes a mention, a
#: reference, a link or a picture of.
SPECIAL = re.compile(r"[\\`*_\[\]<>&~|!$@#:%]|www(?=[.])", re.I)
ESCAPED = frozenset("\\`*_[]<>&~|!")
APART = "&#8203;"  # a space without width


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the summary."""
    stream.write(f"## ctxaudit: {_text(verdict(report))}\n\n{_counted(report)}\n")
    told = sorted(_told(report), key=lambda pair: -pair[1].worst)
    blocks = ["".join(f"{line}\n" for line in _incident(log, one)) for log, one in told]
    shown = _fitting(blocks, MOST)
    for block in blocks[:shown]:
        stream.write(f"\n{block}")
    if left_out := sum(len(one.findings) for _, one in told[shown:]):
        stream.write(f"\n{left_out} more findings do not fit here.\n")
    if lines := [f"- {line}\n" for line in _unseen(report)]:
        shown = _fitting(lines, MOST_UNSEEN)
        more = f"- and {len(lines) - shown} more\n" if shown < len(lines) else ""
        stream.write("\n### Not checked\n\n" + "".join(lines[:shown]) + more)


def _fitting(blocks: Iterable[str], most: int) -> int:
    """How many of the blocks fit."""
    shown = 0
    for block in blocks:
        most -= len(block.encode())
        if most < 0:
            break
        shown += 1
    return shown


def _counted(report: Report) -> str:
    rules = Counter(f"{i.finding.rule} {i.finding.name}" for i in report.findings())
    told = ", ".join(f"{_text(rule)} {count}" for rule, count in sorted(rules.items()))
    return _text(counts(report)) + (f": {told}" if told else "")


def _told(report: Report) -> Iterator[tuple[str, Incident]]:
    """All incidents with their logs; sessions of two logs may have the same name."""
    for log, findings in report.by_log():
        for incident in incidents(findings):
            yield log.path, incident


def _incident(log: str, incident: Incident) -> Iterator[str]:
    cause, where = incident.cause, incident.findings[0].finding.where
    subjects = incident.subjects
    what = ", ".join(_code(subject) for subject in subjects[:MOST_SUBJECTS])
    if len(subjects) > MOST_SUBJECTS:
        what += f" and {len(subjects) - MOST_SUBJECTS} more"
    yield f"### {incident.worst.label}: " + (
        f"{_text(cause.kind)} of {what}" if cause else "no decision known"
    )
    yield ""
    yield f"{_code(log)}, session {_code(where.session)}"
    yield ""
    if cause is not None:
        by = f" by {_code(cause.actor)}" if cause.actor else ""
        why = f": {_text(cause.reason)}" if cause.reason else ""
        known = "logged" if cause.explicit else "inferred"
        at = f"turn {cause.where.turn}, line {cause.where.line}"
        yield f"- {at}: {_text(cause.kind)} ({known}{by}){why}"
    shown, left_out = gravest(incident.findings, MOST_FINDINGS)
    yield from (_finding(item) for item in shown)
    if left_out:
        yield f"- and {left_out} more, none graver than these"
    yield from (f"- Fix: {_text(fix)}" for fix in incident.fixes[:3])


def _finding(item: Numbered) -> str:
    found = item.finding
    at = f"turn {found.where.turn}, line {found.where.line}"
    rule = _text(f"{found.rule} {found.name}")
    return f"- {at}: **{found.severity.label}** {rule}: {_text(found.message)}"


def _unseen(report: Report) -> Iterator[str]:
    for reason, sessions in not_checked(report).items():
        yield f"{_text(reason)} ({sessions} session{'' if sessions == 1 else 's'})"
    for problem in problems(report):
        line = f" line {problem.line}" if problem.line else ""
        yield f"{_code(problem.path)}{line}: {_text(problem.message)}"


def _text(text: str) -> str:
    """Words as words and nothing else, wherever they are in a line but at its beginning."""
    return SPECIAL.sub(_plain, clean(text, LIMIT))


def _plain(match: re.Match[str]) -> str:
    char = match.group()
    if char == "$":
        return "&#36;"
    told = f"\\{char}" if char in ESCAPED else char
    after = match.string[match.end() : match.end() + 1]
    joined = len(char) > 1 or (char in "@#:%!~&" and (after.isalnum() or after in ("/", "_", "*")))
    return told + APART if joined else told


def _code(name: str) -> str:
    """A name as code: nothing in it is looked at."""
    shown = clean(name, LIMIT) or "(unnamed)"
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if "`" in (shown[0], shown[-1]) or shown[0] == shown[-1] == " " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
