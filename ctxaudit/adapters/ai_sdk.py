"""Messages of the Vercel AI SDK, as tracers log them.

    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId", "toolName", "input"}]}
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId", "output": {"value"}}]}

Version 4 says ``args`` and ``result`` where version 5 says ``input`` and ``output``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

CALL, RESULT = "tool-call", "tool-result"


def speaks(message: dict[str, Any]) -> bool:
    """Whether a message has parts that only the SDK's messages have."""
    return any(part.get("type") in (CALL, RESULT) for part in _parts(message))


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []


def plain(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The message as the chat API has it: calls beside the content, one message a result."""
    parts = _parts(message)
    calls = [
        {
            "id": part.get("toolCallId"),
            "function": {
                "name": part.get("toolName"),
                "arguments": part.get("input", part.get("args")),
            },
        }
        for part in parts
        if part.get("type") == CALL
    ]
    others = [part for part in parts if part.get("type") not in (CALL, RESULT)]
    if calls or others:
        made = {"role": message.get("role"), "content": others}
        yield {**made, "tool_calls": calls} if calls else made
    for part in parts:
        if part.get("type") == RESULT:
            told = part.get("output", part.get("result"))
            made = {"role": "tool", "tool_call_id": part.get("toolCallId"), "content": told}
            if isinstance(told, dict) and "value" in told:
                made["content"] = told["value"]
                made["is_error"] = str(told.get("type")).startswith("error")
            yield made
