"""Hermes: one conversation over the sessions that its compressions make."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Severity, Turn

FOLDER = FIXTURES / "adapters" / "hermes"
SUMMARISED = DecisionKind.SPAN_SUMMARIZED


def read(name: str) -> tuple[list[Turn], list[str]]:
    log, adapter = open_log(str(FOLDER / name))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found, log.notes


def pruned(name: str) -> list[tuple[str, int, str, set[str]]]:
    """Session, turn, kind, and the calls and results of each decision."""
    return [
        (t.where.session, t.where.turn, d.kind, {s for s in d.spans if "line:" not in s})
        for t in read(name)[0]
        for d in t.decisions
    ]


def test_children_of_a_compression_go_on_with_the_session() -> None:
    found, notes = read("export.jsonl")
    assert list(dict.fromkeys(t.where.session for t in found)) == [
        "sea-1",
        "sea-1/sea-4",
        "sea-1/sea-5",
    ]
    assert pruned("export.jsonl") == [
        ("sea-1", 3, SUMMARISED, {"h1", "result:h1"}),
        ("sea-1", 4, SUMMARISED, {"h2", "result:h2", "h3"}),
    ]
    assert notes == ["what a branch has copied of its parent is read in the parent only"]


def test_what_was_cleared_before_it_was_seen_is_as_it_was_sent() -> None:
    third = next(t for t in read("export.jsonl")[0] if t.where.turn == 3)
    (result,) = [span for span in third.added if span.kind is Kind.RESULT]
    assert result.text == "[Old tool output cleared to save context space]"


def test_a_branch_has_only_its_own_answers() -> None:
    branch = [t for t in read("export.jsonl")[0] if t.where.session == "sea-1/sea-5"]
    assert [[span.text for span in turn.reply] for turn in branch] == [["I found it only."]]
    assert branch[0].calls == ()


def test_a_database_with_children_and_with_rows_that_were_compacted() -> None:
    assert pruned("state.db") == [
        ("sea-6", 3, SUMMARISED, {"h1", "result:h1"}),
        ("sea-8", 3, SUMMARISED, {"h1", "result:h1"}),
    ]
    texts = [span.text for turn in read("state.db")[0] for span in turn.added]
    assert "Stop." not in texts  # it was taken back


def test_an_id_that_was_compressed_away() -> None:
    for name, session in (("export.jsonl", "sea-1"), ("state.db", "sea-6")):
        (report,) = audit([Input(str(FOLDER / name))])
        assert report.problems == []
        grave = [f for f in report.findings if f.severity > Severity.NOTE]
        told = [(f.rule, f.where.session, f.where.turn, f.handle) for f in grave]
        assert ("OR202", session, 3, "SHIP-70442G") in told


def test_a_session_that_goes_on_with_one_that_is_not_there() -> None:
    first = read("continued.jsonl")[0][0]
    assert [d.kind for d in first.decisions] == [DecisionKind.UNRECORDED]
    (report,) = audit([Input(str(FOLDER / "continued.jsonl"))])
    assert report.sessions[0].extent[Aspect.PROMPTS] is Extent.PARTIAL
    assert report.findings == []


def test_tools_are_offered_whole_or_by_name() -> None:
    whole, names = read("session_20260302.json")[0][0], read("state.db")[0][0]
    assert (
        set(whole.tools or ())
        == set(names.tools or ())
        == {
            "find_ship",
            "send_radio",
            "terminal",
        }
    )
    assert all(tool.parameters for tool in (whole.tools or {}).values())
    (report,) = audit([Input(str(FOLDER / "state.db"))])
    assert {s.extent[Aspect.SCHEMAS] for s in report.sessions} == {Extent.PARTIAL}


def test_trajectories_pair_calls_by_order() -> None:
    first, second = read("trajectories.jsonl")[0]
    assert [(c.id, c.tool, c.arguments) for c in first.calls] == [
        ("call:1", "find_ship", {"name": "Osprey"}),
        ("call:2", "terminal", {"command": "ls"}),
    ]
    assert [(s.call, s.text) for s in second.added] == [
        ("call:1", '{"ship_id":"SHIP-70442G"}'),
        ("call:2", "codes.txt"),
    ]


def test_nothing_compressed_nothing_found() -> None:
    for path in ("20260302_090000_ab12cd34.jsonl", "session_20260302.json"):
        (report,) = audit([Input(str(FOLDER / path))])
        assert report.findings == []
        assert [(s.turns, s.calls, s.decisions) for s in report.sessions] == [(4, 3, 0)]


def test_damage_is_told_by_line(tmp_path: Path) -> None:
    rows = (FOLDER / "20260302_090000_ab12cd34.jsonl").read_text().splitlines()
    rows[1:1] = ["7", json.dumps({"role": "assistant", "content": "x", "tool_calls": 5})]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    (report,) = audit([Input(str(path))])
    assert len(report.problems) == 2
    assert report.sessions[0].turns == 4
