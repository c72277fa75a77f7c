"""LangGraph: messages, states and streams of one and the same graph."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import DecisionKind, Severity, Turn

FOLDER = FIXTURES / "adapters" / "langgraph"


def read(path: Path) -> tuple[list[Turn], list[str]]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found, log.notes


def pruned(path: Path) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(t.where.turn, d.kind, d.spans) for t in read(path)[0] for d in t.decisions]


def grave(name: str) -> list[tuple[str, int, str | None]]:
    (report,) = audit([Input(str(FOLDER / name))])
    assert report.problems == []
    found = [f for f in report.findings if f.severity > Severity.NOTE]
    return [(f.rule, f.where.turn, f.handle) for f in found]


def test_nothing_removed_nothing_found() -> None:
    (report,) = audit([Input(str(FOLDER / "messages.jsonl"))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (4, 3, 0)
    assert report.findings == []


def test_removed_messages_and_a_summary_in_their_place() -> None:
    assert pruned(FOLDER / "updates.jsonl") == [
        (3, DecisionKind.SPAN_SUMMARIZED, ("h1", "a1", "c1", "result:c1")),
        (4, DecisionKind.SPAN_EVICTED, ("c2", "result:c2")),
    ]
    assert ("OR202", 3, "BOAT-66102E") in grave("updates.jsonl")


def test_a_history_of_states_is_read_from_its_beginning() -> None:
    found, notes = read(FOLDER / "history.json")
    assert pruned(FOLDER / "history.json") == [(3, DecisionKind.RESULT_CLEARED, ("result:c1",))]
    own = [turn for turn in found if turn.where.session == "berth-1"]
    assert [len(turn.calls) for turn in own] == [1, 1, 1, 0]
    assert grave("history.json") == [("OR202", 3, "BOAT-66102E")]
    assert notes == ["answers that several threads hold are read in the first one only"]


def test_a_fork_has_only_its_own_answers() -> None:
    fork = [t for t in read(FOLDER / "history.json")[0] if t.where.session == "berth-2"]
    assert [[span.text for span in turn.reply] for turn in fork] == [["Not today."]]
    assert fork[0].decisions == ()


def test_a_sub_graph_is_a_session() -> None:
    found, _ = read(FOLDER / "subgraph.jsonl")
    told = [(turn.where.session, [call.id for call in turn.calls]) for turn in found]
    assert told == [
        ("subgraph/tide:7", ["d1"]),
        ("subgraph/tide:7", []),
        ("subgraph", []),
    ]


def test_what_a_state_lacks_was_taken_out() -> None:
    # The result came and went between two answers: the model has never seen it.
    assert pruned(FOLDER / "events.jsonl") == [(2, DecisionKind.SPAN_EVICTED, ("a1", "c1"))]


def test_a_database_of_checkpoints_tells_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint)")
    base.execute("INSERT INTO checkpoints VALUES ('t', '', 'c', ?)", (b"\xff\x81",))
    base.commit()
    base.close()
    (report,) = audit([Input(str(path))])
    assert "get_state_history" in report.problems[0].message


@pytest.mark.parametrize("rows", [[{"type": "human", "content": "x"}, 7, {"type": "ai"}, None]])
def test_damage_is_told_by_line(rows: list[object], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    answer = {"type": "ai", "content": "Yes.", "id": "a"}
    path.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, answer]))
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [2, 4]
    assert report.sessions[0].turns == 1


def test_counts_of_a_real_log(real_logs: Path) -> None:
    path = real_logs / "one-run-many-formats" / "lc_state_tau3.jsonl"
    (report,) = audit([Input(str(path))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (30, 20, 0)
    assert (report.findings, report.problems) == ([], [])
