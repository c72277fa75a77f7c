"""The report that a person reads after an incident: what was pruned, what followed, what to do."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from io import StringIO
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ctxaudit.model import Confidence, Evidence, Finding, Location, Severity
from ctxaudit.report import LogReport, Numbered, Report, SessionReport
from ctxaudit.reporters.story import Incident, by_log, incidents, not_checked, problems, verdict
from ctxaudit.safe import clean, excerpt, inert

NAME = "rich"
PIPED = 100  # columns where there is no terminal, and COLUMNS does not say
NARROWEST = 40
STYLES = {
    Severity.CRITICAL: "bold red",
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
}
MAX_EVIDENCE = 4
MAX_LISTED = 12


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the report; without ``color`` it is plain text."""
    drawn = StringIO()
    console = Console(
        file=drawn,
        width=_width(stream),
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for log, findings in by_log(report):
        _log(console, log, findings)
    _summary(console, report)
    _not_checked(console, report)
    told = Text(f"exit code {report.exit_code}: {verdict(report)}", style="bold")
    console.print(told)
    text = "".join(f"{line.rstrip()}\n" for line in drawn.getvalue().split("\n"))
    stream.write(_encodable(text.rstrip("\n") + "\n", stream))


def _width(stream: IO[str]) -> int:
    given = os.environ.get("COLUMNS", "")
    if not stream.isatty() and not given.isdigit():
        return PIPED
    return max(shutil.get_terminal_size((PIPED, 24)).columns, NARROWEST)


def _encodable(text: str, stream: IO[str]) -> str:
    """Lines and dots that the stream cannot show become plain ones, anything else an escape."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.translate({ord("─"): "-", ord("…"): "...", ord("“"): '"', ord("”"): '"'})
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def _log(console: Console, log: LogReport, findings: list[Numbered]) -> None:
    _heading(console, f"{inert(log.path)} ({log.format})" if log.format else inert(log.path))
    for session in log.sessions:
        own = [item for item in findings if item.finding.where.session == session.session]
        _session(console, session, own)
    if not log.sessions:
        console.print(Text("  nothing audited", style="dim"))
    console.print()


def _heading(console: Console, title: str) -> None:
    line = "─" * (console.width - len(title) - 1)
    console.print(Text(f"{title} {line}".rstrip(), style="bold", overflow="fold"))


def _session(console: Console, session: SessionReport, findings: list[Numbered]) -> None:
    told = (
        f"session {inert(session.session) or '(unnamed)'}: {_count(session.turns, 'turn')}, "
        f"{_count(session.calls, 'call')}, {_count(session.decisions, 'pruning decision')}"
    )
    if not findings:
        told += ": sound" if session.decisions else ": nothing was pruned"
        told += " as far as the log shows"
    _indented(console, Text(told))
    for incident in incidents(findings):
        console.print()
        _incident(console, incident, session)
    tokens = session.metrics.get("affected_prompt_tokens")
    if findings and tokens:
        about = "about " if session.metrics.get("affected_prompt_tokens_estimated") else ""
        turns = _count(int(session.metrics.get("affected_turns") or 0), "affected turn")
        console.print()
        _indented(console, Text(f"in all {turns}, with {about}{tokens:,} tokens of prompt"))


def _incident(console: Console, incident: Incident, session: SessionReport) -> None:
    head = Text()
    head.append(incident.worst.label, style=STYLES[incident.worst])
    head.append(f"  incident {incident.id}", style="dim")
    _indented(console, head)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, justify="right", min_width=9)
    table.add_column(overflow="fold")
    cause = incident.cause
    if cause is not None:
        table.add_row(f"turn {cause.where.turn}", _cause(incident, session))
    shown: set[Evidence] = set()
    for item in incident.findings:
        found = item.finding
        table.add_row(f"turn {found.where.turn}", _finding(found, session))
        for evidence in found.evidence[:MAX_EVIDENCE]:
            if evidence not in shown:
                shown.add(evidence)
                table.add_row("", _evidence(evidence, session))
        if len(found.evidence) > MAX_EVIDENCE:
            more = f"and {len(found.evidence) - MAX_EVIDENCE} more places"
            table.add_row("", Padding(Text(more, style="dim"), (0, 0, 0, 2)))
    table.add_row("cost", Text(_cost(incident)))
    for fix in incident.fixes:
        table.add_row("fix", Text(clean(fix), style="green"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _cause(incident: Incident, session: SessionReport) -> Text:
    cause = incident.cause
    text = Text()
    if cause is None:
        return text
    text.append(clean(f"{cause.kind}: {_listed(incident.subjects)}"), style="bold")
    by = f" by {cause.actor}" if cause.actor else ""
    why = f": {cause.reason}" if cause.reason else ""
    text.append(clean(f" ({'logged' if cause.explicit else 'inferred'}{by}{why})"))
    text.append(f" [{_place(cause.where, session)}]", style="dim")
    return text


def _finding(finding: Finding, session: SessionReport) -> Text:
    text = Text()
    text.append(f"{finding.rule} {finding.name}", style=STYLES[finding.severity])
    sure = "" if finding.confidence is Confidence.PROVEN else f", {finding.confidence.label}"
    text.append(f" ({finding.severity.label}{sure}) ")
    text.append(clean(finding.message))
    text.append(f" [{_place(finding.where, session)}]", style="dim")
    return text


def _evidence(evidence: Evidence, session: SessionReport) -> Padding:
    text = Text(style="dim")
    place = _place(evidence.where, session)
    text.append(f"{evidence.role}, turn {evidence.where.turn}, {place}: ")
    text.append(excerpt(evidence.excerpt), style="italic")
    return Padding(text, (0, 0, 0, 2))


def _cost(incident: Incident) -> str:
    turns = incident.turns
    if not turns:
        return "no call relied on it in this log"
    listed = _listed([str(turn) for turn in turns])
    return f"{_count(len(turns), 'affected turn')}: {listed}"


def _summary(console: Console, report: Report) -> None:
    findings = [found for log in report.logs for found in log.findings]
    severities = Counter(found.severity for found in findings)
    counts = [
        f"{severities[s]:,} {s.label}" for s in sorted(Severity, reverse=True) if severities[s]
    ]
    _heading(console, "summary")
    told = _count(len(findings), "finding")
    _indented(console, Text(f"{told}: {', '.join(counts)}" if counts else told))
    rules = Counter(f"{found.rule} {found.name}" for found in findings)
    if rules:
        _indented(console, Text(", ".join(f"{rule} {n:,}" for rule, n in sorted(rules.items()))))
    sessions = report.sessions
    audited = (
        f"audited {_count(sum(log.format is not None for log in report.logs), 'log')}, "
        f"{_count(len(sessions), 'session')}, "
        f"{_count(sum(s.turns for s in sessions), 'turn')}, "
        f"{_count(sum(s.calls for s in sessions), 'call')}, "
        f"{_count(sum(s.decisions for s in sessions), 'pruning decision')}"
    )
    _indented(console, Text(audited))
    asked = sum(int(s.metrics.get("reexpansion_requests") or 0) for s in sessions)
    if asked:
        _indented(console, Text(f"{_count(asked, 'request')} for withheld tools or content"))


def _not_checked(console: Console, report: Report) -> None:
    reasons = not_checked(report)
    if reasons or report.problems:
        _heading(console, "not checked")
    for reason, sessions in reasons.items():
        _indented(console, Text(f"{clean(reason)} ({_count(sessions, 'session')})"))
    for problem in problems(report):
        where = f"{inert(problem.path)}:{problem.line}" if problem.line else inert(problem.path)
        _indented(console, Text(f"{where}: {clean(problem.message)}", style="red"))


def _indented(console: Console, text: Text) -> None:
    text.overflow = "fold"
    console.print(Padding(text, (0, 0, 0, 2)))


def _place(where: Location, session: SessionReport) -> str:
    """A line of the session's log, or of another one that the session goes on in."""
    if where.path == session.log:
        return f"line {where.line}"
    return f"{inert(where.path)}:{where.line}"


def _listed(items: list[str]) -> str:
    more = len(items) - MAX_LISTED
    return ", ".join(items[:MAX_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
