"""OpenHands: both generations of its events, results of evaluations, and its logs of requests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, expand, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Severity, Turn

FOLDER = FIXTURES / "adapters"
STREAM = FOLDER / "openhands" / "sessions" / "bake-1" / "events"
SDK = FOLDER / "openhands_sdk" / "conversations" / "bake-2"
SUMMARISED = DecisionKind.SPAN_SUMMARIZED


def turns(path: Path) -> list[Turn]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


def pruned(path: Path) -> list[tuple[int, str, set[str]]]:
    return [(t.where.turn, d.kind, set(d.spans)) for t in turns(path) for d in t.decisions]


def test_condensations_take_events_by_range_and_by_name() -> None:
    first, second = pruned(STREAM)
    assert first[:2] == (3, SUMMARISED)
    assert first[2] == {"line:1#4", "call_1", "call_2", "result:call_1", "result:call_2"}
    assert second == (4, SUMMARISED, {"line:1#5", "call_3", "result:call_3"})


def test_only_the_last_summary_stays_in_a_stream() -> None:
    summaries = {s.id: s.text for t in turns(STREAM) for s in t.added if s.kind is Kind.SUMMARY}
    assert list(summaries) == ["line:1#5", "line:1#7"]
    assert "line:1#5" in pruned(STREAM)[1][2]


def test_in_the_sdk_a_summary_stays_until_it_is_forgotten() -> None:
    (_, _, first), (_, _, second) = pruned(SDK)
    # What is left of a pair is not sent without the rest of it.
    assert first == {"k1", "result:k1", "k2", "result:k2"}
    assert second == {"line:1#2", "k4", "result:k4"}


@pytest.mark.parametrize("path", [STREAM, SDK], ids=["stream", "sdk"])
def test_one_answer_with_two_calls_is_one_turn(path: Path) -> None:
    first, second, *_ = turns(path)
    assert len(first.calls) == 2
    assert [span.failed for span in second.added] == [None, True]


def test_the_fourth_turn_uses_what_a_summary_gave_back() -> None:
    for path, file in ((STREAM, "13.json"), (SDK / "events", "event-00011-a4.json")):
        (report,) = audit([Input(str(path))])
        (found,) = [f for f in report.findings if f.severity > Severity.NOTE]
        # At the third turn the id of the oven was nowhere in the prompt, afterwards it was.
        assert (found.rule, found.where.turn, found.handle) == ("OR202", 3, "OVN-48213K")
        assert found.where.path == f"{path}/{file}"


@pytest.mark.parametrize("name", ["openhands/trajectory.json", "openhands_sdk/events.jsonl"])
def test_nothing_pruned_nothing_found(name: str) -> None:
    (report,) = audit([Input(str(FOLDER / name))])
    assert report.findings == []
    assert [session.decisions for session in report.sessions] == [0] * len(report.sessions)


def test_a_delegate_has_a_session_of_its_own() -> None:
    found = turns(FOLDER / "openhands" / "trajectory.json")
    sessions = [turn.where.session for turn in found]
    assert sessions == ["trajectory"] * 3 + ["trajectory/Counter-11"] * 2 + ["trajectory"]
    assert [span.text for span in found[-1].added] == ["Delegated agent finished: 12"]


def test_each_result_of_an_evaluation_is_a_session() -> None:
    (report,) = audit([Input(str(FOLDER / "openhands" / "output.jsonl"))])
    told = [(session.session, session.turns, session.calls) for session in report.sessions]
    assert told == [("hall-2", 2, 3), ("hall-3", 3, 3), ("line:3", 3, 3)]


def test_what_tools_the_sdk_offers() -> None:
    first = turns(SDK)[0]
    assert {name: bool(tool.parameters) for name, tool in (first.tools or {}).items()} == {
        "terminal": False,
        "set_oven": True,
        "list_ovens": False,
    }
    (report,) = audit([Input(str(SDK))])
    assert report.sessions[0].extent[Aspect.SCHEMAS] is Extent.PARTIAL


def test_folders_are_one_log_each() -> None:
    found = [Path(i.path).relative_to(FOLDER).as_posix() for i in expand([str(FOLDER)])]
    assert "openhands/sessions/bake-1/events" in found
    assert "openhands_sdk/conversations/bake-2" in found
    assert "requests/calls_in_files" in found


def test_a_folder_of_numbered_logs_is_no_stream(tmp_path: Path) -> None:
    for number in (0, 1):
        shutil.copy(FOLDER / "opencode" / "session.json", tmp_path / f"{number}.json")
    assert [Path(item.path).name for item in expand([str(tmp_path)])] == ["0.json", "1.json"]


def test_calls_in_files_are_put_in_order() -> None:
    found = turns(FOLDER / "requests" / "calls_in_files")
    assert [[call.id for call in turn.calls] for turn in found] == [["c1"], ["c2"], ["c3"]]
    assert [(d.kind, d.spans) for d in found[2].decisions] == [
        (DecisionKind.RESULT_CLEARED, ("result:c1",))
    ]


def test_damage_is_told_by_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    rows: list[object] = [
        {"kind": "MessageEvent", "source": "user", "llm_message": 7},
        [],
        {"kind": "ObservationEvent", "source": "environment", "observation": None},
        {"kind": "Condensation", "source": "environment", "forgotten_event_ids": 5},
        {"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant"}},
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [1, 2, 3, 4]
    assert report.sessions[0].turns == 1


#: Turns and calls: an answer may have several calls, or none.
COUNTED = {
    "OpenHands-basic_gui_mode.json": [(5, 4)],
    "examples-output.jsonl": [(23, 23), (33, 33), (49, 49)],
    "mock_output-output.jsonl": [(4, 4), (22, 22)],
    "software-agent-sdk-events.jsonl": [(2, 2)],
    "llm-logs": [(6, 6)],
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_of_real_logs(real_logs: Path, name: str) -> None:
    (report,) = audit([Input(str(real_logs / "openhands" / name))])
    assert [(s.turns, s.calls) for s in report.sessions] == COUNTED[name]
    assert (report.findings, report.problems) == ([], [])
