"""OTLP GenAI: new, old and per-message forms of one call; and records that were cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import otel_genai
from ctxaudit.adapters.spans import moment
from ctxaudit.audit import open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Kind, Turn

TRACE = "0af7651916cd43dd8448eb211c80319c"
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}
#: A prompt in parts, as the conventions have it, and the same as chat messages.
PARTS: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "content": "Find the order."}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "By its id."},
            {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"id": "o-1"}},
        ],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "found"}]},
]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "It is there."}]}]
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id":"o-1"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Find the order."},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "found", "id": "c1"},
]


def value(told: Any) -> dict[str, Any]:
    """A value as OTLP types it."""
    if isinstance(told, bool):
        return {"boolValue": told}
    if isinstance(told, int):
        return {"intValue": str(told)}
    if isinstance(told, list):
        return {"arrayValue": {"values": [value(item) for item in told]}}
    if isinstance(told, dict):
        return {"kvlistValue": {"values": attributes(told)}}
    return {"stringValue": told}


def attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(inner)} for key, inner in told.items()]


def span(told: dict[str, Any], number: int = 1, **fields: Any) -> dict[str, Any]:
    if "llm.request.type" not in told:
        told = {"gen_ai.operation.name": "chat", **told}
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": "chat model-x",
        "startTimeUnixNano": str(1_772_442_000_000_000_000 + number),
        "attributes": attributes(told),
        **fields,
    }


def write(path: Path, spans: Iterable[Any] = (), events: Iterable[Any] = ()) -> Path:
    lines: list[Any] = [{"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]} for one in spans]
    lines += [{"resourceLogs": [{"scopeLogs": [{"logRecords": [one]}]}]} for one in events]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    assert adapter.NAME == "otel-genai"
    return list(adapter.read(Source((log,)))), log


def told(turn: Turn) -> list[tuple[Any, ...]]:
    """What a prompt holds but for what the model thought, and what was answered."""
    found = [(s.kind, s.text, s.call) for s in turn.added if s.kind is not Kind.REASONING]
    return [*found, *((s.kind, s.text) for s in turn.reply)]


EXPECTED = [
    (Kind.USER, "Find the order.", None),
    (Kind.CALL, 'find {"id":"o-1"}', "c1"),
    (Kind.RESULT, "found", "c1"),
    (Kind.ASSISTANT, "It is there."),
]


def message_events(**fields: Any) -> list[dict[str, Any]]:
    """The call as records of a log, one a message."""
    names = {"user": "user.message", "assistant": "assistant.message", "tool": "tool.message"}
    bodies = [(f"gen_ai.{names[m['role']]}", m) for m in MESSAGES]
    answer = {"index": 0, "message": {"role": "assistant", "content": "It is there."}}
    bodies.append(("gen_ai.choice", answer))
    return [
        {"eventName": name, "timeUnixNano": str(n), "body": value(body), **fields}
        for n, (name, body) in enumerate(bodies)
    ]


IDS = {"traceId": TRACE, "spanId": f"{1:016x}"}
NEW = {"gen_ai.input.messages": PARTS, "gen_ai.output.messages": ANSWER}
TEXTS = {key: json.dumps(inner) for key, inner in NEW.items()}
DETAILS = "gen_ai.client.inference.operation.details"
INDEXED = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Find the order.",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "find",
    "gen_ai.prompt.1.tool_calls.0.arguments": '{"id":"o-1"}',
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.content": "found",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "It is there.",
}
SPAN_EVENTS = [
    {"name": e["eventName"], "attributes": attributes({"gen_ai.event.content": json.dumps(m)})}
    for e, m in zip(
        message_events(),
        [*MESSAGES, {"message": {"role": "assistant", "content": "It is there."}}],
        strict=True,
    )
]
CONTENT_EVENTS = [
    {
        "name": "gen_ai.content.prompt",
        "attributes": attributes({"gen_ai.prompt": json.dumps(MESSAGES)}),
    },
    {
        "name": "gen_ai.content.completion",
        "attributes": attributes({"gen_ai.completion": json.dumps([{"content": "It is there."}])}),
    },
]


@pytest.mark.parametrize(
    ("spans", "events"),
    [
        ([span(TEXTS)], []),
        ([span(NEW)], []),
        ([span({}, events=[{"name": DETAILS, "attributes": attributes(NEW)}])], []),
        ([span({}, events=[{"name": DETAILS, "attributes": attributes(TEXTS)}])], []),
        ([span({})], [{"eventName": DETAILS, "attributes": attributes(NEW), **IDS}]),
        ([span(TEXTS)], [{"eventName": DETAILS, "attributes": attributes(NEW), **IDS}]),
        ([], [{"eventName": DETAILS, "attributes": attributes(NEW), **IDS}]),
        ([], [{"attributes": attributes({"event.name": DETAILS, **NEW})}]),
        ([span({})], message_events(**IDS)),
        ([], message_events(**IDS)),
        ([span({}, events=SPAN_EVENTS)], []),
        ([span({}, events=CONTENT_EVENTS)], []),
        ([span(INDEXED)], []),
        ([span({"llm.request.type": "chat", **INDEXED})], []),
    ],
    ids=[
        "texts",
        "structured",
        "details-of-a-span",
        "details-of-a-span-as-texts",
        "details-in-a-log",
        "details-in-both",
        "details-alone",
        "details-without-a-span",
        "messages-in-a-log",
        "messages-alone",
        "messages-of-a-span",
        "contents-of-a-span",
        "indexed",
        "indexed-of-old",
    ],
)
def test_one_call_in_every_form(tmp_path: Path, spans: list[Any], events: list[Any]) -> None:
    (turn,), log = read(write(tmp_path / "a.jsonl", spans, events))
    assert log.problems == []
    assert told(turn) == EXPECTED
    assert turn.gaps == ()


@pytest.mark.parametrize("form", [json.dumps, list])
def test_tools_and_system_instructions(tmp_path: Path, form: Any) -> None:
    tools = [{"type": "function", "name": "find", "parameters": SCHEMA}, {"name": "drop"}]
    system = [{"type": "text", "content": "Be brief."}]
    extra = {"gen_ai.tool.definitions": form(tools), "gen_ai.system_instructions": form(system)}
    (turn,), _ = read(write(tmp_path / "a.jsonl", [span({**TEXTS, **extra})]))
    assert turn.tools is not None
    assert {name: tool.parameters for name, tool in turn.tools.items()} == {
        "find": SCHEMA,
        "drop": None,
    }
    assert turn.complete
    assert [s.text for s in turn.added if s.kind is Kind.SYSTEM] == ["Be brief."]


def test_what_a_span_says_of_its_call(tmp_path: Path) -> None:
    extra = {
        "gen_ai.conversation.id": "conv-1",
        "gen_ai.usage.input_tokens": 70,
        "error.type": "timeout",
    }
    (turn,), _ = read(write(tmp_path / "a.jsonl", [span({**TEXTS, **extra})]))
    assert (turn.where.session, turn.prompt_tokens) == ("conv-1", 70)
    assert turn.error == "timeout"
    assert turn.trace == (TRACE, f"{1:016x}")


def turns_of(tmp_path: Path, *prompts: Any, **fields: Any) -> list[Turn]:
    """Calls with these prompts; ``fields`` are of the last one's span."""
    spans = [
        span({"gen_ai.input.messages": p} if not isinstance(p, dict) else p, n)
        for n, p in enumerate(prompts, 1)
    ]
    spans[-1] |= fields
    turns, log = read(write(tmp_path / "a.jsonl", spans))
    assert log.problems == []
    return turns


