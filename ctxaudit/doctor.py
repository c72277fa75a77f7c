"""What one log can and cannot show, which rules that stops, and what to switch on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import Adapter
from ctxaudit.model import Aspect, Extent
from ctxaudit.report import LogReport, totals
from ctxaudit.rule import Rule
from ctxaudit.safe import clean, inert

#: What a runtime can do so that its logs show an aspect.
ADVICE = {
    Aspect.SCHEMAS: "log the tools that each model call offers: record whole requests (a proxy, "
    "OpenTelemetry GenAI spans with content, a gateway's request log), or write `tools` in "
    "the native format",
    Aspect.PROMPTS: "log each prompt whole, or every pruning decision where it is made "
    "(`decisions` in the native format)",
    Aspect.RESULTS: "log the results of tools whole: raise the limits on attribute and output "
    "length",
    Aspect.SUMMARIES: "log what a compaction puts in place of the history as plain text",
}
TELLING = {
    Extent.FULL: "shown",
    Extent.PARTIAL: "shown in part",
    Extent.NONE: "not shown",
}


def diagnosis(report: LogReport, adapter: Adapter, rules: Sequence[type[Rule]]) -> dict[str, Any]:
    """A log's coverage, the rules that run and that cannot, and advice, as plain data."""
    extent = {
        aspect: min((s.extent[aspect] for s in report.sessions), default=Extent.NONE)
        for aspect in Aspect
    }
    seen = totals(report.sessions)
    stopped: dict[str, str] = {}
    for session in report.sessions:
        stopped.update(session.unchecked)
    notes = dict.fromkeys(clean(note) for s in report.sessions for note in s.notes)
    advice = {**ADVICE, **getattr(adapter, "ADVICE", {})}
    return {
        "log": inert(report.path),
        "format": adapter.NAME,
        "sessions": len(report.sessions),
        "turns": seen.turns,
        "calls": seen.calls,
        "decisions": seen.decisions,
        "coverage": {aspect.value: extent[aspect].label for aspect in Aspect},
        "notes": list(notes),
        "rules": [rule.code for rule in rules if rule.code not in stopped],
        "rules_that_cannot_run": stopped,
        "advice": {a.value: advice[a] for a in Aspect if extent[a] is not Extent.FULL},
    }


def told(found: dict[str, Any]) -> Iterator[str]:
    """A diagnosis in plain lines."""
    yield f"{found['log']}: {found['format']}"
    yield (
        f"  {found['sessions']} sessions, {found['turns']} turns, {found['calls']} calls, "
        f"{found['decisions']} pruning decisions"
    )
    labels = {extent.label: words for extent, words in TELLING.items()}
    for aspect, label in found["coverage"].items():
        yield f"  {aspect:<10} {labels[label]}"
    if found["notes"]:
        yield "why:"
        yield from (f"  - {note}" for note in found["notes"])
    yield f"rules that run: {' '.join(found['rules']) or 'none'}"
    if found["rules_that_cannot_run"]:
        yield "rules that cannot run:"
        for code, reason in found["rules_that_cannot_run"].items():
            yield f"  {code}: {reason}"
    if found["advice"]:
        yield "to let them see more:"
        for aspect, text in found["advice"].items():
            yield f"  {aspect}: {text}"
    else:
        yield "nothing is missing"
