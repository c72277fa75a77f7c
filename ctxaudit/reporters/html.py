"""One page of HTML: findings as text, and a timeline of residency for each session.

The page is one file and asks for nothing else; its policy forbids it to. All that is told in words
is there without scripts. Log content reaches the page as escaped text or as JSON in which no
character can end the element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import IO, Any

import orjson

from ctxaudit import __version__
from ctxaudit.model import Severity
from ctxaudit.report import Numbered, Report, SessionReport, by_session, totals
from ctxaudit.reporters.concise import place
from ctxaudit.reporters.story import not_checked, problems, verdict
from ctxaudit.safe import clean, excerpt, inert
from ctxaudit.timeline import Row, Timeline

NAME = "html"
FOLDER = Path(__file__).with_name("page")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
LEGEND = {
    "offered": "schema offered",
    "tombstoned": "by name or tombstone only",
    "ghost": "ghost: schema gone, arguments there",
    "withheld": "withheld",
    "bound": "in the prompt",
    "evicted": "evicted",
    "orphaned": "evicted and used",
}
SEVERITIES = sorted(Severity, reverse=True)


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole page."""
    stream.write("\n".join(_page(report)) + "\n")


def _page(report: Report) -> Iterator[str]:
    sessions = list(_sessions(report))
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>ctxaudit report</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>\n{_asset('report.css')}</style></head><body>"
    yield from _head(report)
    yield from _overview(sessions)
    yield from _filters(report)
    for number, (session, findings) in enumerate(sessions):
        if findings or (session.timeline and session.timeline.decisions):
            yield from _session(number, session, findings)
    yield from _not_checked(report)
    yield f"<footer>ctxaudit {__version__}</footer>"
    yield f'<script type="application/json" id="data">{_json(sessions)}</script>'
    yield f"<script>\n{_asset('report.js')}</script></body></html>"