@pytest.mark.parametrize(
    ("prompt", "fields"),
    [
        (json.dumps(PARTS)[:150], {}),
        (json.dumps(PARTS[:1]), {"droppedAttributesCount": 3}),
        (json.dumps(PARTS[:1]), {"droppedEventsCount": 1}),
        ({key: v for key, v in INDEXED.items() if ".0." not in key}, {}),
        ({key: v for key, v in INDEXED.items() if ".1." not in key}, {}),
    ],
    ids=["length", "count", "events", "first-of-a-list", "one-of-a-list"],
)
def test_a_cut_record_proves_nothing(tmp_path: Path, prompt: Any, fields: dict[str, Any]) -> None:
    first = json.dumps(PARTS) if isinstance(prompt, str) else INDEXED
    turns = turns_of(tmp_path, first, prompt, **fields)
    assert [d for turn in turns for d in turn.decisions] == []
    assert [gap.aspect for gap in turns[1].gaps] == [Aspect.PROMPTS]
    assert turns[1].withdrawn == ()


def test_a_cut_list_of_tools_is_not_known(tmp_path: Path) -> None:
    tools = json.dumps([{"name": "find", "parameters": SCHEMA}])
    functions = {"llm.request.functions.1.name": "find"}
    for cut in ({"gen_ai.tool.definitions": tools[:20]}, functions):
        (turn,) = turns_of(tmp_path, {**TEXTS, **cut})
        assert turn.tools is None
    (turn,) = turns_of(tmp_path, {**TEXTS, "gen_ai.tool.definitions": [tools[1:-1], '{"name": "d']})
    assert (sorted(turn.tools or ()), turn.complete) == (["find"], False)


