"""Logs of agents that state their pruning: turns, decisions, results and sessions by value."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import DecisionKind, Kind, Turn

FOLDER = FIXTURES / "adapters"
SUMMARY, CLEARED = DecisionKind.SPAN_SUMMARIZED, DecisionKind.RESULT_CLEARED


def turns(path: Path) -> list[Turn]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


#: Fixture, and (session, turn, calls, decisions) of every turn; a decision is (kind, spans).
TURNS = {
    "pi/compaction.jsonl": [
        ("s-pi-1", 1, ["call_1|fc_1"], []),
        ("s-pi-1", 2, [], []),
        ("s-pi-1", 3, ["call_2|fc_2"], []),
        (
            "s-pi-1",
            4,
            [],
            [(SUMMARY, ("line:2", "line:3", "call_1|fc_1", "result:call_1|fc_1", "line:5"))],
        ),
    ],
    "pi/branch.jsonl": [
        ("s-pi-1", 1, ["c1"], []),
        ("s-pi-1", 2, [], []),
        ("s-pi-1", 3, ["c1#2"], []),
        ("s-pi-1", 3, [], []),
    ],
    "pi/linear.jsonl": [
        ("s-pi-1", 1, ["c1"], []),
        ("s-pi-1", 2, [], [(SUMMARY, ("line:2", "line:3", "c1"))]),
    ],
    "opencode/session.json": [
        ("ses_boats", 1, ["t1"], []),
        ("ses_boats", 2, [], []),
        ("ses_boats", 3, ["t2"], [(CLEARED, ("result:t1",))]),
        ("ses_boats", 4, [], [(SUMMARY, None)]),
        ("ses_boats", 5, ["t3"], []),
        ("ses_boats", 5, [], []),
    ],
    "opencode/plugin.json": [
        ("ses_plugin", 1, ["t1"], []),
        ("ses_plugin", 2, [], []),
        ("ses_plugin", 3, ["t2"], []),
        ("ses_plugin", 4, [], []),
        ("ses_plugin", 4, [], [(CLEARED, ("result:t1",))]),
    ],
    "gemini_cli/record.json": [("gem-1", 1, ["k1"], []), ("gem-1", 2, [], [])],
    "gemini_cli/lines.jsonl": [
        ("gem-2", 1, ["k1"], []),
        ("gem-2", 2, [], []),
        ("gem-2", 3, ["k2"], []),
        ("gem-2", 4, ["k3"], []),
        ("gem-2", 5, [], [(SUMMARY, None)]),
    ],
    "gemini_cli/chat.json": [
        ("chat", 1, ["call:1", "call:2"], []),
        ("chat", 2, [], []),
    ],
    "copilot_cli/events.jsonl": [
        ("cop-1", 1, ["c1"], []),
        ("cop-1", 2, ["c2"], []),
        ("cop-1/c2", 1, ["h1c"], []),
        ("cop-1/c2", 2, [], []),
        ("cop-1", 3, ["c3"], []),
        ("cop-1", 4, [], [(SUMMARY, None)]),
    ],
}


@pytest.mark.parametrize("name", TURNS)
def test_turns(name: str) -> None:
    told = []
    for turn, (*_, wanted) in zip(turns(FOLDER / name), TURNS[name], strict=True):
        decisions = [
            (d.kind, d.spans if n >= len(wanted) or wanted[n][1] is not None else None)
            for n, d in enumerate(turn.decisions)
        ]
        told.append((turn.where.session, turn.where.turn, [c.id for c in turn.calls], decisions))
        assert all(decision.explicit for decision in turn.decisions)
    assert told == TURNS[name]


def test_a_compaction_keeps_the_tail() -> None:
    (compacted,) = (t for t in turns(FOLDER / "opencode" / "session.json") if t.where.turn == 4)
    assert "result:t1" in compacted.decisions[0].spans
    assert "result:t2" not in compacted.decisions[0].spans
    assert [span.kind for span in compacted.added if span.text.startswith("B-17 is")] == [
        Kind.SUMMARY
    ]


def test_a_compaction_beside_the_agent_takes_what_stood_when_it_began() -> None:
    last = turns(FOLDER / "copilot_cli" / "events.jsonl")[-1]
    (decision,) = last.decisions
    assert {"c1", "c2", "result:c2"} <= set(decision.spans)
    assert "c3" not in decision.spans


def test_results_tell_failures() -> None:
    failed = [
        (span.call, span.failed)
        for name in TURNS
        for turn in turns(FOLDER / name)
        for span in turn.added
        if span.kind is Kind.RESULT and span.failed
    ]
    assert failed == [("c1", True), ("t3", True), ("call:2", True), ("c3", True)]


def test_a_masked_result_that_the_model_has_not_seen_is_as_it_was_sent() -> None:
    fourth, fifth = turns(FOLDER / "gemini_cli" / "lines.jsonl")[-2:]
    assert [call.id for call in fourth.calls] == ["k3"]
    assert {"k1", "result:k1"} <= set(fifth.decisions[0].spans)
    texts = [span.text for span in fifth.added if span.kind is Kind.RESULT]
    assert len(texts) == 1


def test_a_rewind_is_no_pruning() -> None:
    fourth = turns(FOLDER / "gemini_cli" / "lines.jsonl")[3]
    assert {"g4", "k2"} <= set(fourth.withdrawn)
    assert fourth.decisions == ()


@pytest.mark.parametrize("name", ["messages", "query"])
def test_observations_that_a_processor_took_out(name: str) -> None:
    found = turns(FOLDER / "swe_agent" / f"{name}.traj")
    assert [[call.id for call in turn.calls] for turn in found] == [["s0"], ["s1"], ["s2"]][
        : len(found)
    ] or name == "query"
    pruned = [(t.where.turn, d.kind, d.spans) for t in found for d in t.decisions]
    assert pruned == [(3, CLEARED, ("result:s0",))]


def test_actions_in_texts_are_calls() -> None:
    first, second = turns(FOLDER / "swe_agent" / "texts.traj")
    assert [call.arguments for call in first.calls] == [{"command": "ls"}]
    assert [span.kind for span in second.added] == [Kind.RESULT]
    assert second.gaps or first.gaps


def test_a_branch_is_no_pruning() -> None:
    third = turns(FOLDER / "pi" / "branch.jsonl")[2]
    assert set(third.withdrawn) == {"c1", "result:c1", "line:5"}
    (report,) = audit([Input(str(FOLDER / "pi" / "branch.jsonl"))])
    assert report.findings == []


PI = [
    {"type": "session", "cwd": "/", "id": "s"},
    {"type": "message", "message": 3},
    {"type": "message", "timestamp": "t", "message": {"role": "assistant", "content": 7}},
]
COPILOT = [
    {"type": "user.message", "parentId": None, "data": {"content": "x"}},
    {"type": "assistant.message", "parentId": "x", "data": {"toolRequests": 5}},
    {"type": "tool.execution_complete", "parentId": "x", "data": 7},
]


@pytest.mark.parametrize("rows", [PI, COPILOT], ids=["pi", "copilot"])
def test_damage_is_told_by_line(rows: list[object], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (report,) = audit([Input(str(path))])
    assert [p.line for p in report.problems if not p.nothing] == [2, 3]
    assert all(p.message.startswith("unexpected shape") for p in report.problems if p.line)


#: Calls, and compactions or prunings, that independent scripts have counted.
COUNTED = {
    "pi/pi-mono-before-compaction.jsonl": (454, 2),
    "pi/pi.dev-019dbe19-ca83-74b3-b3ca-230160eb3875.jsonl": (107, 1),
    "pi/preloop-01a01b67-3442-7001-9170-c6557e48b66d.jsonl": (36, 0),
    "opencode/learn-p5-ses_03ceaf612ffewjSUbIIK8LuhXu.json": (213, 3),
    "opencode/learn-p5-ses_05c124b05ffexe198kAl9VVoyz.json": (78, 0),
    "copilot-cli/StarCar-70b173ed-7b83-485a-b71a-5adb0591db07.jsonl": (246, 1),
    "copilot-cli/agentv-10fb4666-56f0-4352-90fc-715caf95b418.jsonl": (68, 0),
    # The compactions that a script counts here are words in source code that a tool has read.
    "gemini-cli/gemini-cli-NotFollowingUserIntent.json": (56, 0),
    "gemini-cli/gemini-cli-failed_to_enter_planmode.json": (39, 0),
    "sweagent/function_calling_replace_from_source.traj": (13, 8),
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_of_real_logs(real_logs: Path, name: str) -> None:
    found = turns(real_logs / name)
    kinds = Counter(d.kind for turn in found for d in turn.decisions)
    calls = sum(len(turn.calls) for turn in found)
    assert (calls, kinds[SUMMARY] + kinds[CLEARED]) == COUNTED[name]
