"""OpenInference spans: containers, attributes flat and nested, and spans that have lost some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import openinference
from ctxaudit.audit import open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, Kind, Turn

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
DROP = {"name": "drop", "input_schema": {"type": "object"}}
CALL = {"id": "c1", "function": {"name": "find", "arguments": '{"id": "o-1"}'}}
PROMPT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Find the order."},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "found", "tool_call_id": "c1"},
]


def flattened(prompt: list[dict[str, Any]], answer: str = "There.") -> dict[str, Any]:
    """The attributes of a call."""
    out: dict[str, Any] = {"openinference.span.kind": "LLM"}
    for n, message in enumerate(prompt):
        start = f"llm.input_messages.{n}.message"
        for key in ("role", "content", "tool_call_id"):
            if key in message:
                out[f"{start}.{key}"] = message[key]
        for k, call in enumerate(message.get("tool_calls", ())):
            at = f"{start}.tool_calls.{k}.tool_call"
            out[f"{at}.id"] = call["id"]
            out[f"{at}.function.name"] = call["function"]["name"]
            out[f"{at}.function.arguments"] = call["function"]["arguments"]
    out["llm.output_messages.0.message.role"] = "assistant"
    out["llm.output_messages.0.message.content"] = answer
    out["llm.tools.0.tool.json_schema"] = json.dumps(TOOL)
    out["llm.tools.1.tool.json_schema"] = json.dumps(DROP)
    return out


def span(attributes: dict[str, Any], number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "name": "ChatModel",
        "context": {"trace_id": "0x" + "a" * 32, "span_id": f"0x{number:016x}"},
        "parent_id": None,
        "start_time": f"2026-03-02T09:00:{number:02d}.000000Z",
        "status": {"status_code": "OK"},
        "attributes": attributes,
        **fields,
    }


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Attributes as an export nests them: lists of objects for numbers."""
    out: dict[str, Any] = {}
    for key, value in flat.items():
        at, *path = key.split(".")
        target = out.setdefault(at, {})
        for step in path[:-1]:
            target = target.setdefault(step, {})
        target[path[-1]] = value
    return dict(out)


def save(path: Path, *values: Any) -> Path:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return path


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    assert adapter.NAME == "openinference"
    return list(adapter.read(Source((log,)))), log


def check(turn: Turn) -> None:
    """That a turn is the call of ``PROMPT``."""
    assert [(s.kind, s.text) for s in turn.added] == [
        (Kind.SYSTEM, "Be brief."),
        (Kind.USER, "Find the order."),
        (Kind.CALL, 'find {"id":"o-1"}'),
        (Kind.RESULT, "found"),
    ]
    assert [s.text for s in turn.reply] == ["There."]
    assert sorted(turn.tools or ()) == ["drop", "find"]
    assert turn.gaps == ()


@pytest.mark.parametrize(
    "value",
    [
        span(flattened(PROMPT)),
        span(nested(flattened(PROMPT))),
        [span(flattened(PROMPT))],
        {
            "trace_id": "t",
            "spans": [
                {
                    "span_id": "a",
                    "span_attributes": {"openinference.span.kind": "AGENT"},
                    "child_spans": [{"span_attributes": flattened(PROMPT), "start_time": "1"}],
                }
            ],
        },
        span({k: v for k, v in flattened(PROMPT).items() if "kind" not in k}, span_kind="LLM"),
    ],
    ids=["flat", "nested", "list", "tree", "phoenix"],
)
def test_containers(tmp_path: Path, value: Any) -> None:
    other = span({"openinference.span.kind": "TOOL", "tool.name": "find"}, 2)
    (turn,), log = read(save(tmp_path / "a.jsonl", value, other))
    assert log.problems == []
    check(turn)


def test_contents_in_parts_and_old_tools(tmp_path: Path) -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "one",
        "llm.input_messages.0.message.contents.1.message_content.type": "image",
        "llm.input_messages.0.message.contents.2.message_content.text": "two",
        "llm.invocation_parameters": json.dumps({"tools": [TOOL]}),
        "llm.token_count.prompt": 40,
        "session.id": "s-1",
    }
    (turn,), _ = read(save(tmp_path / "a.jsonl", span(attributes)))
    assert [s.text for s in turn.added] == ["one\ntwo"]
    assert (sorted(turn.tools or ()), turn.prompt_tokens) == (["find"], 40)
    assert turn.where.session == "s-1"
    assert turn.trace == ("a" * 32, f"{1:016x}")


def test_an_error_is_told(tmp_path: Path) -> None:
    sdk = span(flattened(PROMPT), status={"status_code": "ERROR", "description": "no quota"})
    phoenix = span(flattened(PROMPT), status=None, status_code="ERROR", status_message="no quota")
    for value in (sdk, phoenix):
        (turn,), _ = read(save(tmp_path / "a.jsonl", value))
        assert turn.error == "no quota"


def without(attributes: dict[str, Any], *parts: str) -> dict[str, Any]:
    return {k: v for k, v in attributes.items() if not any(part in k for part in parts)}


