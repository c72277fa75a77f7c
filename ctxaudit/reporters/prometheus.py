"""Metrics in Prometheus' text format, for a textfile collector: gauges of the last run.

Labels are rules, severities and formats only: sessions and tools would be too many series.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import IO

from ctxaudit.model import Severity
from ctxaudit.report import Report
from ctxaudit.safe import inert

NAME = "prometheus"
Labels = dict[str, str]


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write all metrics, each with its help and type."""
    for name, text, samples in _metrics(report):
        stream.write(f"# HELP {name} {text}\n# TYPE {name} gauge\n")
        for labels, value in samples:
            told = ",".join(f'{key}="{_label(value_)}"' for key, value_ in labels.items())
            stream.write(f"{name}{{{told}}} {value}\n" if told else f"{name} {value}\n")


def _label(text: str) -> str:
    return inert(text).replace("\\", "\\\\").replace('"', '\\"')


def _metrics(report: Report) -> Iterator[tuple[str, str, list[tuple[Labels, float | int]]]]:
    findings = Counter(
        (i.finding.rule, i.finding.name, i.finding.severity, i.finding.confidence)
        for i in report.findings()
    )
    yield (
        "ctxaudit_findings",
        "Findings of the last run.",
        [
            (
                {"rule": rule, "name": name, "severity": s.label, "confidence": c.label},
                count,
            )
            for (rule, name, s, c), count in sorted(findings.items())
        ],
    )
    by_severity = Counter(i.finding.severity for i in report.findings())
    yield (
        "ctxaudit_findings_by_severity",
        "Findings of the last run by severity; present for each of them.",
        [({"severity": s.label}, by_severity[s]) for s in Severity],
    )
    sessions = report.sessions
    single = {
        "ctxaudit_violations": (
            "Findings that fail the run.",
            sum(i.violation for i in report.findings()),
        ),
        "ctxaudit_accepted": ("Findings that are accepted.", len(report.accepted())),
        "ctxaudit_exit_code": ("Exit code of the run.", report.exit_code),
        "ctxaudit_problems": ("Problems in reading.", len(report.problems)),
        "ctxaudit_turns": ("Turns that were audited.", sum(s.turns for s in sessions)),
        "ctxaudit_calls": ("Calls that were audited.", sum(s.calls for s in sessions)),
        "ctxaudit_pruning_decisions": ("Pruning decisions.", sum(s.decisions for s in sessions)),
        "ctxaudit_reexpansion_requests": (
            "Requests for what was withheld.",
            _sum(report, "reexpansion_requests"),
        ),
        "ctxaudit_tombstoned_tools": ("Tools with a tombstone.", _sum(report, "tombstoned_tools")),
        "ctxaudit_pruned_tokens_estimate": (
            "Tokens that were pruned, estimated.",
            _sum(report, "pruned_tokens_estimate"),
        ),
        "ctxaudit_invalid_calls": (
            "Calls refused for what they were.",
            _sum(report, "invalid_calls"),
        ),
        "ctxaudit_affected_turns": ("Turns that a loss cost.", _sum(report, "affected_turns")),
    }
    formats = Counter(session.format for session in sessions)
    yield (
        "ctxaudit_sessions",
        "Sessions that were audited.",
        [({"format": name}, count) for name, count in sorted(formats.items())],
    )
    for name, (text, value) in single.items():
        yield name, text, [({}, value)]


def _sum(report: Report, metric: str) -> int:
    return sum(int(s.metrics.get(metric) or 0) for s in report.sessions)
