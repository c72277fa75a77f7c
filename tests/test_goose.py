"""Goose: what the marks of the end say of every moment before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import DecisionKind, Kind, Severity, Turn

FOLDER = FIXTURES / "adapters" / "goose"
FIRST = ("g1", "result:g1", "g2")


def turns(path: Path) -> list[Turn]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


def pruned(path: Path) -> list[tuple[str, int, tuple[str, ...]]]:
    """Session, turn, and the calls and results of each decision."""
    return [
        (t.where.session, t.where.turn, tuple(s for s in d.spans if not s.startswith("line:")))
        for t in turns(path)
        for d in t.decisions
        if d.kind is DecisionKind.SPAN_SUMMARIZED
    ]


def test_a_summary_takes_what_the_agent_sees_no_more() -> None:
    assert pruned(FOLDER / "export.json") == [("20260302_1", 3, FIRST)]
    third = turns(FOLDER / "export.json")[2]
    # The last result was not seen; the message of the user is added once more.
    assert [span.kind for span in third.added] == [Kind.SUMMARY, Kind.ASSISTANT, Kind.USER]


def test_sessions_of_a_database() -> None:
    assert pruned(FOLDER / "sessions.db") == [
        ("20260302_2", 3, FIRST),
        ("20260302_2", 5, ("g3", "result:g3")),
        ("20260302_3", 3, ("p1", "result:p1")),
    ]


def test_an_id_that_was_summarised_away() -> None:
    (report,) = audit([Input(str(FOLDER / "export.json"))])
    assert report.problems == []
    grave = [f for f in report.findings if f.severity > Severity.NOTE]
    assert [(f.rule, f.where.turn, f.handle) for f in grave] == [("OR202", 3, "CLK-20951F")]


def test_a_file_of_old_shows_no_pruning() -> None:
    (report,) = audit([Input(str(FOLDER / "20260302_080000.jsonl"))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (4, 3, 0)
    assert report.findings == []


def test_failures_of_both_kinds() -> None:
    failed = [
        (span.call, span.text)
        for turn in turns(FOLDER / "20260302_080000.jsonl")
        for span in turn.added
        if span.failed
    ]
    assert [call for call, _ in failed] == ["g2", "g3"]


@pytest.mark.parametrize("bad", [7, {"role": "user"}, {"role": "user", "content": 3}])
def test_damage_is_told_by_line(bad: Any, tmp_path: Path) -> None:
    rows = (FOLDER / "20260302_080000.jsonl").read_text().splitlines()
    rows[1:1] = [json.dumps(bad)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [2]
    assert report.sessions[0].turns == 4
