"""ADK: compactions by time, rewinds, branches, and what a database does not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Severity, Turn

FOLDER = FIXTURES / "adapters" / "adk"


def turns(name: str) -> list[Turn]:
    log, adapter = open_log(str(FOLDER / name))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


@pytest.mark.parametrize("name", ["dock.json", "sessions.db"])
def test_a_compaction_takes_the_events_of_its_time(name: str) -> None:
    fourth = turns(name)[3]
    (decision,) = fourth.decisions
    assert decision.kind is DecisionKind.SPAN_SUMMARIZED
    assert {"k1", "result:k1", "k2", "result:k2"} <= set(decision.spans)
    assert [span.kind for span in fourth.added] == [Kind.SUMMARY, Kind.USER]
    (report,) = audit([Input(str(FOLDER / name))])
    grave = [f for f in report.findings if f.severity > Severity.NOTE]
    assert [(f.rule, f.where.turn, f.handle) for f in grave] == [("OR202", 4, "PAL-31877H")]


@pytest.mark.parametrize("name", ["whole.json", "events.jsonl"])
def test_nothing_compacted_nothing_found(name: str) -> None:
    (report,) = audit([Input(str(FOLDER / name))])
    assert (report.findings, report.problems) == ([], [])
    assert [s.decisions for s in report.sessions] == [0] * len(report.sessions)


def test_agents_on_branches_see_what_stood_before() -> None:
    found = turns("events.jsonl")
    told = [(t.where.session, [s.text for s in t.added if s.kind is Kind.USER]) for t in found]
    assert told[:2] == [
        ("events/both.weigher", ["Weigh and count the crates."]),
        ("events/both.counter", ["Weigh and count the crates."]),
    ]


def test_results_without_ids_are_those_of_the_calls_in_their_order() -> None:
    second = turns("events.jsonl")[2]
    assert [(s.call, s.text) for s in second.added] == [("call:1", "10 kg"), ("call:2", "12 kg")]


def test_a_rewind_is_no_pruning() -> None:
    last = [turn for turn in turns("events.jsonl") if turn.where.session == "events"]
    assert last[1].withdrawn == ("line:8", "event:e109")
    assert last[1].decisions == ()
    assert last[1].error == "blocked"


def test_packed_actions_are_not_checked() -> None:
    (report,) = audit([Input(str(FOLDER / "columns.db"))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (5, 3, 0)
    assert session.extent[Aspect.PROMPTS] is Extent.PARTIAL
    assert sum("packs the events' actions" in note for note in session.notes) == 1
    assert report.findings == []


@pytest.mark.parametrize(
    "bad",
    [
        7,
        {"author": "x"},
        {"author": "a", "invocationId": "i", "content": {"role": "model", "parts": 5}},
        {"author": "a", "invocationId": "i", "actions": {"compaction": {}}},
    ],
)
def test_damage_is_told_by_line(bad: Any, tmp_path: Path) -> None:
    rows = (FOLDER / "events.jsonl").read_text().splitlines()
    rows[1:1] = [json.dumps(bad)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [2]
    assert sum(session.turns for session in report.sessions) == 7
