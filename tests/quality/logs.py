"""Writes trials as request logs: one line a model call, with the whole prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.quality.scene import Call, Message, Sent, Trial

MODEL = "example-model"
ROLES = {"user": "user", "summary": "user", "assistant": "assistant", "system": "system"}


def write(trial: Trial, path: Path, *, anthropic: bool = False) -> None:
    """Write one trial to a file."""
    line = anthropic_line if anthropic else openai_line
    rows = (json.dumps(line(trial.name, sent), ensure_ascii=False) for sent in trial.sent)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def openai_line(session: str, sent: Sent) -> dict[str, Any]:
    """A chat completion with its request."""
    request = {
        "model": MODEL,
        "messages": [openai_message(m) for m in sent.prompt],
        "tools": list(sent.tools.values()),
    }
    choice = {"index": 0, "message": openai_message(sent.reply)}
    response = {"object": "chat.completion", "choices": [choice]}
    return {"session_id": session, "request": request, "response": response}


def openai_message(message: Message) -> dict[str, Any]:
    if message.kind == "result":
        return {"role": "tool", "tool_call_id": message.answers_id, "content": message.text}
    body: dict[str, Any] = {"role": ROLES[message.kind], "content": message.text or None}
    if message.calls:
        body["tool_calls"] = [openai_call(call) for call in message.calls]
    return body


def openai_call(call: Call) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def anthropic_line(session: str, sent: Sent) -> dict[str, Any]:
    """A message with its request."""
    system = [m.text for m in sent.prompt if m.kind == "system"]
    tools = [
        {
            "name": t["function"]["name"],
            "description": t["function"].get("description", ""),
            "input_schema": t["function"]["parameters"],
        }
        for t in sent.tools.values()
    ]
    request = {
        "model": MODEL,
        "max_tokens": 1024,
        "system": "\n\n".join(system),
        "messages": anthropic_messages([m for m in sent.prompt if m.kind != "system"]),
        "tools": tools,
    }
    content = anthropic_blocks(sent.reply)
    response = {"type": "message", "role": "assistant", "content": content}
    return {"session_id": session, "request": request, "response": response}


def anthropic_messages(prompt: list[Message]) -> list[dict[str, Any]]:
    """Messages in turn; what one side says in a row is one message."""
    out: list[dict[str, Any]] = []
    for message in prompt:
        role = "assistant" if message.kind == "assistant" or message.opaque else "user"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += anthropic_blocks(message)
        else:
            out.append({"role": role, "content": anthropic_blocks(message)})
    return out


def anthropic_blocks(message: Message) -> list[dict[str, Any]]:
    if message.opaque:
        return [{"type": "compaction", "content": None, "encrypted_content": message.text}]
    if message.kind == "result":
        block = {"type": "tool_result", "tool_use_id": message.answers_id, "content": message.text}
        return [block]
    said = [{"type": "text", "text": message.text}] if message.text else []
    return said + [
        {"type": "tool_use", "id": c.id, "name": c.tool, "input": c.arguments}
        for c in message.calls
    ]
