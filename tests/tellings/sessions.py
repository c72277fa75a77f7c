"""The story in the formats that log what came, and what was pruned: here, nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.tellings import CLOSING, OPENING, SYSTEM, TOOLS, Story, chat, definition

Row = dict[str, Any]
WHEN = "2026-03-02T09:00:00.000Z"


def _texts(text: str) -> list[Row]:
    return [{"type": "text", "text": text}]


def native(story: Story) -> Iterator[Any]:
    offer = [definition(tool)["function"] for tool in TOOLS]
    add: list[Row] = [{"kind": "system", "text": SYSTEM}, {"kind": "user", "text": OPENING}]
    head: Row = {"session": story.session, "tools": offer}
    for step in story:
        call = {"id": step.call, "tool": step.tool, "arguments": step.arguments}
        yield {**head, "turn": step.number + 1, "add": add, "reply": [step.text], "calls": [call]}
        add = [{"kind": "result", "call": step.call, "text": step.result}]
        head = {"session": story.session}
    yield {**head, "turn": story.steps + 1, "add": add, "reply": [CLOSING]}


def claude_code(story: Story) -> Iterator[Any]:
    parent = None
    for n, message in enumerate(_anthropic(story)):
        row = {"type": message["role"], "uuid": f"u{n}", "parentUuid": parent}
        yield {**row, "sessionId": story.session, "version": "2.1.90", "message": message}
        parent = f"u{n}"


def claude_stream(story: Story) -> Iterator[Any]:
    head = {"type": "system", "subtype": "init", "session_id": story.session, "uuid": "u"}
    yield {**head, "tools": list(TOOLS), "claude_code_version": "2.1.200", "model": "m"}
    for n, message in enumerate(_anthropic(story)):
        row = {"type": message["role"], "session_id": story.session, "uuid": f"u{n}"}
        yield {**row, "parent_tool_use_id": None, "message": message}


def _anthropic(story: Story) -> Iterator[Row]:
    yield {"role": "user", "content": OPENING}
    for step in story:
        used = {"id": step.call, "name": step.tool, "input": step.arguments}
        said = {"id": f"m{step.number}", "role": "assistant", "model": "m"}
        yield {**said, "content": [*_texts(step.text), {"type": "tool_use", **used}]}
        told = {"tool_use_id": step.call, "content": step.result}
        yield {"role": "user", "content": [{"type": "tool_result", **told}]}
    yield {"id": "end", "role": "assistant", "model": "m", "content": _texts(CLOSING)}


def codex(story: Story) -> Iterator[Any]:
    def row(sort: str, payload: Row) -> Row:
        return {"timestamp": WHEN, "type": sort, "payload": payload}

    def message(role: str, text: str) -> Row:
        sort = "output_text" if role == "assistant" else "input_text"
        told = [{"type": sort, "text": text}]
        return row("response_item", {"type": "message", "role": role, "content": told})

    head = {"id": story.session, "cwd": "/w", "cli_version": "0.140.0"}
    yield row("session_meta", {**head, "base_instructions": {"text": SYSTEM}})
    yield message("user", OPENING)
    for step in story:
        yield message("assistant", step.text)
        call = {"name": step.tool, "arguments": step.passed, "call_id": step.call}
        yield row("response_item", {"type": "function_call", **call})
        told = {"call_id": step.call, "output": step.result}
        yield row("response_item", {"type": "function_call_output", **told})
    yield message("assistant", CLOSING)


def pi(story: Story) -> Iterator[Any]:
    yield {"type": "session", "version": 3, "id": story.session, "timestamp": WHEN, "cwd": "/w"}
    parent = None
    for n, message in enumerate(chat(story)):
        if message["role"] == "system":
            continue
        told: Row = {"role": message["role"], "content": _texts(message["content"])}
        if message["role"] == "tool":
            told = {**told, "role": "toolResult", "toolCallId": message["tool_call_id"]}
        elif "tool_calls" in message:
            step = message["tool_calls"][0]
            call = {"id": step["id"], "name": step["function"]["name"], "arguments": {}}
            told["content"].append({"type": "toolCall", **call})
        row = {"type": "message", "id": f"e{n}", "parentId": parent, "timestamp": WHEN}
        yield {**row, "message": told}
        parent = f"e{n}"


def opencode(story: Story) -> Iterator[Any]:
    def message(ident: str, role: str, parts: list[Row]) -> Row:
        return {"info": {"id": ident, "role": role, "time": {"created": 1}}, "parts": parts}

    messages = [message("u1", "user", _texts(OPENING))]
    for step in story:
        state = {"status": "completed", "input": step.arguments, "output": step.result}
        part = {"type": "tool", "callID": step.call, "tool": step.tool}
        made = [{"type": "step-start"}, *_texts(step.text), {**part, "state": state}]
        messages.append(message(f"a{step.number}", "assistant", [*made, {"type": "step-finish"}]))
    messages.append(message("end", "assistant", _texts(CLOSING)))
    yield {"info": {"id": story.session, "slug": "s", "version": "1.17.0"}, "messages": messages}


def copilot_cli(story: Story) -> Iterator[Any]:
    def event(sort: str, data: Row) -> Row:
        return {"type": sort, "data": data, "id": "e", "timestamp": WHEN, "parentId": None}

    yield event("session.start", {"sessionId": story.session, "version": 1})
    yield event("system.message", {"role": "system", "content": SYSTEM})
    yield event("user.message", {"content": OPENING})
    for step in story:
        call = {"toolCallId": step.call, "name": step.tool, "arguments": step.arguments}
        said = {"messageId": f"m{step.number}", "content": step.text, "toolRequests": [call]}
        yield event("assistant.message", said)
        result = {"content": step.result}
        done = {"toolCallId": step.call, "success": True, "result": result}
        yield event("tool.execution_complete", done)
    yield event("assistant.message", {"messageId": "end", "content": CLOSING, "toolRequests": []})


def gemini_cli(story: Story) -> Iterator[Any]:
    yield {"sessionId": story.session, "projectHash": "ab12", "startTime": WHEN}
    yield {"id": "u1", "timestamp": WHEN, "type": "user", "content": OPENING}
    for step in story:
        answer = {"id": step.call, "name": step.tool, "response": {"output": step.result}}
        call = {"id": step.call, "name": step.tool, "args": step.arguments, "status": "success"}
        made = [{**call, "result": [{"functionResponse": answer}]}]
        row = {"id": f"g{step.number}", "timestamp": WHEN, "type": "gemini", "content": step.text}
        yield {**row, "toolCalls": made}
    yield {"id": "end", "timestamp": WHEN, "type": "gemini", "content": CLOSING}


def atif(story: Story) -> Iterator[Any]:
    steps: list[Row] = [
        {"step_id": 1, "source": "system", "message": SYSTEM},
        {"step_id": 2, "source": "user", "message": OPENING},
    ]
    for step in story:
        call = {"function_name": step.tool, "arguments": step.arguments}
        result = {"source_call_id": step.call, "content": step.result}
        said = {"step_id": step.number + 3, "source": "agent", "message": step.text}
        made = {"tool_calls": [{"tool_call_id": step.call, **call}]}
        steps.append({**said, **made, "observation": {"results": [result]}})
    steps.append({"step_id": story.steps + 3, "source": "agent", "message": CLOSING})
    agent = {"name": "a", "version": "1", "tool_definitions": [definition(t) for t in TOOLS]}
    head = {"schema_version": "ATIF-v1.7", "session_id": story.session, "agent": agent}
    yield {**head, "steps": steps}


def openhands(story: Story) -> Iterator[Any]:
    tools = [definition(tool) for tool in TOOLS]
    args: Row = {"content": SYSTEM, "tools": tools}
    yield {"id": 0, "source": "agent", "action": "system", "args": args}
    said: Row = {"content": OPENING, "wait_for_response": False}
    yield {"id": 1, "source": "user", "action": "message", "args": said}
    for step in story:
        function = {"name": step.tool, "arguments": step.passed}
        calls = [{"id": step.call, "type": "function", "function": function}]
        message = {"role": "assistant", "content": step.text, "tool_calls": calls}
        response = {"id": f"r{step.number}", "choices": [{"index": 0, "message": message}]}
        about: Row = {"function_name": step.tool, "tool_call_id": step.call}
        row = {"source": "agent", "tool_call_metadata": {**about, "model_response": response}}
        number = 2 * step.number + 2
        yield {**row, "id": number, "action": "call_tool_mcp", "args": step.arguments}
        told = {"observation": "mcp", "content": step.result, "extras": {}}
        yield {**row, "id": number + 1, "cause": number, **told}
    last = {"content": CLOSING, "wait_for_response": True}
    yield {"id": 2 * story.steps + 2, "source": "agent", "action": "message", "args": last}


def openhands_sdk(story: Story) -> Iterator[Any]:
    def event(ident: str, kind: str, source: str, **told: Any) -> Row:
        return {"id": ident, "timestamp": WHEN, "source": source, **told, "kind": kind}

    tools = [definition(tool) for tool in TOOLS]
    yield event("s", "SystemPromptEvent", "agent", system_prompt={"text": SYSTEM}, tools=tools)
    asked = {"role": "user", "content": _texts(OPENING)}
    yield event("u", "MessageEvent", "user", llm_message=asked)
    for step in story:
        call = {"id": step.call, "name": step.tool, "arguments": step.passed}
        about = {"tool_name": step.tool, "tool_call_id": step.call}
        made = {**about, "tool_call": call, "llm_response_id": f"r{step.number}"}
        ident = f"a{step.number}"
        yield event(ident, "ActionEvent", "agent", thought=_texts(step.text), **made)
        told = {"content": _texts(step.result), "is_error": False}
        yield event(f"o{step.number}", "ObservationEvent", "environment", **about, observation=told)
    said = {"role": "assistant", "content": _texts(CLOSING)}
    yield event("end", "MessageEvent", "agent", llm_message=said)


def _blocks(story: Story) -> list[Row]:
    """The messages with numbered ids, times and Anthropic's blocks."""
    told = list(_anthropic(story))
    return [
        {"id": f"m{n}", "role": m["role"], "content": m["content"], "ts": n}
        for n, m in enumerate(told)
    ]


