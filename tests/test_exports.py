"""Exports of tracers: one incident in every shape says the same; cut records say less, not more."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit
from ctxaudit.model import Aspect, DecisionKind, Extent
from ctxaudit.report import LogReport

FOLDER = FIXTURES / "adapters"
EXPORTS = [
    "otel_genai/incident.jsonl",
    "otel_genai/events.jsonl",
    "otel_genai/old_names.jsonl",
    "otel_genai/cut.jsonl",
    "openinference/incident.jsonl",
    "langsmith/incident.jsonl",
    "inspect/incident.json",
    "inspect/pooled.json",
    "inspect/incident.eval",
]


def audited(path: Path) -> LogReport:
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    return report


def told(report: LogReport) -> list[tuple[object, ...]]:
    """Findings without what differs between exports: sessions' names, lines and order."""
    found = [(f.where.turn, f.rule, f.tool, f.handle, f.severity) for f in report.findings]
    return sorted(found, key=str)


@pytest.mark.parametrize("name", EXPORTS)
def test_one_incident_in_every_shape(name: str) -> None:
    report = audited(FOLDER / name)
    assert told(report) == told(audited(FIXTURES / "demo" / "incident.requests.jsonl"))
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (11, 8, 1)


def test_a_cut_record_is_disclosed() -> None:
    (session,) = audited(FOLDER / "otel_genai" / "cut.jsonl").sessions
    assert session.extent[Aspect.PROMPTS] is Extent.PARTIAL
    assert any("cut by the recorder" in note for note in session.notes)


def one_run(real_logs: Path, name: str) -> LogReport:
    return audited(real_logs / "one-run-many-formats" / f"{name}.jsonl")


def test_a_real_run_says_the_same_in_three_formats(real_logs: Path) -> None:
    formats = ("otlp_genai", "openinference", "langsmith")
    first, *others = (told(one_run(real_logs, f"lc_{f}_clear+tools_tau3")) for f in formats)
    assert first
    assert all(other == first for other in others)


def test_a_real_run_without_pruning_is_silent(real_logs: Path) -> None:
    report = one_run(real_logs, "lc_otlp_genai_noprune_tau3")
    assert report.findings == []
    assert [s.decisions for s in report.sessions] == [0]


def test_a_real_export_that_was_cut_finds_nothing_more(real_logs: Path) -> None:
    whole = one_run(real_logs, "lc_openinference_clear+tools_tau3")
    cut = one_run(real_logs, "lc_openinference_clear+tools_limit128_tau3")
    assert set(told(cut)) <= set(told(whole))
    assert any("cut by the recorder" in note for s in cut.sessions for note in s.notes)


def test_decisions_of_real_inspect_logs_are_clearings(real_logs: Path) -> None:
    from ctxaudit.adapters import inspect_ai
    from ctxaudit.log import Log, Source

    (path,) = (real_logs / "inspect").glob("*_inspect_edit_tauretail20.json")
    turns = list(inspect_ai.read(Source((Log(str(path)),))))
    pruned = [{d.kind for d in turn.decisions} for turn in turns if turn.decisions]
    assert len(pruned) == 3
    assert all(DecisionKind.RESULT_CLEARED in kinds for kinds in pruned)
