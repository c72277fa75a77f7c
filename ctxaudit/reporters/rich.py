"""The report that a person reads after an incident: what was pruned, what followed, what to do."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from io import StringIO
from typing import IO

from rich.console import Console
from rich.text import Text

from ctxaudit.model import Severity
from ctxaudit.report import LogReport, Numbered, Report, SessionReport, by_session, totals
from ctxaudit.reporters.concise import place
from ctxaudit.reporters.rich_incident import count, draw, indented
from ctxaudit.reporters.story import incidents, not_checked, problems, verdict
from ctxaudit.safe import clean, inert, lines_inert

NAME = "rich"
PIPED = 100  # columns where there is no terminal, and COLUMNS does not say
NARROWEST = 40


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
    for log, findings in report.by_log():
        _log(console, log, findings)
    _summary(console, report)
    _not_checked(console, report)
    told = Text(f"exit code {report.exit_code}: {verdict(report)}", style="bold")
    console.print(told)
    text = "".join(f"{line.rstrip()}\n" for line in drawn.getvalue().split("\n"))
    stream.write(_encodable(lines_inert(text.rstrip("\n")) + "\n", stream))


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
    own = by_session(findings)
    for n, session in enumerate(log.sessions):
        if n and own[log.sessions[n - 1].session]:
            console.print()
        _session(console, session, own[session.session])
    if not log.sessions:
        console.print(Text("  nothing audited", style="dim"))
    console.print()


def _heading(console: Console, title: str) -> None:
    line = "─" * (console.width - len(title) - 1)
    console.print(Text(f"{title} {line}".rstrip(), style="bold", overflow="fold"))


def _session(console: Console, session: SessionReport, findings: list[Numbered]) -> None:
    told = (
        f"session {clean(session.session) or '(unnamed)'}: {count(session.turns, 'turn')}, "
        f"{count(session.calls, 'call')}, {count(session.decisions, 'pruning decision')}"
    )
    if not findings:
        told += ": sound" if session.decisions else ": nothing was pruned"
        told += " as far as the log shows"
    indented(console, Text(told))
    for incident in incidents(findings):
        console.print()
        draw(console, incident, session)
    tokens = session.metrics.get("affected_prompt_tokens")
    if findings and tokens:
        about = "about " if session.metrics.get("affected_prompt_tokens_estimated") else ""
        turns = count(int(session.metrics.get("affected_turns") or 0), "affected turn")
        console.print()
        indented(console, Text(f"in all {turns}, with {about}{tokens:,} tokens of prompt"))


def _summary(console: Console, report: Report) -> None:
    findings = [item.finding for item in report.findings()]
    severities = Counter(found.severity for found in findings)
    counts = [
        f"{severities[s]:,} {s.label}" for s in sorted(Severity, reverse=True) if severities[s]
    ]
    _heading(console, "summary")
    told = count(len(findings), "finding")
    indented(console, Text(f"{told}: {', '.join(counts)}" if counts else told))
    rules = Counter(f"{found.rule} {found.name}" for found in findings)
    if rules:
        indented(console, Text(", ".join(f"{rule} {n:,}" for rule, n in sorted(rules.items()))))
    if accepted := report.accepted():
        indented(console, Text(f"{count(len(accepted), 'more finding')} accepted"))
    sessions, seen = report.sessions, totals(report.sessions)
    audited = (
        f"audited {count(report.audited, 'log')}, {count(len(sessions), 'session')}, "
        f"{count(seen.turns, 'turn')}, {count(seen.calls, 'call')}, "
        f"{count(seen.decisions, 'pruning decision')}"
    )
    indented(console, Text(audited))
    asked = sum(int(s.metrics.get("reexpansion_requests") or 0) for s in sessions)
    if asked:
        indented(console, Text(f"{count(asked, 'request')} for withheld tools or content"))


def _not_checked(console: Console, report: Report) -> None:
    reasons = not_checked(report)
    if reasons or report.problems:
        _heading(console, "not checked")
    for reason, sessions in reasons.items():
        indented(console, Text(f"{clean(reason)} ({count(sessions, 'session')})"))
    for problem in problems(report):
        told = f"{place(problem.path, problem.line)}: {clean(problem.message)}"
        indented(console, Text(told, style="red"))