def cline(story: Story) -> Iterator[Any]:
    task = {"role": "user", "content": _texts(f"<task>\n{OPENING}\n</task>"), "ts": 0}
    rest = _blocks(story)[1:]
    yield [task, *({k: v for k, v in message.items() if k != "id"} for message in rest)]


def cline_sdk(story: Story) -> Iterator[Any]:
    head = {"version": 1, "agent": "lead", "sessionId": story.session, "system_prompt": SYSTEM}
    yield {**head, "messages": _blocks(story)}


def langgraph(story: Story) -> Iterator[Any]:
    sorts = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}
    for n, message in enumerate(chat(story)):
        row: Row = {"type": sorts[message["role"]], "content": message["content"], "id": f"m{n}"}
        if "tool_call_id" in message:
            row |= {"tool_call_id": message["tool_call_id"], "status": "success"}
        for call in message.get("tool_calls") or ():
            made = {"name": call["function"]["name"], "args": {}, "id": call["id"]}
            row["tool_calls"] = [{**made, "type": "tool_call"}]
        yield row


def goose(story: Story) -> Iterator[Any]:
    yield {"working_dir": "/w", "description": "Runs", "message_count": 2 * story.steps + 2}
    seen = {"userVisible": True, "agentVisible": True}

    def message(role: str, *parts: Row) -> Row:
        return {"role": role, "created": 1772442000, "content": list(parts), "metadata": seen}

    yield message("user", *_texts(OPENING))
    for step in story:
        value = {"name": step.tool, "arguments": step.arguments}
        call = {"type": "toolRequest", "id": step.call}
        asked = {**call, "toolCall": {"status": "success", "value": value}}
        yield message("assistant", *_texts(step.text), asked)
        told = {"status": "success", "value": {"content": _texts(step.result), "isError": False}}
        yield message("user", {"type": "toolResponse", "id": step.call, "toolResult": told})
    yield message("assistant", *_texts(CLOSING))


