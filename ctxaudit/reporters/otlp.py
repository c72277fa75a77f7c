"""Findings as OpenTelemetry log records, in OTLP's JSON: a line a log that was audited.

Where that log is itself a trace, a record carries the trace and the span of the model call in which
the finding shows. Records have no time: when a finding came about the log does not say for certain.
"""

from __future__ import annotations

from typing import IO, Any

import orjson

from ctxaudit import __version__
from ctxaudit.model import Severity
from ctxaudit.report import LogReport, Numbered, Report
from ctxaudit.reporters.json import finding
from ctxaudit.safe import inert

NAME = "otlp"
#: Numbers of OpenTelemetry's severities: INFO, WARN, ERROR, FATAL.
NUMBERS = {Severity.NOTE: 9, Severity.WARNING: 13, Severity.ERROR: 17, Severity.CRITICAL: 21}
TOLD = ("id", "rule", "name", "family", "confidence", "session", "turn", "line", "tool", "handle")


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the findings that count; a log without any has no line."""
    for log, findings in report.by_log():
        if findings:
            told = _request(log, findings)
            stream.write(orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE).decode())


def _request(log: LogReport, findings: list[Numbered]) -> dict[str, Any]:
    resource = {"service.name": "ctxaudit", "ctxaudit.log": inert(log.path)}
    traces = {
        (session.session, turn): ids
        for session in log.sessions
        for turn, ids in session.traces.items()
    }
    scope = {
        "scope": {"name": "ctxaudit", "version": __version__},
        "logRecords": [_record(item, traces) for item in findings],
    }
    return {
        "resourceLogs": [{"resource": {"attributes": _attributes(resource)}, "scopeLogs": [scope]}]
    }


def _record(item: Numbered, traces: dict[tuple[str, int], tuple[str, str]]) -> dict[str, Any]:
    found, where = item.finding, item.finding.where
    plain = finding(item)
    named = {f"ctxaudit.{key}": plain[key] for key in TOLD if plain[key] is not None}
    named |= {"ctxaudit.incident": item.incident or "", "ctxaudit.violation": item.violation}
    record: dict[str, Any] = {
        "severityNumber": NUMBERS[found.severity],
        "severityText": found.severity.label,
        "body": {"stringValue": plain["message"]},
        "attributes": _attributes(named),
    }
    if ids := traces.get((where.session, where.turn)):
        record |= {"traceId": ids[0], "spanId": ids[1]}
    return record


def _attributes(named: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in named.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}
