"""Inspect logs: pools, attachments, agents and compactions; documents and archives alike."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import inspect_ai
from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Turn

TOOL = {"name": "find", "description": "Find.", "parameters": {"type": "object", "properties": {}}}
CALL = {"id": "c1", "function": "find", "arguments": {"id": "o-1"}, "type": "function"}
MESSAGES: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": "Find the order."},
    {"id": "m2", "role": "assistant", "content": "", "tool_calls": [CALL]},
    {"id": "m3", "role": "tool", "content": "found", "tool_call_id": "c1", "function": "find"},
]
CLEARED = [*MESSAGES[:2], {**MESSAGES[2], "id": "m4", "content": "(Tool result removed)"}]


def model(prompt: Any, answer: Any = "There.", **fields: Any) -> dict[str, Any]:
    message = answer if isinstance(answer, dict) else {"role": "assistant", "content": answer}
    return {
        "event": "model",
        "span_id": "agent",
        "model": "model-x",
        "input": prompt,
        "tools": [TOOL],
        "output": {"choices": [{"message": message}], "usage": {"input_tokens": 50}},
        **fields,
    }


def sample(*events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": "s1", "epoch": 1, "input": "x", "messages": [], "events": list(events), **fields}


def header(**fields: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}, **fields}


def save(path: Path, *samples: dict[str, Any]) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(header(samples=list(samples)), indent=1))
        return path
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header()))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
        archive.writestr("summaries.json", "[]")
    return path


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    assert adapter.NAME == "inspect"
    return list(adapter.read(Source((log,)))), log


@pytest.mark.parametrize("name", ["a.json", "a.eval"])
def test_prompts_of_a_sample(tmp_path: Path, name: str) -> None:
    first = model(MESSAGES[:1], MESSAGES[1])
    turns, log = read(save(tmp_path / name, sample(first, model(MESSAGES))))
    assert log.problems == []
    assert [turn.where.session for turn in turns] == ["s1/1", "s1/1"]
    assert [(c.id, c.tool, c.arguments) for c in turns[0].calls] == [("c1", "find", {"id": "o-1"})]
    assert [(s.kind, s.text, s.tool) for s in turns[1].added] == [(Kind.RESULT, "found", "find")]
    assert [s.text for s in turns[1].reply] == ["There."]
    assert (turns[1].prompt_tokens, sorted(turns[1].tools or ())) == (50, ["find"])


def test_a_pool_and_attachments(tmp_path: Path) -> None:
    pool = [MESSAGES[0], MESSAGES[1], {**MESSAGES[2], "content": "attachment://abc"}]
    told = model([], input_refs=[[0, 2], [2, 3]], tools=[{**TOOL, "description": "attachment://d"}])
    one = sample(
        told, events_data={"messages": pool}, attachments={"abc": "a long text", "d": "Find it."}
    )
    (turn,), _ = read(save(tmp_path / "a.eval", one))
    assert [s.text for s in turn.added][-1] == "a long text"
    assert [tool.description for tool in (turn.tools or {}).values()] == ["Find it."]


def test_an_edit_is_stated_and_its_agent_is_told_from_others(tmp_path: Path) -> None:
    strategy = {"strategy": "CompactionEdit"}
    edit = {"event": "compaction", "type": "edit", "span_id": "agent", "metadata": strategy}
    other = model([{"role": "user", "content": "Count."}], span_id="helper", tools=[])
    turns, _ = read(
        save(
            tmp_path / "a.json",
            sample(model(MESSAGES[:1], MESSAGES[1]), model(MESSAGES), edit, other, model(CLEARED)),
        )
    )
    pruned = [(t.where.session, d) for t in turns for d in t.decisions]
    assert [(s, d.kind, d.actor, d.explicit) for s, d in pruned] == [
        ("s1/1", DecisionKind.RESULT_CLEARED, "inspect CompactionEdit", True)
    ]
    assert pruned[0][1].spans == ("result:c1",)
    assert len({turn.where.session for turn in turns}) == 2


def test_what_the_model_thought(tmp_path: Path) -> None:
    content = [
        {"type": "reasoning", "reasoning": "By its id."},
        {"type": "reasoning", "reasoning": "x1y2", "redacted": True},
        {"type": "text", "text": "There."},
    ]
    (turn,), _ = read(
        save(
            tmp_path / "a.json",
            sample(model(MESSAGES[:1], {"role": "assistant", "content": content})),
        )
    )
    assert [(s.kind, s.text) for s in turn.reply] == [
        (Kind.REASONING, "By its id."),
        (Kind.ASSISTANT, "There."),
    ]


def test_errors_of_tools_and_of_the_model(tmp_path: Path) -> None:
    error = {"type": "timeout", "message": "Too slow."}
    failed = [*MESSAGES[:2], {**MESSAGES[2], "content": "", "error": error}]
    refused = {**model(failed, error="overloaded"), "output": {}}
    (turn,), _ = read(save(tmp_path / "a.json", sample(refused)))
    assert [(s.text, s.failed) for s in turn.added][-1] == ("Too slow.", True)
    assert turn.error == "overloaded"


def test_a_sample_without_events_shows_no_prompts(tmp_path: Path) -> None:
    one = {**sample(), "messages": [*MESSAGES, {"role": "assistant", "content": "There."}]}
    turns, _ = read(save(tmp_path / "a.json", one))
    assert [[gap.extent for gap in turn.gaps] for turn in turns] == [[Extent.NONE], []]
    (report,) = audit([Input(str(tmp_path / "a.json"))])
    assert report.sessions[0].extent[Aspect.PROMPTS] is Extent.NONE


@pytest.mark.parametrize(
    "damage",
    [
        {"events": [model(MESSAGES, input_refs=[[0]])]},
        {"events": [model(7)]},
        {"events": [model([{"role": "assistant", "content": "", "tool_calls": [7]}])]},
    ],
)
def test_a_damaged_sample_is_told_and_passed_over(tmp_path: Path, damage: dict[str, Any]) -> None:
    bad = {**sample(), "id": "bad", **damage}
    turns, log = read(save(tmp_path / "a.eval", bad, sample(model(MESSAGES))))
    assert [p.message[:17] for p in log.problems] == ["unexpected shape:"]
    assert [turn.where.session for turn in turns] == ["s1/1"]


def test_what_is_recognised() -> None:
    assert inspect_ai.recognises([{"member": "header.json", "data": header()}])
    assert inspect_ai.recognises([7, {"member": "samples/a.json", "data": sample()}])
    assert not inspect_ai.recognises([7, None, {"samples": []}, {"member": "a", "data": 7}])
    assert (FIXTURES / "adapters" / "inspect" / "incident.eval").is_file()


# -- real logs: what the three ways of compaction leave, and both containers ----------------------

STRATEGIES = ("edit", "trim", "edit_noinputs")


def real(real_logs: Path, strategy: str, suffix: str = ".json") -> Path:
    (path,) = (real_logs / "inspect").glob(f"*_inspect_{strategy}_tauretail20{suffix}")
    return path


def found(path: Path) -> Counter[tuple[Any, ...]]:
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    return Counter((f.rule, f.where.turn, f.tool, f.handle) for f in report.findings)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_compaction_is_one_decision(real_logs: Path, strategy: str) -> None:
    path = real(real_logs, strategy)
    (document,) = json.loads(path.read_text())["samples"]
    events = Counter(event["event"] for event in document["events"])
    turns, log = read(path)
    assert log.problems == []
    pruned = [turn for turn in turns if turn.decisions]
    assert sum(len(turn.decisions) for turn in pruned) == events["compaction"] == len(pruned)
    assert all(d.explicit for turn in pruned for d in turn.decisions)
    assert len(turns) == events["model"]
    assert sum(len(turn.calls) for turn in turns) == events["tool"]


def test_a_real_log_says_the_same_in_both_containers(real_logs: Path) -> None:
    in_json, in_eval = (found(real(real_logs, "edit", suffix)) for suffix in (".json", ".eval"))
    assert in_json
    assert in_json == in_eval


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_findings_hold_against_the_prompts_themselves(real_logs: Path, strategy: str) -> None:
    """Every handle that a call is said to have lost is in no text of the prompt it was made by."""
    path = real(real_logs, strategy)
    (document,) = json.loads(path.read_text())["samples"]
    told = json.dumps(document["events_data"]["messages"])
    for key, text in document["attachments"].items():
        told = told.replace(json.dumps(f"attachment://{key}"), json.dumps(text))
    pool, prompts = json.loads(told), []
    for event in document["events"]:
        if event["event"] == "model":
            ranges = event["input_refs"]
            prompts.append([m for start, end in ranges for m in pool[start:end]])
    checked = 0
    for rule, turn, _, handle in found(path):
        if rule == "OR202":
            texts = [json.dumps(m["content"]) for m in prompts[turn - 1]]
            earlier = [json.dumps(m["content"]) for p in prompts[: turn - 1] for m in p]
            assert not any(handle in text for text in texts)
            assert any(handle in text for text in earlier)
            checked += 1
    assert checked
