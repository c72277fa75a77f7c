"""Metrics in Prometheus' text format, for a textfile collector: gauges of the last run.

Labels are rules, severities, confidences and formats only: logs, sessions and tools would be too
many series.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO

from ctxaudit import __version__
from ctxaudit.model import Severity
from ctxaudit.report import Report, totals
from ctxaudit.safe import inert

NAME = "prometheus"
Sample = tuple[dict[str, str], float]
#: Metrics of sessions that add up. What is a rate of them is left to the query.
SUMS = {
    "reexpansion_requests": "Requests for withheld tools or content.",
    "tombstoned_tools": "Tools that a tombstone stood for, in each session.",
    "pruned_tokens_estimate": "Tokens that were pruned, estimated from bytes.",
    "tombstone_tokens_estimate": "Tokens of what was left in the place of these, estimated.",
    "invalid_calls": "Calls that were refused for what they were.",
    "affected_turns": "Turns in which the model acted on what was missing.",
    "affected_prompt_tokens": "Tokens of the prompts of these turns, in part estimated.",
}


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write all metrics, each with its help and type."""
    for name, text, samples in _metrics(report):
        stream.write(f"# HELP ctxaudit_{name} {text}\n# TYPE ctxaudit_{name} gauge\n")
        for labels, value in samples:
            told = ",".join(f'{key}="{_label(given)}"' for key, given in labels.items())
            stream.write(
                f"ctxaudit_{name}{{{told}}} {value}\n" if told else f"ctxaudit_{name} {value}\n"
            )


def _label(text: str) -> str:
    return inert(text).replace("\\", "\\\\").replace('"', '\\"')


def _metrics(report: Report) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    yield "build_info", "The version that ran; always 1.", [({"version": __version__}, 1)]
    yield from _of_findings(report)
    yield from _of_sessions(report)
    for name, text, value in _of_the_run(report):
        yield name, text, [({}, value)]


def _of_findings(report: Report) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    found = [item.finding for item in report.findings()]
    each = Counter((f.rule, f.name, f.severity, f.confidence) for f in found)
    yield (
        "findings",
        "Findings of the last run.",
        [
            ({"rule": rule, "name": name, "severity": s.label, "confidence": c.label}, count)
            for (rule, name, s, c), count in sorted(each.items())
        ],
    )
    severities = Counter(f.severity for f in found)
    yield (
        "findings_by_severity",
        "Findings of the last run by severity; present for each of them.",
        [({"severity": s.label}, severities[s]) for s in Severity],
    )


def _of_sessions(report: Report) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    formats = Counter(session.format for session in report.sessions)
    yield (
        "sessions",
        "Sessions that were audited.",
        [({"format": name}, count) for name, count in sorted(formats.items())],
    )
    unchecked = Counter(rule for session in report.sessions for rule in dict(session.unchecked))
    yield (
        "unchecked_sessions",
        "Sessions of which the log says too little for a rule.",
        [({"rule": rule}, count) for rule, count in sorted(unchecked.items())],
    )


def _of_the_run(report: Report) -> Iterator[tuple[str, str, float]]:
    sessions = report.sessions
    yield "violations", "Findings that fail the run.", sum(i.violation for i in report.findings())
    yield "accepted", "Findings that are accepted.", len(report.accepted())
    yield "exit_code", "Exit code of the run.", report.exit_code
    yield "problems", "Problems in reading.", len(report.problems)
    seen = totals(sessions)
    yield "logs", "Logs that were read.", report.audited
    yield "turns", "Turns that were audited.", seen.turns
    yield "calls", "Calls that were audited.", seen.calls
    yield "pruning_decisions", "Pruning decisions.", seen.decisions
    for name, text in SUMS.items():
        yield name, text, sum(int(s.metrics.get(name) or 0) for s in sessions)
    shares = [(s.turns, s.metrics.get("sound_turns_share")) for s in sessions]
    sound = sum(round(turns * share) for turns, share in shares if share is not None)
    yield "sound_turns", "Turns without a finding at warning or above.", sound
