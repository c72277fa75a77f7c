"""LangChain messages as they stand in traces: serialised constructors, and plain message dicts."""

from __future__ import annotations

from typing import Any

from ctxaudit.model import Kind, dumps
from ctxaudit.pieces import Piece

KINDS = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "human": Kind.USER,
    "user": Kind.USER,
    "ai": Kind.ASSISTANT,
    "assistant": Kind.ASSISTANT,
    "chat": Kind.USER,
}


def prompt(inputs: Any) -> list[Any] | None:
    """The messages of a model run's inputs, None if there are none."""
    messages = inputs.get("messages") if isinstance(inputs, dict) else None
    if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], list):
        messages = messages[0]
    return [_plain(m) for m in messages] if isinstance(messages, list) else None


def reply(outputs: Any) -> list[Piece]:
    """What a model run answered."""
    if not isinstance(outputs, dict):
        return []
    found = []
    for group in outputs.get("generations") or ():
        for generation in group if isinstance(group, list) else [group]:
            if isinstance(generation, dict) and "message" in generation:
                found += pieces(_plain(generation["message"]))
    for choice in outputs.get("choices") or ():
        found += pieces(_plain(choice.get("message", {})))
    if not found and "role" in outputs:
        found = pieces(_plain(outputs))
    return found


def _plain(message: Any) -> Any:
    """A message without what changes from call to call, so that equal ones are equal.

    Ids are kept out: an edited message gets a new one, and so does every copy.
    """
    if not isinstance(message, dict):
        return message
    inner = message.get("kwargs") if message.get("type") == "constructor" else message.get("data")
    fields = inner if isinstance(inner, dict) else message
    sort = fields.get("role") or fields.get("type") or message.get("type")
    if message.get("type") == "constructor" and isinstance(message.get("id"), list):
        sort = fields.get("type") or str(message["id"][-1]).removesuffix("Message").lower()
    return {
        "type": sort,
        "content": fields.get("content"),
        "tool_calls": fields.get("tool_calls") or [],
        "tool_call_id": fields.get("tool_call_id"),
        "name": fields.get("name"),
        "status": fields.get("status"),
    }


def pieces(message: Any) -> list[Piece]:
    """A plain message, as pieces."""
    if not isinstance(message, dict):
        return []
    text = content_text(message.get("content"))
    sort = str(message.get("type"))
    if sort in ("tool", "function"):
        failed = message.get("status") == "error" or None
        return [Piece(Kind.RESULT, text, message.get("tool_call_id"), message.get("name"), failed)]
    found = [Piece(KINDS.get(sort, Kind.USER), text)] if text else []
    for call in message.get("tool_calls") or ():
        inner = call.get("function") or {}
        name = str(call.get("name") or inner.get("name") or "")
        arguments = call.get("args", inner.get("arguments"))
        told = f"{name} {dumps(arguments)}"
        found.append(Piece(Kind.CALL, told, call.get("id"), name, None, arguments))
    return found


def content_text(content: Any) -> str:
    """A message's content as text; blocks that are no text are left out, calls among them."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return dumps(content) if content else ""
    parts = [
        c if isinstance(c, str) else c.get("text") for c in content if isinstance(c, (str, dict))
    ]
    return "\n".join(part for part in parts if isinstance(part, str))
