"""Tasks of Cline and Roo Code, and sessions of the Cline SDK."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, expand, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Severity, Turn

FOLDER = FIXTURES / "adapters" / "cline"
SDK = FIXTURES / "adapters" / "cline_sdk"
HISTORY = "api_conversation_history.json"


def turns(path: Path) -> list[Turn]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


def pruned(path: Path) -> list[tuple[int, str, list[str]]]:
    """Turn, kind and the calls and results of each decision."""
    return [
        (turn.where.turn, d.kind, [s for s in d.spans if not s.startswith("line:")])
        for turn in turns(path)
        for d in turn.decisions
    ]


def grave(path: Path) -> list[tuple[str, int, str | None]]:
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    found = [f for f in report.findings if f.severity > Severity.NOTE]
    return [(f.rule, f.where.turn, f.handle) for f in found]


def test_marks_are_replayed_when_the_user_was_told() -> None:
    assert pruned(FOLDER / "condensed") == [
        (3, DecisionKind.SPAN_SUMMARIZED, ["t1", "result:t1", "t2"]),
        (5, DecisionKind.SPAN_EVICTED, ["t3", "result:t3"]),
    ]
    # The last result had not been in a prompt when the summary took its place.
    third = turns(FOLDER / "condensed")[2]
    assert [str(span.kind) for span in third.added] == ["summary"]
    # What was ordered is out of sight at the end, too.
    assert grave(FOLDER / "condensed") == [("OR202", 3, "SEED-55301B"), ("RN301", 5, None)]


def test_without_what_was_shown_nothing_is_said_to_have_been_pruned_before_an_answer(
    tmp_path: Path,
) -> None:
    shutil.copy(FOLDER / "condensed" / HISTORY, tmp_path / HISTORY)
    found = turns(tmp_path / HISTORY)
    told = [(t.where.turn, t.final, len(t.decisions)) for t in found if t.decisions]
    # The summary bears its own time, which is none of a kept message's; the window does not.
    assert told == [(3, False, 1), (5, True, 1)]
    (report,) = audit([Input(str(tmp_path / HISTORY))])
    assert any("ui_messages.json" in note for note in report.sessions[0].notes)


def test_condensed_messages_that_were_removed_are_not_known() -> None:
    second = turns(FOLDER / "removed")[1]
    assert [d.kind for d in second.decisions] == [DecisionKind.UNRECORDED]
    assert [str(span.kind) for span in second.added] == ["result", "user", "summary"]
    (report,) = audit([Input(str(FOLDER / "removed"))])
    assert report.sessions[0].extent[Aspect.PROMPTS] is Extent.PARTIAL
    assert grave(FOLDER / "removed") == []


def test_calls_that_are_xml() -> None:
    found = turns(FOLDER / "removed")
    assert [[(c.tool, c.arguments) for c in turn.calls] for turn in found] == [
        [("read_file", {"path": "shed/rake.txt"})],
        [
            (
                "write_to_file",
                {
                    "path": "shed/list.md",
                    "content": "# Tools\nSee <path>shed</path> and </content> marks.",
                    "line_count": "2",
                },
            )
        ],
        [],
        [("attempt_completion", {"result": "The rake is lent."})],
    ]
    results = [s for turn in found for s in turn.added if str(s.kind) == "result"]
    assert [(span.call, span.failed) for span in results] == [("call:1", None), ("call:2", True)]
    assert found[0].reply[0].text.endswith("A tag such as <read_file> is a call.")


def test_tokens_are_of_the_request_before_the_answer() -> None:
    assert [turn.prompt_tokens for turn in turns(FOLDER / "condensed")] == [
        1000,
        1100,
        600,
        700,
        500,
    ]


def test_a_range_takes_messages_and_an_edit_a_block() -> None:
    third = turns(FOLDER / "range")[2]
    (evicted,) = third.decisions
    # In XML a result may stay where its call has gone.
    assert [s for s in evicted.spans if "call" in s] == ["result:call:1", "call:2"]
    (result,) = [span for span in third.added if str(span.kind) == "result"]
    assert result.text.startswith("[[NOTE] This file read has been removed")
    assert ("OR202", 3, "POT-90417C") in grave(FOLDER / "range")


@pytest.mark.parametrize("path", [FOLDER / "whole", SDK / "bees-2.messages.json"])
def test_nothing_pruned_nothing_found(path: Path) -> None:
    (report,) = audit([Input(str(path))])
    assert report.findings == []
    assert report.sessions[0].decisions == 0


def test_the_history_alone_finds_what_is_beside_it() -> None:
    for name in ("condensed", "removed", "range"):
        alone, whole = turns(FOLDER / name / HISTORY), turns(FOLDER / name)
        assert [t.decisions and t.decisions[0].spans for t in alone] == [
            t.decisions and t.decisions[0].spans for t in whole
        ]
        assert {t.where.session for t in alone} == {name}


def test_a_compaction_is_made_of_what_stands_beside_the_messages() -> None:
    assert pruned(SDK / "bees-1" / "bees-1.messages.json") == [
        (3, DecisionKind.SPAN_SUMMARIZED, ["k1", "result:k1"])
    ]
    assert grave(SDK / "bees-1" / "bees-1.messages.json") == [("OR202", 3, "HIVE-33208D")]


def test_a_compaction_of_another_name_counts_where_there_is_one_session(tmp_path: Path) -> None:
    shutil.copy(SDK / "bees-1" / "bees-1.messages.json", tmp_path / "bees-1.messages.json")
    shutil.copy(SDK / "bees-1" / "bees-1.compaction.json", tmp_path / "auto.compaction.json")
    assert len(pruned(tmp_path / "bees-1.messages.json")) == 1
    shutil.copy(SDK / "bees-2.messages.json", tmp_path / "bees-2.messages.json")
    assert pruned(tmp_path / "bees-1.messages.json") == []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (FOLDER / "range" / "ui_messages.json", "name its folder"),
        (SDK / "bees-1" / "bees-1.compaction.json", "name <session>.messages.json"),
        (SDK / "bees-1" / "session.json", "name <session>.messages.json"),
    ],
)
def test_what_is_no_conversation_tells_what_to_name(path: Path, told: str) -> None:
    (report,) = audit([Input(str(path))])
    (problem,) = report.problems
    assert told in problem.message
    assert problem.nothing


def test_a_folder_of_sessions_is_no_session() -> None:
    found = [Path(item.path).name for item in expand([str(SDK)])]
    assert found == [
        "bees-1.compaction.json",
        "bees-1.messages.json",
        "session.json",
        "bees-2.messages.json",
    ]
    reports = audit([Input(str(path), found=True) for path in SDK.rglob("*.json")])
    assert sorted(s.session for r in reports for s in r.sessions) == ["bees-1", "bees-2"]
    assert [p for r in reports for p in r.problems] == []


def test_damage_is_told(tmp_path: Path) -> None:
    rows: list[Any] = json.loads((FOLDER / "whole" / HISTORY).read_text())
    rows[2:2] = [7, {"role": "user", "content": [7]}]
    (tmp_path / HISTORY).write_text(json.dumps(rows))
    (report,) = audit([Input(str(tmp_path))])
    assert len(report.problems) == 2
    assert report.sessions[0].turns == 4


#: Turns and calls.
COUNTED = {
    "roo-code/natural-mini-uncondensed": (10, 9, 0),
    "roo-code/natural-already-condensed": (14, 13, 1),
    "cline/session.messages.json": (16, 11, 2),
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_of_real_logs(real_logs: Path, name: str) -> None:
    (report,) = audit([Input(str(real_logs / name))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == COUNTED[name]
    assert (report.findings, report.problems) == ([], [])