def hermes(story: Story) -> Iterator[Any]:
    tools = [definition(tool) for tool in TOOLS]
    yield {"role": "session_meta", "tools": tools, "model": "m", "timestamp": WHEN}
    yield from ({**message, "timestamp": WHEN} for message in chat(story))


def tau_bench(story: Story) -> Iterator[Any]:
    yield [{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": list(chat(story))}]


def adk(story: Story) -> Iterator[Any]:
    def event(author: str, role: str, *parts: Row) -> Row:
        told = {"role": role, "parts": list(parts)}
        return {"id": "e", "invocationId": "i", "author": author, "timestamp": 1.0, "content": told}

    yield event("user", "user", {"text": OPENING})
    for step in story:
        call = {"id": step.call, "name": step.tool, "args": step.arguments}
        yield event("agent", "model", {"text": step.text}, {"functionCall": call})
        told = {"id": step.call, "name": step.tool, "response": {"result": step.result}}
        yield event("agent", "user", {"functionResponse": told})
    yield event("agent", "model", {"text": CLOSING})


def ai_sdk(story: Story) -> Iterator[Any]:
    yield {"id": "u", "role": "user", "parts": _texts(OPENING)}
    parts: list[Row] = []
    for step in story:
        call: Row = {"toolCallId": step.call, "state": "output-available"}
        made = {"type": f"tool-{step.tool}", "input": step.arguments, "output": step.result}
        parts += [{"type": "step-start"}, *_texts(step.text), {**call, **made}]
    parts += [{"type": "step-start"}, *_texts(CLOSING)]
    yield {"id": "a", "role": "assistant", "parts": parts}


def autogen(story: Story) -> Iterator[Any]:
    messages: list[Row] = [{"content": OPENING, "source": "user", "type": "UserMessage"}]
    said = {"source": "agent", "type": "AssistantMessage"}
    for step in story:
        call = {"id": step.call, "name": step.tool, "arguments": step.passed}
        messages.append({"content": [call], "thought": step.text, **said})
        told = {"content": step.result, "name": step.tool, "call_id": step.call, "is_error": False}
        messages.append({"content": [told], "type": "FunctionExecutionResultMessage"})
    messages.append({"content": CLOSING, **said})
    yield {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": messages}}
