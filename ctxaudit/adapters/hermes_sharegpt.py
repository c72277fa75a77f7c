"""Trajectories in the ShareGPT form, as chat messages: calls and results are XML in texts."""

from __future__ import annotations

from typing import Any

import orjson

from ctxaudit.patterns import regex

ROLES = {"system": "system", "human": "user", "gpt": "assistant", "tool": "tool"}
_CALL = regex(r"(?s)<tool_call>\s*(.*?)\s*</tool_call>")
_RESPONSE = regex(r"(?s)<tool_response>\s*(.*?)\s*</tool_response>")
_THOUGHT = regex(r"(?s)<think>(.*?)</think>")


def is_trajectory(data: dict[str, Any]) -> bool:
    """Whether an object is a trajectory: turns by who says them."""
    turns = data.get("conversations")
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(
            isinstance(t, dict) and str(t.get("from")) in ROLES and "value" in t for t in turns[:3]
        )
    )


def messages_of(turns: list[Any]) -> list[dict[str, Any]]:
    """The turns as chat messages. Calls and their results are paired by their order."""
    found: list[dict[str, Any]] = []
    waiting: list[str] = []
    count = 0
    for turn in turns:
        role, value = ROLES[turn["from"]], str(turn["value"])
        if role == "tool":
            for text in _RESPONSE.findall(value) or [value]:
                ident, told = _response(text)
                call = ident if ident in waiting else waiting[0] if waiting else ident
                if call in waiting:
                    waiting.remove(call)
                found.append({"role": "tool", "tool_call_id": call, "content": told})
            continue
        message: dict[str, Any] = {"role": role, "content": value}
        if role == "assistant":
            calls = []
            for text in _CALL.findall(value):
                count += 1
                calls.append(_call(text, f"call:{count}"))
            waiting = [call["id"] for call in calls]
            thoughts = _THOUGHT.findall(value)
            said = _THOUGHT.sub("", _CALL.sub("", value)).strip()
            message |= {"content": said, "tool_calls": calls}
            message |= {"reasoning": "\n".join(thoughts).strip()} if thoughts else {}
        found.append(message)
    return found


def _call(text: str, name: str) -> dict[str, Any]:
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict):
        return {"id": name, "function": {"name": "", "arguments": text}}
    function = {"name": str(told.get("name") or ""), "arguments": told.get("arguments")}
    return {"id": str(told.get("id") or name), "function": function}


def _response(text: str) -> tuple[str, str]:
    """The call's id, empty if none is told, and the text of a result."""
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError:
        return "", text
    if not isinstance(told, dict) or "content" not in told:
        return "", text
    inner = told["content"]
    told_text = inner if isinstance(inner, str) else orjson.dumps(inner).decode()
    return str(told.get("tool_call_id") or ""), told_text