def test_what_was_cleared_is_pruned(tmp_path: Path) -> None:
    cleared = [*PARTS[:2], {**PARTS[2], "parts": [{**PARTS[2]["parts"][0], "response": "[gone]"}]}]
    longer = [*PARTS[:2], {**PARTS[2], "parts": [{**PARTS[2]["parts"][0], "response": "f" * 90}]}]
    turns = turns_of(tmp_path, longer, cleared)
    (pruned,) = turns[1].decisions
    assert (pruned.kind, pruned.spans) == (DecisionKind.RESULT_CLEARED, ("result:c1",))
    assert (pruned.explicit, pruned.exact) == (False, True)


def test_a_compaction_is_stated_once(tmp_path: Path) -> None:
    flag = {"gen_ai.conversation.compacted": True}
    summary = [
        PARTS[0],
        {"role": "user", "parts": [{"type": "compaction", "content": "Found order o-1."}]},
    ]
    more = [*summary, {"role": "user", "parts": [{"type": "text", "content": "And now?"}]}]
    turns = turns_of(
        tmp_path,
        {"gen_ai.input.messages": PARTS},
        {"gen_ai.input.messages": summary, **flag},
        {"gen_ai.input.messages": more, **flag},
    )
    # What stands before the provider's compaction is not what the model sees.
    assert [[d.actor for d in turn.decisions] for turn in turns] == [
        [],
        ["gen_ai.conversation.compacted"],
        [],
    ]
    assert turns[1].decisions[0].kind is DecisionKind.SPAN_SUMMARIZED
    assert [s.text for s in turns[1].added] == ["Found order o-1."]


def test_spans_of_openinference_among_them(tmp_path: Path) -> None:
    flat = {
        "openinference.span.kind": "LLM",
        "session.id": "s-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "hello",
        "llm.tools.0.tool.json_schema": json.dumps({"name": "find", "parameters": SCHEMA}),
    }
    bare = {**span(flat), "status": {"code": 2, "message": "overloaded"}}
    (turn,), _ = read(write(tmp_path / "a.jsonl", [bare]))
    assert (turn.where.session, turn.error) == ("s-1", "overloaded")
    assert [s.text for s in (*turn.added, *turn.reply)] == ["hi", "hello"]
    assert sorted(turn.tools or ()) == ["find"]
    assert turn.trace == (TRACE, f"{1:016x}")


def test_calls_are_in_the_order_of_their_start(tmp_path: Path) -> None:
    spans = [span({"gen_ai.input.messages": PARTS[:n]}, n) for n in (3, 1)]
    turns, _ = read(write(tmp_path / "a.jsonl", spans))
    assert [len(turn.added) for turn in turns] == [1, 3]
    assert moment("2026-03-02T09:00:00Z") < moment("2026-03-02T09:00:00.5Z")
    assert moment(9.5) < moment(10)


@pytest.mark.parametrize(
    "line",
    [
        {"resourceSpans": 7},
        {"resourceSpans": [{"scopeSpans": [{"spans": [7]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat", "events": 7}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat", "attributes": [7]}]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [7]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": [{}]}]}]}]},
    ],
)
def test_a_damaged_line_is_told_and_passed_over(tmp_path: Path, line: Any) -> None:
    path = write(tmp_path / "a.jsonl", [span(TEXTS)])
    path.write_text(f"{path.read_text()}{json.dumps(line)}\n7\n")
    turns, log = read(path)
    assert [(p.line, p.message[:17]) for p in log.problems] == [(2, "unexpected shape:")]
    assert len(turns) == 1


def test_other_spans_are_no_calls(tmp_path: Path) -> None:
    tool = {"gen_ai.operation.name": "execute_tool", **TEXTS}
    turns, log = read(write(tmp_path / "a.jsonl", [span(tool), span({}), span({"http": "x"})]))
    assert (turns, log.problems) == ([], [])


@pytest.mark.parametrize("name", ["incident", "events", "old_names", "cut"])
def test_fixtures_are_recognised_by_any_line(name: str) -> None:
    lines = (FIXTURES / "adapters" / "otel_genai" / f"{name}.jsonl").read_text().splitlines()
    assert all(otel_genai.recognises([json.loads(line)]) for line in lines)
    assert not otel_genai.recognises([7, None, [], {"spans": []}])
