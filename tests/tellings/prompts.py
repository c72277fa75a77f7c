"""The story in the formats whose records hold whole prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from tests.tellings import TOOLS, Story, calls, definition

Message = dict[str, Any]
DEFINED = [definition(tool) for tool in TOOLS]
ROLES = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _moment(number: int) -> str:
    return f"2026-03-02T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000000"


def each(stories: Iterable[Story]) -> Iterator[tuple[int, Story, list[Message], Message]]:
    """(number in the log, story, prompt, answer) of every model call."""
    number = 0
    for story in stories:
        for prompt, answer in calls(story):
            yield number, story, prompt, answer
            number += 1


def requests(stories: Iterable[Story]) -> Iterator[Any]:
    for _, story, prompt, answer in each(stories):
        yield {
            "session_id": story.session,
            "request": {"model": "m", "messages": prompt, "tools": DEFINED},
            "response": {"choices": [{"message": answer}]},
        }


def litellm(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "id": f"chatcmpl-{n}",
            "trace_id": story.session,
            "call_type": "acompletion",
            "status": "success",
            "startTime": 1772442000.0 + n,
            "endTime": 1772442000.5 + n,
            "model": "m",
            "metadata": {"requester_metadata": {"session_id": story.session}},
            "messages": prompt,
            "response": {"choices": [{"index": 0, "message": answer}]},
            "model_parameters": {"tools": DEFINED},
            "hidden_params": {},
        }


def helicone(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "request_id": f"req-{n}",
            "request_created_at": f"{_moment(n)[:-3]}Z",
            "request_path": "https://api.openai.com/v1/chat/completions",
            "request_properties": {"Helicone-Session-Id": story.session},
            "request_body": {"model": "m", "messages": prompt, "tools": DEFINED},
            "response_body": {"choices": [{"index": 0, "message": answer}]},
            "response_status": 200,
        }


def weave(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "id": f"c-{n}",
            "project_id": "a/b",
            "op_name": "weave:///a/b/op/openai.chat.completions.create:3",
            "trace_id": story.session,
            "parent_id": None,
            "thread_id": story.session,
            "started_at": f"{_moment(n)}Z",
            "ended_at": f"{_moment(n)}Z",
            "inputs": {"model": "m", "messages": prompt, "tools": DEFINED},
            "output": {"object": "chat.completion", "choices": [{"index": 0, "message": answer}]},
        }


def braintrust(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "id": f"row-{n}",
            "span_id": f"span-{n}",
            "root_span_id": story.session,
            "span_parents": [story.session],
            "created": f"{_moment(n)}Z",
            "span_attributes": {"name": "Chat Completion", "type": "llm"},
            "input": prompt,
            "output": [{"index": 0, "message": answer}],
            "error": None,
            "metadata": {"model": "m", "tools": DEFINED},
            "metrics": {"start": 1772442000.0 + n, "end": 1772442000.5 + n},
        }


def langfuse(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "id": f"obs-{n}",
            "traceId": f"trace-{story.session}",
            "type": "GENERATION",
            "name": "chat",
            "startTime": f"{_moment(n)[:-3]}Z",
            "endTime": f"{_moment(n)[:-3]}Z",
            "parentObservationId": None,
            "sessionId": story.session,
            "input": {"messages": prompt, "tools": DEFINED},
            "output": answer,
            "level": "DEFAULT",
        }


def langsmith(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        yield {
            "id": f"run-{n}",
            "trace_id": story.session,
            "name": "ChatModel",
            "run_type": "llm",
            "start_time": _moment(n),
            "end_time": _moment(n),
            "dotted_order": f"{n:09}",
            "inputs": {"messages": [[_constructed(m) for m in prompt]]},
            "outputs": {"generations": [[{"message": _constructed(answer)}]]},
            "extra": {
                "invocation_params": {"tools": DEFINED},
                "metadata": {"thread_id": story.session},
            },
            "error": None,
        }


def _constructed(message: Message) -> Message:
    sort = ROLES[message["role"]]
    fields = {"content": message["content"], "type": sort}
    if "tool_call_id" in message:
        fields["tool_call_id"] = message["tool_call_id"]
    if told := message.get("tool_calls"):
        fields["tool_calls"] = [
            {
                "name": call["function"]["name"],
                "args": orjson.loads(call["function"]["arguments"]),
                "id": call["id"],
                "type": "tool_call",
            }
            for call in told
        ]
    name = {"human": "Human", "ai": "AI", "tool": "Tool", "system": "System"}[sort]
    where = ["langchain", "schema", "messages", f"{name}Message"]
    return {"lc": 1, "type": "constructor", "id": where, "kwargs": fields}


def openinference(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        told = {
            "openinference.span.kind": "LLM",
            "session.id": story.session,
            "llm.model_name": "m",
        }
        for i, message in enumerate(prompt):
            told |= _flat(f"llm.input_messages.{i}.message", message)
        told |= _flat("llm.output_messages.0.message", answer)
        told |= {f"llm.tools.{i}.tool.json_schema": _text(d) for i, d in enumerate(DEFINED)}
        yield {
            "name": "ChatModel",
            "context": {"trace_id": story.session, "span_id": f"{n:016x}"},
            "parent_id": None,
            "start_time": f"{_moment(n)}Z",
            "end_time": f"{_moment(n)}Z",
            "status": {"status_code": "OK"},
            "attributes": told,
        }


def _flat(base: str, message: Message) -> dict[str, str]:
    told = {f"{base}.role": message["role"], f"{base}.content": message["content"]}
    if "tool_call_id" in message:
        told[f"{base}.tool_call_id"] = message["tool_call_id"]
    for k, call in enumerate(message.get("tool_calls") or ()):
        at = f"{base}.tool_calls.{k}.tool_call"
        told[f"{at}.id"] = call["id"]
        told[f"{at}.function.name"] = call["function"]["name"]
        told[f"{at}.function.arguments"] = call["function"]["arguments"]
    return told


def otel_genai(stories: Iterable[Story]) -> Iterator[Any]:
    offered = _text([{"type": "function", **d["function"]} for d in DEFINED])
    for n, story, prompt, answer in each(stories):
        told = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": story.session,
            "gen_ai.input.messages": _text([_parts(m) for m in prompt]),
            "gen_ai.output.messages": _text([_parts(answer) | {"finish_reason": "stop"}]),
            "gen_ai.tool.definitions": offered,
        }
        span = {
            "traceId": "5b8efff798038103d269b633813fc60c",
            "spanId": f"{n:016x}",
            "name": "chat m",
            "startTimeUnixNano": str(1_700_000_000_000_000_000 + n * 1_000_000_000),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in told.items()],
            "events": [],
            "status": {},
        }
        scopes = [{"scope": {"name": "agent"}, "spans": [span]}]
        yield {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}]}


def _parts(message: Message) -> Message:
    if message["role"] == "tool":
        response = {"id": message["tool_call_id"], "response": message["content"]}
        return {"role": "tool", "parts": [{"type": "tool_call_response", **response}]}
    parts: list[Message] = [{"type": "text", "content": message["content"]}]
    for call in message.get("tool_calls") or ():
        passed = orjson.loads(call["function"]["arguments"])
        named = {"id": call["id"], "name": call["function"]["name"], "arguments": passed}
        parts.append({"type": "tool_call", **named})
    return {"role": message["role"], "parts": parts}


def inspect(stories: Iterable[Story]) -> Iterator[Any]:
    tools = [definition["function"] for definition in DEFINED]
    samples = []
    for story in stories:
        events = []
        for n, (prompt, answer) in enumerate(calls(story)):
            choice = {"message": _inspected(answer), "stop_reason": "stop"}
            events.append(
                {
                    "event": "model",
                    "model": "m",
                    "timestamp": f"{_moment(n)}+00:00",
                    "input": [_inspected(m) for m in prompt],
                    "tools": tools,
                    "output": {"model": "m", "choices": [choice]},
                }
            )
        samples.append({"id": story.session, "epoch": 1, "messages": [], "events": events})
    head = {"version": 2, "status": "success", "eval": {"task": "runs"}, "plan": {"steps": []}}
    yield {**head, "samples": samples}


def _inspected(message: Message) -> Message:
    told = {k: v for k, v in message.items() if k != "tool_calls"}
    if made := message.get("tool_calls"):
        told["tool_calls"] = [
            {
                "id": call["id"],
                "function": call["function"]["name"],
                "arguments": orjson.loads(call["function"]["arguments"]),
            }
            for call in made
        ]
    return told


def swe_agent(stories: Iterable[Story]) -> Iterator[Any]:
    (story,) = stories
    steps = []
    for prompt, answer in calls(story):
        action = (answer.get("tool_calls") or [{"id": "submit"}])[0]["id"]
        steps.append({"action": action, "observation": "", "messages": [*prompt, answer]})
    yield {"environment": "runs", "trajectory": steps, "info": {}}


def vscode_debug(stories: Iterable[Story]) -> Iterator[Any]:
    for n, story, prompt, answer in each(stories):
        span = f"{n:016x}"
        told = {"model": "m", "inputMessages": _text([_parts(m) for m in prompt])}
        entry = {"v": 1, "ts": n, "dur": 0, "sid": story.session, "status": "ok"}
        yield {**entry, "type": "llm_request", "spanId": span, "attrs": told}
        said = {"response": _text([_parts(answer)])}
        yield {**entry, "type": "agent_response", "spanId": f"agent-msg-{span}", "attrs": said}
