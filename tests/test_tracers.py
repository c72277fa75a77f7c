"""Exports of Langfuse, LiteLLM, Weave, Braintrust and Helicone: one story in every shape, and what
is peculiar to each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import ai_sdk, unwrapped
from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Turn

FOLDER = FIXTURES / "adapters"
#: Fixture, and the name of its one session.
STORIES = {
    "langfuse/observations.jsonl": "desk-1",
    "langfuse/langchain.jsonl": "trace-9",
    "litellm/payloads.jsonl": "desk-1",
    "litellm/spend.jsonl": "conversation-1",
    "weave/calls.jsonl": "desk-1",
    "braintrust/spans.jsonl": "desk-1",
    "braintrust/page.json": "span-root",
    "helicone/requests.jsonl": "desk-1",
    "vscode_debug/session": "desk-1",
}
FINDINGS = [
    (4, "GT101", "create_reservation", None),
    (4, "OR201", "create_reservation", "mem_7Q4X2K"),
    (4, "OR202", "send_notice", "mem_7Q4X2K"),
    (5, "GT102", "create_reservation", None),
    (5, "GT103", "create_reservation", None),
]


def write(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    return list(adapter.read(Source((log,)))), log


@pytest.mark.parametrize("name", STORIES)
def test_one_story(name: str) -> None:
    (report,) = audit([Input(str(FOLDER / name))])
    assert report.problems == []
    assert [(f.where.turn, f.rule, f.tool, f.handle) for f in report.findings] == FINDINGS
    (session,) = report.sessions
    assert (session.session, session.turns, session.calls) == (STORIES[name], 6, 5)
    assert session.extent[Aspect.PROMPTS] is Extent.FULL


@pytest.mark.parametrize("name", STORIES)
def test_turns_by_value(name: str) -> None:
    found, log = read(FOLDER / name)
    assert log.problems == []
    turns = [turn for turn in found if not turn.error]
    assert [[c.id for c in turn.calls] for turn in turns] == [
        ["call_1"],
        ["call_2"],
        ["call_3"],
        ["call_4"],
        ["call_5"],
        [],
    ]
    assert [c.arguments for turn in turns for c in turn.calls][:2] == [
        {"name": "Ada Quist"},
        {"title": "The Tidal Year"},
    ]
    assert [sorted(turn.tools or ()) for turn in turns[2:4]] == [
        ["create_reservation", "find_book", "find_member", "send_notice"],
        ["find_book", "find_member", "send_notice"],
    ]
    (cleared,) = [d for turn in turns for d in turn.decisions]
    assert (cleared.kind, cleared.where.turn) == (DecisionKind.RESULT_CLEARED, 4)
    assert cleared.spans == ("result:call_1",)
    assert [s.text for s in turns[5].reply] == ["The book is held and Ada has a notice."]
    assert [turn.prompt_tokens for turn in turns] == [180, 220, 260, 300, 340, 380]


def test_a_failed_call_and_its_retry_are_one_turn() -> None:
    turns, _ = read(FOLDER / "litellm" / "payloads.jsonl")
    assert [(turn.where.turn, turn.error) for turn in turns[2:4]] == [
        (3, "429 RateLimitError: slow down"),
        (3, None),
    ]


def test_an_error_is_told(tmp_path: Path) -> None:
    story = rows("litellm/payloads.jsonl")
    failed = next(r for r in story if r["status"] == "failure")
    turns, _ = read(write(tmp_path / "a.jsonl", [story[0], failed]))
    assert turns[-1].error == "429 RateLimitError: slow down"
    observation = next(r for r in rows("langfuse/observations.jsonl") if r["id"] == "obs-0")
    observation |= {"level": "ERROR", "statusMessage": "overloaded", "output": None}
    turns, _ = read(write(tmp_path / "b.jsonl", [observation]))
    assert [turn.error for turn in turns] == ["overloaded"]
    request = rows("helicone/requests.jsonl")[1]
    request |= {"response_status": 529, "response_body": {"error": {"message": "overloaded"}}}
    turns, _ = read(write(tmp_path / "c.jsonl", [request]))
    assert [turn.error for turn in turns] == ["529 overloaded"]


def test_prompts_that_were_not_stored_are_no_turns(tmp_path: Path) -> None:
    stripped = [{**row, "proxy_server_request": "{}"} for row in rows("litellm/spend.jsonl")]
    (report,) = audit([Input(str(write(tmp_path / "a.jsonl", stripped)))])
    assert [(p.message, p.nothing) for p in report.problems] == [
        ("no turn in it: nothing to audit", True)
    ]


@pytest.mark.parametrize("mark", ["... (litellm_truncated 900 chars) ...", "redacted-by-litellm"])
def test_shortened_and_hidden_prompts_prove_nothing(tmp_path: Path, mark: str) -> None:
    story = rows("litellm/payloads.jsonl")
    for row in story:
        if isinstance(row["messages"], list):
            row["messages"] = [
                {**m, "content": mark} if m["role"] == "tool" and n > 4 else m
                for n, m in enumerate(row["messages"])
            ]
    (report,) = audit([Input(str(write(tmp_path / "a.jsonl", story)))])
    (session,) = report.sessions
    assert session.extent[Aspect.PROMPTS] is Extent.PARTIAL
    assert not [f for f in report.findings if f.rule.startswith("OR")]


def test_a_cut_input_proves_nothing(tmp_path: Path) -> None:
    story = rows("langfuse/langchain.jsonl")
    for row in story:
        if row["id"] == "run-4":
            row["input"] = row["input"][:200]
    turns, _ = read(write(tmp_path / "a.jsonl", story))
    assert [gap.aspect for turn in turns for gap in turn.gaps] == [Aspect.PROMPTS]
    assert [d.kind for turn in turns for d in turn.decisions] == [DecisionKind.RESULT_CLEARED]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("langfuse/observations.jsonl", {"input": {"messages": [7]}}),
        ("litellm/payloads.jsonl", {"messages": [7, {"role": "user", "content": "x"}]}),
        ("weave/calls.jsonl", {"inputs": {"messages": [7], "model": "m"}}),
        ("braintrust/spans.jsonl", {"input": [{"role": "user", "content": "x"}, 7]}),
        ("helicone/requests.jsonl", {"request_body": {"messages": [7]}}),
    ],
)
def test_a_damaged_row_is_told_and_passed_over(
    tmp_path: Path, name: str, damage: dict[str, Any]
) -> None:
    story = rows(name)
    at = max(n for n, row in enumerate(story) if _prompted(row))
    story[at] |= damage
    turns, log = read(write(tmp_path / "a.jsonl", [*story, "no object", 3, None, []]))
    assert [(p.line, p.message[:17]) for p in log.problems] == [(at + 1, "unexpected shape:")]
    assert len(turns) >= 4


def _prompted(row: dict[str, Any]) -> bool:
    prompt = row.get("messages") or row.get("input") or row.get("inputs") or row.get("request_body")
    if row.get("type") not in (None, "GENERATION") or "run" in str(row.get("op_name")):
        return False
    return isinstance(prompt, (list, dict)) and "ask_model" not in str(row.get("op_name"))


def test_a_trace_of_one_call_names_no_conversation(tmp_path: Path) -> None:
    story = [
        {**row, "sessionId": None, "traceId": row["id"]}
        for row in rows("langfuse/observations.jsonl")
    ]
    turns, _ = read(write(tmp_path / "a.jsonl", story))
    assert {turn.where.session for turn in turns} == {"conversation-1"}
    assert len(turns) == 6


def test_a_trace_with_its_observations(tmp_path: Path) -> None:
    story = [{**row, "sessionId": None} for row in rows("langfuse/observations.jsonl")]
    trace = {"id": "trace-1", "sessionId": "s-9", "observations": story}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace, indent=1))
    turns, _ = read(path)
    assert {turn.where.session for turn in turns} == {"s-9"}
    assert len(turns) == 6


def test_two_agents_of_a_trace_are_two_sessions(tmp_path: Path) -> None:
    story = rows("braintrust/spans.jsonl")
    other = []
    for row in story:
        if row["span_attributes"]["type"] == "llm":
            told = json.loads(json.dumps(row["input"]).replace("desk of", "cellar of"))
            told[1]["content"] = "Count the boxes."
            extra = {"id": f"b{row['id']}", "span_id": f"b{row['span_id']}", "input": told[:2]}
            other.append({**row, **extra, "output": [{"message": {"content": row["span_id"]}}]})
    turns, _ = read(write(tmp_path / "a.jsonl", [*story, *other[:1]]))
    count = [turn.where.session for turn in turns]
    assert (count.count("desk-1"), len(set(count))) == (6, 2)


def test_what_is_no_chat_is_passed_over() -> None:
    assert unwrapped.request("Once upon a time") is None
    assert unwrapped.request({"question": "why?"}) is None
    assert unwrapped.request([1, 2]) is None
    assert unwrapped.request(None) is None


@pytest.mark.parametrize(
    "prompt",
    [
        {"messages": [{"role": "user", "content": "hi"}]},
        '{"messages": [{"role": "user", "content": "hi"}]}',
        [{"role": "user", "content": "hi"}],
        [[{"role": "user", "content": "hi"}]],
        {"args": [], "kwargs": {"messages": [{"role": "user", "content": "hi"}]}},
        {"prompt": [{"role": "user", "content": "hi"}]},
        {"messages": [[{"type": "human", "content": "hi", "id": "m1"}]]},
        [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "messages", "HumanMessage"],
                "kwargs": {"content": "hi", "type": "human"},
            }
        ],
    ],
)
def test_wrappings_of_a_prompt(prompt: Any) -> None:
    body = unwrapped.request(prompt, None, [{"name": "t", "parameters": {}}])
    assert body is not None
    assert body["messages"] == [{"role": "user", "content": "hi"}]
    assert body["tools"] == [{"name": "t", "parameters": {}}]


LC = {"lc": 1, "type": "constructor"}
CALL = {"id": "c1", "function": {"name": "t", "arguments": '{"a":1}'}}


@pytest.mark.parametrize(
    ("answer", "body", "told"),
    [
        (
            "hi",
            {"messages": []},
            {"choices": [{"message": {"role": "assistant", "content": "hi"}}]},
        ),
        (
            {"content": None, "tool_calls": [CALL]},
            {"messages": []},
            {
                "choices": [
                    {"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}}
                ]
            },
        ),
        (
            {"role": "assistant", "content": "hi"},
            {"messages": [], "system": "s"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": "hi"}],
            },
        ),
        (
            {"role": "assistant", "tool_calls": [CALL]},
            {"input": []},
            {
                "object": "response",
                "output": [
                    {
                        "type": "function_call",
                        "call_id": "c1",
                        "name": "t",
                        "arguments": '{"a":1}',
                    }
                ],
            },
        ),
        (
            "hi",
            {"contents": []},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}}]},
        ),
        (
            {
                "generations": [
                    [{"message": {"id": ["AIMessage"], "kwargs": {"content": "hi"}, **LC}}]
                ]
            },
            {"messages": []},
            {"choices": [{"message": {"role": "assistant", "content": "hi"}}]},
        ),
        ('{"cut": [', {"messages": []}, None),
        ({"status": "ok"}, {"messages": []}, None),
        ("", {"messages": []}, None),
    ],
)
def test_wrappings_of_an_answer(answer: Any, body: dict[str, Any], told: Any) -> None:
    assert unwrapped.response(answer, body) == told


def test_items_of_the_responses_api_are_told_by_their_answer() -> None:
    output = [{"type": "function_call", "call_id": "c1", "name": "t", "arguments": "{}"}]
    assert unwrapped.request("hi", output) == {"input": "hi"}
    prompt = [{"role": "user", "content": "hi"}]
    assert unwrapped.request(prompt, output) == {"input": prompt}


def test_messages_of_the_ai_sdk_in_both_versions() -> None:
    old = {"type": "tool-call", "toolCallId": "c1", "toolName": "t", "args": {"a": 1}}
    new = {"type": "tool-call", "toolCallId": "c1", "toolName": "t", "input": {"a": 1}}
    told = {"id": "c1", "function": {"name": "t", "arguments": {"a": 1}}}
    for part in (old, new):
        message = {"role": "assistant", "content": [{"type": "text", "text": "so"}, part]}
        assert list(ai_sdk.plain(message)) == [
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "so"}],
                "tool_calls": [told],
            }
        ]
    results = [
        {"type": "tool-result", "toolCallId": "c1", "result": {"b": 2}},
        {"type": "tool-result", "toolCallId": "c2", "output": {"type": "text", "value": "two"}},
    ]
    assert [(m["tool_call_id"], m["content"]) for m in ai_sdk.plain({"content": results})] == [
        ("c1", {"b": 2}),
        ("c2", "two"),
    ]
