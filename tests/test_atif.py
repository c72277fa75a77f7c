"""ATIF trajectories: runs over several files, handoffs, sub-agents, and what cannot be told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import atif
from ctxaudit.adapters.atif_run import _shortens
from ctxaudit.audit import Input, audit, expand, open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Turn

FOLDER = FIXTURES / "adapters" / "atif"
SUMMARY = DecisionKind.SPAN_SUMMARIZED


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    assert adapter.NAME == "atif"
    return list(adapter.read(Source((log,)))), log


def trajectory(*steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    numbered = [{"step_id": n, **step} for n, step in enumerate(steps, 1)]
    agent = {"name": "a", "version": "1"}
    return {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": numbered} | (
        fields
    )


def save(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


def say(source: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"source": source, "message": text, **fields}


def call(ident: str, tool: str = "t") -> dict[str, Any]:
    return {"tool_call_id": ident, "function_name": tool, "arguments": {}}


def test_a_folder_with_a_continuation_is_one_log() -> None:
    assert [Path(item.path).name for item in expand([str(FOLDER)])] == [
        "handoff.json",
        "nested.json",
        "run",
    ]
    assert not atif.folder(frozenset({"trajectory.json", "config.json"}))


def test_a_run_goes_on_in_another_file() -> None:
    turns, log = read(FOLDER / "run")
    assert log.problems == []
    run = [turn for turn in turns if turn.where.session == "run-1"]
    assert [[c.id for c in turn.calls] for turn in run] == [["c1"], ["c2"], ["c3"], []]
    (pruned,) = [d for turn in run for d in turn.decisions]
    assert (pruned.kind, pruned.explicit, pruned.where.turn) == (SUMMARY, True, 3)
    assert pruned.spans == ("step:3", "c1", "result:c1", "step:4", "c2")
    assert [(s.kind, s.id) for s in run[2].added] == [(Kind.SUMMARY, "step:3#2")]
    assert [Path(turn.where.path).name for turn in run[1:3]] == [
        "trajectory.json",
        "trajectory.cont-1.json",
    ]
    (report,) = audit([Input(str(FOLDER / "run"))])
    assert ("OR202", 3, "job_8841XK") in {(f.rule, f.where.turn, f.handle) for f in report.findings}


def test_the_first_file_alone_says_that_there_is_another() -> None:
    turns, log = read(FOLDER / "run" / "trajectory.json")
    assert log.notes == ["the run goes on in trajectory.cont-1.json, which is not part of this log"]
    assert [d for turn in turns for d in turn.decisions] == []


def test_a_handoff_within_a_file_leaves_the_first_prompt() -> None:
    turns, _ = read(FOLDER / "handoff.json")
    (pruned,) = [d for turn in turns for d in turn.decisions]
    assert (pruned.kind, pruned.spans, pruned.opaque) == (SUMMARY, ("step:2", "c1"), True)
    (report,) = audit([Input(str(FOLDER / "handoff.json"))])
    assert report.findings == []  # its summary is not in the log: it may have told the id
    assert report.sessions[0].extent[Aspect.SUMMARIES] is Extent.PARTIAL


def test_a_compaction_of_which_nothing_is_told_proves_nothing() -> None:
    turns, _ = read(FOLDER / "nested.json")
    (pruned,) = [d for turn in turns for d in turn.decisions]
    assert (pruned.kind, pruned.spans, pruned.exact) == (DecisionKind.UNRECORDED, (), False)
    assert [gap.aspect for gap in turns[1].gaps] == [Aspect.PROMPTS]


def test_an_embedded_agent_is_a_session() -> None:
    turns, _ = read(FOLDER / "nested.json")
    assert [turn.where.session for turn in turns] == [
        "nest-1",
        "nest-1",
        "nest-1/helper",
        "nest-1/helper",
    ]
    assert turns[0].calls[0].id == "c1"  # the step before it asked no model
    assert [s.id for s in turns[0].added if s.kind is Kind.CALL] == ["d0"]
    assert [s.text for s in turns[0].added if s.kind is Kind.USER] == ["Start a job.\n[image]"]


def test_a_continuation_that_copies_nothing_proves_nothing(tmp_path: Path) -> None:
    done = {"source_call_id": "c1", "content": "id ABC12345"}
    first = trajectory(
        say("user", "go"),
        say("agent", "", tool_calls=[call("c1")], observation={"results": [done]}),
        continued_trajectory_ref="trajectory.cont-1.json",
    )
    save(tmp_path / "trajectory.json", first)
    save(tmp_path / "trajectory.cont-1.json", trajectory(say("agent", "", tool_calls=[call("c2")])))
    turns, _ = read(tmp_path)
    assert [turn.decisions for turn in turns] == [(), ()]
    assert [gap.extent for gap in turns[1].gaps] == [Extent.PARTIAL]
    assert turns[1].where.turn == 2


def test_a_continuation_that_refers_to_itself_ends(tmp_path: Path) -> None:
    steps = (say("user", "go"), say("agent", "done"))
    save(tmp_path / "trajectory.json", trajectory(*steps, continued_trajectory_ref="b.json"))
    save(tmp_path / "trajectory.cont-1.json", trajectory(*steps, session_id="t"))
    save(tmp_path / "b.json", trajectory(*steps, continued_trajectory_ref="b.json"))
    turns, log = read(tmp_path)
    assert len(turns) == 3
    assert len(log.notes) == 1


def test_trajectories_a_line_are_sessions(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    one = trajectory(say("user", "go"), say("agent", "done"))
    path.write_text(f"{json.dumps(one)}\n{json.dumps(one)}\n")
    turns, _ = read(path)
    assert len({turn.where.session for turn in turns}) == 2


def test_tools_are_only_known_where_all_are_defined(tmp_path: Path) -> None:
    agent = {"name": "a", "version": "1", "tool_definitions": [{"name": "t"}]}
    for used, complete in (("t", True), ("other", False)):
        step = say("agent", "", tool_calls=[call("c1", used)])
        turns, _ = read(save(tmp_path / "a.json", trajectory(step, agent=agent)))
        assert sorted(turns[0].tools or ()) == ["t"]
        assert turns[0].complete is complete
    turns, _ = read(save(tmp_path / "a.json", trajectory(say("agent", "hi"))))
    assert turns[0].tools is None


def test_counts_of_several_calls_are_no_prompt(tmp_path: Path) -> None:
    metrics = {"prompt_tokens": 900}
    steps = [say("agent", "a", metrics=metrics, llm_call_count=n) for n in (1, 3)]
    turns, _ = read(save(tmp_path / "a.json", trajectory(*steps)))
    assert [turn.prompt_tokens for turn in turns] == [900, None]


@pytest.mark.parametrize(
    ("told", "shortened"),
    [
        ("Performed context summarization and handoff to continue task.", True),
        ("The conversation history was compacted.", True),
        ("<manual compaction>", True),
        ("Compacted conversation", True),
        ("You are a helpful agent. Keep to the task and report what you find.", False),
        ("The tests have passed.", False),
        ("Write a summary of the report", False),
    ],
)
def test_what_says_that_the_context_was_shortened(told: str, *, shortened: bool) -> None:
    assert _shortens(say("system", told)) is shortened
    assert _shortens(say("system", "x", extra={"context_management": {"type": "compaction"}}))


@pytest.mark.parametrize(
    "steps",
    [
        [{"step_id": 1, "source": "agent", "message": "", "tool_calls": [{"arguments": {}}]}],
        [{"step_id": 1, "source": "agent", "message": "", "tool_calls": 7}],
        [{"step_id": 1, "source": "agent", "message": "", "observation": 7}],
    ],
)
def test_a_damaged_trajectory_is_told(tmp_path: Path, steps: list[Any]) -> None:
    document = {**trajectory(), "steps": steps}
    turns, log = read(save(tmp_path / "a.json", document))
    assert [p.message[:17] for p in log.problems] == ["unexpected shape:"]
    assert len(turns) <= 1


def test_a_line_that_is_no_trajectory_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"[]\n{json.dumps(trajectory(say('agent', 'hi')))}\n{{}}\n")
    turns, log = read(path)
    assert ([p.line for p in log.problems], len(turns)) == ([1, 3], 1)