def _asset(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return escape(clean(text))


def _sessions(report: Report) -> Iterator[tuple[SessionReport, list[Numbered]]]:
    for log, findings in report.by_log():
        own = by_session(findings)
        for session in log.sessions:
            yield session, own[session.session]


def _head(report: Report) -> Iterator[str]:
    bad = "bad" if report.exit_code else "good"
    yield "<header><h1>What pruning did to the conversations</h1>"
    yield f'<p class="verdict {bad}">exit code {report.exit_code}: {_text(verdict(report))}</p>'
    seen = totals(report.sessions)
    severities = Counter(item.finding.severity for item in report.findings())
    told = ", ".join(f"{severities[s]:,} {s.label}" for s in SEVERITIES if severities[s])
    accepted = len(report.accepted())
    yield (
        f'<p class="counts">{len(report.findings()):,} findings{f" ({told})" if told else ""}'
        f"{f', {accepted:,} more accepted' if accepted else ''}; audited "
        f"{report.audited:,} logs, {len(report.sessions):,} sessions, {seen.turns:,} turns, "
        f"{seen.calls:,} calls, {seen.decisions:,} pruning decisions</p></header>"
    )


def _overview(sessions: list[tuple[SessionReport, list[Numbered]]]) -> Iterator[str]:
    yield '<table><thead><tr><th>log</th><th>session</th><th>format</th><th class="number">turns'
    yield '</th><th class="number">calls</th><th class="number">pruned</th><th>worst</th>'
    yield '<th class="number">findings</th></tr></thead><tbody>'
    for number, (session, findings) in enumerate(sessions):
        worst = max((i.finding.severity for i in findings), default=None)
        name = _text(session.session) or "(unnamed)"
        shown = bool(findings) or bool(session.timeline and session.timeline.decisions)
        yield (
            f"<tr><td>{escape(inert(session.log))}</td><td>"
            + (f'<a href="#s{number}">{name}</a>' if shown else name)
            + f'</td><td>{_text(session.format)}</td><td class="number">{session.turns:,}</td>'
            f'<td class="number">{session.calls:,}</td><td class="number">{session.decisions:,}'
            f"</td><td>{worst.label if worst is not None else 'none'}</td>"
            f'<td class="number">{len(findings):,}</td></tr>'
        )
    yield "</tbody></table>"


def _filters(report: Report) -> Iterator[str]:
    rules = sorted({(i.finding.rule, i.finding.name) for i in report.findings()})
    yield '<form class="filters script-only"><fieldset aria-label="severities">'
    for severity in SEVERITIES:
        box = f'type="checkbox" name="severity" value="{severity.label}" checked'
        yield f"<label><input {box}> {severity.label}</label>"
    yield '</fieldset><label>rule <select name="rule"><option value="">all</option>'
    for code, name in rules:
        yield f'<option value="{escape(code)}">{escape(code)} {escape(name)}</option>'
    yield '</select></label><label>text <input type="search" name="text"></label>'
    yield "<output></output></form>"


def _session(number: int, session: SessionReport, findings: list[Numbered]) -> Iterator[str]:
    drawn = session.timeline is not None and bool(session.timeline.turns)
    marked = f' data-session="{number}"' if drawn else ""
    yield f'<section class="session" id="s{number}"{marked}>'
    yield f"<h2>{escape(inert(session.log))} · {_text(session.session) or '(unnamed)'}</h2>"
    extents = ", ".join(
        f"{aspect.value} {extent.label}" for aspect, extent in session.extent.items()
    )
    yield (
        f"<p>{session.turns:,} turns, {session.calls:,} calls, {session.decisions:,} pruning "
        f"decisions; the log shows: {extents}</p>"
    )
    if drawn and session.timeline is not None:
        yield from _timeline(session.timeline)
    yield '<ol class="findings">'
    for item in findings:
        yield from _finding(item)
    yield "</ol></section>"


def _timeline(timeline: Timeline) -> Iterator[str]:
    yield '<ul class="legend">'
    for state, words in LEGEND.items():
        yield f'<li><i style="background:var(--{state})"></i>{words}</li>'
    yield "</ul>"
    label = (
        f"Residency over {timeline.turns} turns. Arrow keys move, n and p go to the next and the "
        "previous mark, plus and minus zoom, Enter opens a finding."
    )
    yield f'<div class="timeline script-only" tabindex="0" role="application" aria-label="{label}">'
    yield "<canvas></canvas></div>"
    if timeline.more_spans:
        yield f'<p class="notes">{timeline.more_spans:,} more evicted spans are not drawn</p>'
    yield '<div class="here script-only" aria-live="polite"></div>'


def _finding(item: Numbered) -> Iterator[str]:
    found = item.finding
    where = found.where
    level = found.severity.label
    yield (
        f'<li class="finding {level}" id="f-{item.id}" tabindex="-1" data-severity="{level}" '
        f'data-rule="{escape(found.rule)}">'
    )
    yield (
        f'<h3><span class="severity">{level}</span> {escape(found.rule)} {escape(found.name)}, '
        f"turn {where.turn}</h3>"
    )
    yield f"<p>{_text(found.message)}</p>"
    yield (
        f'<p class="where">{escape(inert(where.path))}:{where.line}, {found.confidence.label}, '
        f"id <code>{item.id}</code></p>"
    )
    if found.cause is not None:
        cause = found.cause
        by = f" by {_text(cause.actor)}" if cause.actor else ""
        why = f": {_text(cause.reason)}" if cause.reason else ""
        known = "logged" if cause.explicit else "inferred"
        yield (
            f"<p>cause: {escape(cause.kind)} of {_text(cause.subject)} at turn "
            f"{cause.where.turn}, line {cause.where.line}{by} ({known}){why}</p>"
        )
    for evidence in found.evidence:
        yield (
            f"<blockquote>{escape(evidence.role)}, turn {evidence.where.turn}, line "
            f"{evidence.where.line}: <code>{escape(excerpt(evidence.excerpt))}</code></blockquote>"
        )
    yield f"<p>fix: {_text(found.fix)}</p></li>"


def _not_checked(report: Report) -> Iterator[str]:
    reasons, failed = not_checked(report), list(problems(report))
    if not reasons and not failed:
        return
    yield '<section class="session"><h2>Not checked</h2><ul class="notes">'
    for reason, count in reasons.items():
        yield f"<li>{_text(reason)} ({count:,} sessions)</li>"
    for problem in failed:
        where = escape(place(problem.path, problem.line))
        yield f"<li>{where}: {_text(problem.message)}</li>"
    yield "</ul></section>"


# -- what the script draws ----------------------------------------------------------------------


def _json(sessions: list[tuple[SessionReport, list[Numbered]]]) -> str:
    told = {"sessions": [_drawn(session, findings) for session, findings in sessions]}
    text = orjson.dumps(told).decode()
    # Within a script element only these could end it, or begin a comment.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _drawn(session: SessionReport, findings: list[Numbered]) -> dict[str, Any] | None:
    timeline = session.timeline
    if timeline is None:
        return None
    return {
        "turns": timeline.turns,
        "lines": {str(turn): line for turn, line in timeline.lines.items() if line},
        "tokens": {str(turn): count for turn, count in timeline.tokens.items()},
        "rows": [_row(row) for row in timeline.rows()],
        "decisions": [
            {
                "turn": min(max(1, d.turn), timeline.turns),
                "kind": d.kind,
                "subject": clean(d.subject, 200),
                "explicit": d.explicit,
                "actor": d.actor and clean(d.actor, 200),
                "reason": d.reason and clean(d.reason, 200),
            }
            for d in timeline.decisions
        ],
        "findings": [
            {
                "id": item.id,
                "turn": item.finding.where.turn,
                "rule": item.finding.rule,
                "name": item.finding.name,
                "severity": item.finding.severity.label,
                "weight": int(item.finding.severity),
                "message": clean(item.finding.message, 300),
                "about": [clean(n, 200) for n in (item.finding.tool, item.finding.handle) if n],
            }
            for item in findings
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "name": clean(row.name, 200),
        "intervals": [[i.state, i.first, i.last] for i in row.intervals],
        "marks": row.marks,
    }
