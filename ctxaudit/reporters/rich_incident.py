"""One incident as one story, drawn for the report that a person reads."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ctxaudit.model import Confidence, Evidence, Finding, Location, Severity
from ctxaudit.report import SessionReport
from ctxaudit.reporters.story import Incident
from ctxaudit.safe import clean, excerpt, inert

STYLES = {
    Severity.CRITICAL: "bold red",
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
}
MAX_EVIDENCE = 4
MAX_LISTED = 12


def draw(console: Console, incident: Incident, session: SessionReport) -> None:
    """Print an incident: the decision, what followed turn by turn, what it cost and what to do."""
    head = Text()
    head.append(incident.worst.label, style=STYLES[incident.worst])
    head.append(f"  incident {incident.id}", style="dim")
    indented(console, head)
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
    return f"{count(len(turns), 'affected turn')}: {listed}"


def indented(console: Console, text: Text) -> None:
    """Print a text with the indent of a log's sessions."""
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


def count(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
