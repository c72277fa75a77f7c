"""LangSmith runs: LangChain's own, those of wrapped clients, and the run of another format's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import langsmith
from ctxaudit.audit import open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Kind, Turn

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id":"o-1"}'}}
OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "Find the order."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "found", "tool_call_id": "c1"},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Find the order."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"id": "o-1"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}]},
]
PLAIN: list[dict[str, Any]] = [
    {"type": "human", "content": "Find the order.", "id": "m1"},
    {
        "type": "ai",
        "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"id": "o-1"}}],
        "tool_calls": [{"name": "find", "args": {"id": "o-1"}, "id": "c1", "type": "tool_call"}],
    },
    {"type": "tool", "content": "found", "tool_call_id": "c1", "status": "success"},
]


def constructor(message: dict[str, Any]) -> dict[str, Any]:
    """A message as LangChain serialises it."""
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    name = names[message["type"]]
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", name],
        "kwargs": message,
    }


def run(inputs: Any, outputs: Any, number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"run-{number}",
        "name": "ChatModel",
        "run_type": "llm",
        "inputs": inputs,
        "outputs": outputs,
        "extra": {
            "invocation_params": {"tools": [TOOL]},
            "metadata": {"thread_id": "th-1", "ls_model_name": "model-x"},
        },
        "start_time": f"2026-03-02T09:00:{number:02d}.000000",
        "parent_run_id": None,
        "trace_id": "tr-1",
        "dotted_order": f"20260302T0900{number:02d}000000Zrun-{number}",
        "session_id": "project-1",
        **fields,
    }


def read(path: Path, *values: Any) -> tuple[list[Turn], Log]:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    log, adapter = open_log(str(path))
    assert adapter.NAME == "langsmith"
    return list(adapter.read(Source((log,)))), log


SAID = {"type": "ai", "content": "There."}
GENERATIONS = {"generations": [[{"text": "There.", "message": constructor(SAID)}]]}


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"messages": [[constructor(m) for m in PLAIN]]}, GENERATIONS),
        ({"messages": [PLAIN]}, {"generations": [[{"message": SAID}]]}),
        ({"messages": PLAIN}, {"generations": [{"message": SAID}]}),
        (
            {"messages": [{"type": m["type"], "data": m} for m in PLAIN]},
            {"generations": [[{"message": {"type": "ai", "data": SAID}}]]},
        ),
        (
            {"messages": OPENAI, "model": "model-x", "tools": [TOOL]},
            {"choices": [{"message": {"role": "assistant", "content": "There."}}]},
        ),
        ({"messages": OPENAI}, {"role": "assistant", "content": "There."}),
        (
            {"messages": ANTHROPIC, "model": "model-y"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": "There."}],
            },
        ),
    ],
    ids=["constructors", "dicts", "list", "data", "openai", "message", "anthropic"],
)
def test_messages_of_every_client(tmp_path: Path, inputs: Any, outputs: Any) -> None:
    chain = {**run({}, {}, 2), "run_type": "chain"}
    (turn,), log = read(tmp_path / "a.jsonl", chain, run(inputs, outputs))
    assert log.problems == []
    assert [(s.kind, s.text, s.call) for s in turn.added] == [
        (Kind.USER, "Find the order.", None),
        (Kind.CALL, 'find {"id":"o-1"}', "c1"),
        (Kind.RESULT, "found", "c1"),
    ]
    assert [(s.kind, s.text) for s in turn.reply] == [(Kind.ASSISTANT, "There.")]
    assert sorted(turn.tools or ()) == ["find"]
    assert turn.where.session == "th-1"


def test_a_tool_that_failed_is_told(tmp_path: Path) -> None:
    messages = [*PLAIN[:2], {**PLAIN[2], "status": "error"}]
    (turn,), _ = read(tmp_path / "a.jsonl", run({"messages": [messages]}, GENERATIONS))
    assert [s.failed for s in turn.added] == [None, None, True]


def test_a_call_of_the_answer(tmp_path: Path) -> None:
    answer = {"generations": [[{"message": constructor(PLAIN[1])}]]}
    (turn,), _ = read(tmp_path / "a.jsonl", run({"messages": [PLAIN[:1]]}, answer))
    assert [(c.id, c.tool, c.arguments) for c in turn.calls] == [("c1", "find", {"id": "o-1"})]


def test_runs_within_runs_and_out_of_order(tmp_path: Path) -> None:
    first = run({"messages": [PLAIN[:1]]}, {"generations": [[{"message": PLAIN[1]}]]}, 1)
    second = run({"messages": [PLAIN]}, GENERATIONS, 3, prompt_tokens=90)
    chain = {**run({"input": "x"}, {}, 0), "run_type": "chain", "child_runs": [second, first]}
    turns, _ = read(tmp_path / "a.jsonl", chain)
    assert [turn.where.turn for turn in turns] == [1, 2]
    assert [len(turn.calls) for turn in turns] == [1, 0]
    assert turns[1].prompt_tokens == 90


def test_a_model_within_a_model_is_one_call(tmp_path: Path) -> None:
    outer = run({"messages": [PLAIN[:1]]}, GENERATIONS, 1)
    inner = run({"messages": OPENAI[:1]}, {"choices": []}, 2, parent_run_id="run-1")
    inner["outputs"] = {"choices": [{"message": {"content": "There."}}]}
    turns, _ = read(tmp_path / "a.jsonl", outer, inner)
    assert [turn.where.line for turn in turns] == [2]


def test_an_error_is_told(tmp_path: Path) -> None:
    failed = run({"messages": [PLAIN]}, None, 1, error="RateLimitError('slow down')")
    (turn,), _ = read(tmp_path / "a.jsonl", failed)
    assert turn.error == "RateLimitError('slow down')"


def test_without_a_thread_the_trace_is_the_conversation(tmp_path: Path) -> None:
    runs = [run({"messages": [PLAIN[:n]]}, GENERATIONS, n, extra={}) for n in (1, 3)]
    turns, _ = read(tmp_path / "a.jsonl", *runs)
    assert {turn.where.session for turn in turns} == {"tr-1"}
    assert turns[0].tools is None


@pytest.mark.parametrize(
    "inputs",
    [{"messages": [[7]]}, {"messages": [{"role": "assistant", "tool_calls": [{"id": "c1"}]}]}],
)
def test_a_damaged_run_is_told_and_passed_over(tmp_path: Path, inputs: Any) -> None:
    good = run({"messages": [PLAIN]}, GENERATIONS, 1)
    turns, log = read(tmp_path / "a.jsonl", good, run(inputs, GENERATIONS, 2), 7, None)
    assert len(turns) == 1
    assert [p.line for p in log.problems] in ([2], [])


def test_the_fixture_is_recognised_by_any_line() -> None:
    path = FIXTURES / "adapters" / "langsmith" / "incident.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(langsmith.recognises([line]) for line in lines)
    assert not langsmith.recognises([7, None, [], {"run_type": "llm"}])