BODY = {"messages": PROMPT, "model": "model-x"}
LANGCHAIN = {
    "messages": [
        [
            {"type": "system", "content": "Be brief."},
            {"type": "human", "content": "Find the order."},
            {
                "type": "ai",
                "content": "",
                "tool_calls": [{"name": "find", "args": {"id": "o-1"}, "id": "c1"}],
            },
            {"type": "tool", "content": "found", "tool_call_id": "c1"},
        ]
    ]
}
ANTHROPIC = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "Find the order."},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"id": "o-1"}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}],
        },
    ],
}


@pytest.mark.parametrize("copy", [BODY, LANGCHAIN], ids=["body", "langchain"])
@pytest.mark.parametrize("lost", ["input_messages.0.", "input_messages.1.", "messages.0.message.r"])
def test_the_second_copy_stands_for_what_was_lost(tmp_path: Path, copy: Any, lost: str) -> None:
    attributes = {**without(flattened(PROMPT), lost), "input.value": json.dumps(copy)}
    attributes["output.value"] = json.dumps({"choices": [{"message": {"content": "There."}}]})
    (turn,), _ = read(save(tmp_path / "a.jsonl", span(attributes)))
    check(turn)


def test_the_second_copy_may_be_anthropics(tmp_path: Path) -> None:
    attributes = without(flattened(PROMPT), "input_messages.0.", "output_messages")
    attributes["input.value"] = json.dumps(ANTHROPIC)
    answer = [{"type": "tool_use", "id": "c2", "name": "drop", "input": {}}]
    attributes["output.value"] = json.dumps({"role": "assistant", "content": answer})
    (turn,), _ = read(save(tmp_path / "a.jsonl", span(attributes)))
    assert [s.kind for s in turn.added] == [Kind.SYSTEM, Kind.USER, Kind.CALL, Kind.RESULT]
    assert [(c.id, c.tool) for c in turn.calls] == [("c2", "drop")]


@pytest.mark.parametrize(
    "second",
    [
        span(without(flattened(PROMPT), "input_messages.1."), 2),
        span(without(flattened(PROMPT), "input_messages.1."), 2, dropped_attributes_count=3),
        span(flattened(PROMPT[:2]), 2, dropped_attributes_count=9),
        span(
            without(flattened(PROMPT), "input_messages.0.")
            | {"input.value": json.dumps(BODY)[:90]},
            2,
        ),
        span(flattened(PROMPT[:2]) | {f"metadata.{n}": 0 for n in range(119)}, 2),
    ],
    ids=["gap", "gap-and-count", "count", "copy-cut-too", "as-many-as-are-kept"],
)
def test_a_cut_span_proves_nothing(tmp_path: Path, second: Any) -> None:
    turns, log = read(save(tmp_path / "a.jsonl", span(flattened(PROMPT)), second))
    assert log.problems == []
    assert [gap.aspect for gap in turns[1].gaps] == [Aspect.PROMPTS]
    assert [d for turn in turns for d in turn.decisions] == []


@pytest.mark.parametrize(
    ("attributes", "tools", "complete"),
    [
        (without(flattened(PROMPT), "llm.tools.0."), None, True),
        (without(flattened(PROMPT), "llm.tools."), None, True),
        (
            flattened(PROMPT) | {"llm.tools.1.tool.json_schema": json.dumps(DROP)[:15]},
            ["find"],
            False,
        ),
    ],
    ids=["first-lost", "none", "one-cut"],
)
def test_tools_that_were_cut_are_not_gone(
    tmp_path: Path, attributes: dict[str, Any], tools: Any, *, complete: bool
) -> None:
    longer = [*PROMPT, {"role": "user", "content": "And now?"}]
    second = {**without(flattened(longer), "llm.tools")} | {
        key: value for key, value in attributes.items() if "llm.tools" in key
    }
    turns, _ = read(save(tmp_path / "a.jsonl", span(flattened(PROMPT)), span(second, 2)))
    assert (turns[1].tools if tools is None else sorted(turns[1].tools or ())) == tools
    if tools:
        assert turns[1].complete is complete


@pytest.mark.parametrize(
    "attributes",
    [
        {"openinference.span.kind": "LLM", "llm.input_messages.0.message": 7},
        {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "assistant",
            "llm.input_messages.0.message.tool_calls.0": "x",
        },
        {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "assistant",
            "llm.input_messages.0.message.tool_calls": [7],
        },
    ],
)
def test_a_damaged_span_is_told_and_passed_over(tmp_path: Path, attributes: Any) -> None:
    path = save(tmp_path / "a.jsonl", span(flattened(PROMPT)), span(attributes, 2), 7, None)
    turns, log = read(path)
    assert [(p.line, p.message[:17]) for p in log.problems] == [(2, "unexpected shape:")]
    assert len(turns) == 1


def test_the_fixture_is_recognised_by_any_line() -> None:
    path = FIXTURES / "adapters" / "openinference" / "incident.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(openinference.recognises([line]) for line in lines)
    assert not openinference.recognises([7, None, [], {"attributes": {"a": 1}}])
