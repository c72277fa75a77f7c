"""The report that a person reads after an incident: what was pruned, what followed, what to do."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from io import StringIO
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule as Line
from rich.table import Table
from rich.text import Text

from ctxaudit.model import Cause, Confidence, Evidence, Finding, Severity
from ctxaudit.report import LogReport, Numbered, Report, SessionReport
from ctxaudit.safe import excerpt, inert, redact

NAME = "rich"
PIPED = 100  # columns where there is no terminal
STYLES = {
    Severity.CRITICAL: "bold red",
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
}
MAX_EVIDENCE = 4
MAX_TURNS = 12
EXITS = {
    0: "clean: nothing at or above the threshold",
    1: "violations",
    2: "not all could be read or done",
    3: "nothing to audit",
}


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the report; without ``color`` it is plain text."""
    width = shutil.get_terminal_size((PIPED, 24)).columns if stream.isatty() else PIPED
    drawn = StringIO()
    console = Console(
        file=drawn,
        width=max(width, 40),
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    numbered = report.findings()
    for log in report.logs:
        _log(console, log, [n for n in numbered if n.finding.where.path == log.path or _in(n, log)])
    _summary(console, report, numbered)
    _not_checked(console, report)
    code = report.exit_code
    console.print(Text(f"exit code {code}: {EXITS[code]}", style="bold"))
    stream.writelines(f"{line.rstrip()}\n" for line in drawn.getvalue().splitlines())


def _in(item: Numbered, log: LogReport) -> bool:
    return item.finding in log.findings


def _log(console: Console, log: LogReport, findings: list[Numbered]) -> None:
    title = f"{inert(log.path)} ({log.format})" if log.format else inert(log.path)
    console.print(Line(Text(title, style="bold"), align="left", characters="─"))
    for session in log.sessions:
        own = [item for item in findings if item.finding.where.session == session.session]
        _session(console, session, own)
    if not log.sessions:
        console.print(Text("  nothing audited", style="dim"))
    console.print()


def _session(console: Console, session: SessionReport, findings: list[Numbered]) -> None:
    told = (
        f"session {inert(session.session) or '(unnamed)'}: {_count(session.turns, 'turn')}, "
        f"{_count(session.calls, 'call')}, {_count(session.decisions, 'pruning decision')}"
    )
    console.print(Text(f"  {told}" + ("" if findings else ": sound as far as the log shows")))
    for group in _incidents(findings):
        console.print()
        _incident(console, group)


def _incidents(findings: Iterable[Numbered]) -> list[list[Numbered]]:
    """Findings by the decision that led to them; the worst incident first, then by turn."""
    groups: dict[str, list[Numbered]] = {}
    for item in findings:
        groups.setdefault(item.incident or item.id, []).append(item)
    return sorted(
        groups.values(),
        key=lambda g: (-max(i.finding.severity for i in g), g[0].finding.where.turn),
    )


def _incident(console: Console, group: list[Numbered]) -> None:
    worst = max(item.finding.severity for item in group)
    first = group[0].finding
    head = Text("  ")
    head.append(worst.label, style=STYLES[worst])
    head.append(f"  incident {group[0].incident or group[0].id}", style="dim")
    console.print(head)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, justify="right", min_width=9)
    table.add_column(overflow="fold")
    if first.cause is not None:
        table.add_row(f"turn {first.cause.where.turn}", _cause(first.cause))
    shown: set[tuple[str, int, str]] = set()
    for item in group:
        table.add_row(f"turn {item.finding.where.turn}", _finding(item.finding))
        for evidence in item.finding.evidence[:MAX_EVIDENCE]:
            key = (evidence.role, evidence.where.line, evidence.excerpt)
            if key not in shown:
                shown.add(key)
                table.add_row("", _evidence(evidence))
    table.add_row("cost", Text(_cost(group)))
    for fix in dict.fromkeys(_safe(item.finding.fix) for item in group):
        table.add_row("fix", Text(fix, style="green"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _cause(cause: Cause) -> Text:
    text = Text()
    text.append(_safe(f"{cause.kind}: {cause.subject}"), style="bold")
    how = "logged" if cause.explicit else "inferred"
    by = f" by {cause.actor}" if cause.actor else ""
    why = f": {cause.reason}" if cause.reason else ""
    text.append(_safe(f" ({how}{by}{why})"))
    text.append(f" [line {cause.where.line}]", style="dim")
    return text


def _finding(finding: Finding) -> Text:
    text = Text()
    text.append(f"{finding.rule} {finding.name}", style=STYLES[finding.severity])
    sure = "" if finding.confidence is Confidence.PROVEN else f", {finding.confidence.label}"
    text.append(f" ({finding.severity.label}{sure}) ")
    text.append(_safe(finding.message))
    text.append(f" [line {finding.where.line}]", style="dim")
    return text


def _evidence(evidence: Evidence) -> Padding:
    text = Text(style="dim")
    text.append(f"{evidence.role}, turn {evidence.where.turn}, line {evidence.where.line}: ")
    text.append(excerpt(evidence.excerpt), style="italic")
    return Padding(text, (0, 0, 0, 2))


def _cost(group: list[Numbered]) -> str:
    turns = sorted({item.finding.where.turn for item in group if not item.finding.state})
    if not turns:
        return "no call relied on it in this log"
    told = ", ".join(str(turn) for turn in turns[:MAX_TURNS])
    more = ", …" if len(turns) > MAX_TURNS else ""
    return f"{_count(len(turns), 'affected turn')}: {told}{more}"


def _summary(console: Console, report: Report, findings: list[Numbered]) -> None:
    severities = Counter(item.finding.severity for item in findings)
    rules = Counter(item.finding.rule for item in findings)
    counts = ", ".join(
        f"{severities[s]} {s.label}" for s in sorted(Severity, reverse=True) if severities[s]
    )
    console.print(Line(Text("summary", style="bold"), align="left", characters="─"))
    told = f"{_count(len(findings), 'finding')}" + (f": {counts}" if counts else "")
    console.print(Text(f"  {told}"))
    if rules:
        console.print(Text("  " + ", ".join(f"{rule} {n}" for rule, n in sorted(rules.items()))))
    sessions = report.sessions
    console.print(
        Text(
            f"  audited {_count(len(report.logs), 'log')}, {_count(len(sessions), 'session')}, "
            f"{_count(sum(s.turns for s in sessions), 'turn')}, "
            f"{_count(sum(s.calls for s in sessions), 'call')}, "
            f"{_count(sum(s.decisions for s in sessions), 'pruning decision')}"
        )
    )
    asked = sum(int(s.metrics["reexpansion_requests"] or 0) for s in sessions)
    if asked:
        console.print(Text(f"  {_count(asked, 'request')} for withheld tools or content"))


def _not_checked(console: Console, report: Report) -> None:
    """What the logs did not show: the same reason once, with the sessions that it holds for."""
    reasons: dict[str, set[str]] = {}
    for session in report.sessions:
        key = f"{session.log} {session.session}"
        for note in session.notes:
            reasons.setdefault(note, set()).add(key)
        rules: dict[str, list[str]] = {}
        for rule, reason in session.unchecked:
            rules.setdefault(reason, []).append(rule)
        for reason, codes in rules.items():
            reasons.setdefault(f"{', '.join(codes)}: {reason}", set()).add(key)
    if not reasons and not report.problems:
        return
    console.print(Line(Text("not checked", style="bold"), align="left", characters="─"))
    for reason, sessions in reasons.items():
        console.print(Text(f"  {_safe(reason)} ({_count(len(sessions), 'session')})"))
    for problem in report.problems:
        where = _place(problem.path, problem.line)
        console.print(Text(f"  {where}: {_safe(problem.message)}", style="red"))


def _place(path: str, line: int) -> str:
    return inert(f"{path}:{line}" if line else path)


def _safe(text: str) -> str:
    return inert(redact(text))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
