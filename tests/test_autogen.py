"""AutoGen: model calls with their prompts, and what states and results show of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Severity, Turn

FOLDER = FIXTURES / "adapters" / "autogen"


def turns(name: str) -> list[Turn]:
    log, adapter = open_log(str(FOLDER / name))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


@pytest.mark.parametrize("name", ["calls.jsonl", "states.jsonl"])
def test_what_a_context_leaves_out_is_inferred(name: str) -> None:
    pruned = [(t.where.turn, d) for t in turns(name) for d in t.decisions]
    ((turn, decision),) = pruned
    assert (turn, decision.kind, decision.explicit) == (3, DecisionKind.SPAN_EVICTED, False)
    assert {"q1", "result:q1"} <= set(decision.spans)
    (report,) = audit([Input(str(FOLDER / name))])
    grave = [f for f in report.findings if f.severity > Severity.NOTE]
    assert ("OR202", 3, "ROSE-61189L") in [(f.rule, f.where.turn, f.handle) for f in grave]


def test_agents_of_a_log_are_sessions() -> None:
    sessions = {turn.where.session for turn in turns("calls.jsonl")}
    assert sessions == {"gardener/default", "helper/default"}
    assert {turn.where.session for turn in turns("team_state.json")} == {
        "team_state/gardener",
        "team_state/helper",
    }


def test_an_agent_sees_what_all_say_and_its_own_calls() -> None:
    helper = [turn for turn in turns("result.json") if turn.where.session == "result/helper"]
    assert [[span.text for span in turn.added] for turn in helper] == [
        ["Prune the old rose.", '{"plant_id": "ROSE-61189L"}'],
        ["The knife is blunt."],
    ]
    gardener = [turn for turn in turns("result.json") if turn.where.session == "result/gardener"]
    assert [[call.id for call in turn.calls] for turn in gardener] == [["q1"], ["q3"], []]
    assert [turn.prompt_tokens for turn in gardener] == [300, 350, 400]
    assert [(s.call, s.failed) for t in gardener for s in t.added if s.call] == [
        ("q1", None),
        ("q3", True),
    ]


def test_a_chat_of_old() -> None:
    first, second = turns("chat_result.json")
    assert [call.id for call in first.calls] == ["q1", "q2"]
    assert [(span.call, span.text) for span in second.added] == [
        ("q1", "ROSE-61189L"),
        ("q2", "Error: no diary"),
    ]


@pytest.mark.parametrize("name", ["team_state.json", "result.json", "chat_result.json"])
def test_what_is_stored_shows_no_prompts(name: str) -> None:
    (report,) = audit([Input(str(FOLDER / name))])
    assert (report.findings, report.problems) == ([], [])
    assert {s.extent[Aspect.PROMPTS] for s in report.sessions} == {Extent.PARTIAL}
    assert {s.decisions for s in report.sessions} == {0}


@pytest.mark.parametrize(
    "bad",
    [
        7,
        {"type": "AssistantAgentState", "llm_context": {"messages": 5}},
        {"type": "AssistantAgentState", "llm_context": {"messages": [5]}},
        {"type": "LLMCall", "messages": ["x", 3], "response": {}},
    ],
)
def test_damage_is_told_by_line(bad: Any, tmp_path: Path) -> None:
    rows = (FOLDER / "states.jsonl").read_text().splitlines()
    rows[1:1] = [json.dumps(bad)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [2]
    assert report.sessions[-1].turns == 4
