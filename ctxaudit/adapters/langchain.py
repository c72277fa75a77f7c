"""LangChain messages as they stand in traces: serialised constructors, and plain message dicts."""

from __future__ import annotations

from typing import Any

from ctxaudit.model import dumps

#: What the type of a message says of its role in the chat API.
ROLES = {
    "system": "system",
    "developer": "system",
    "human": "user",
    "user": "user",
    "chat": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


def plain(message: Any) -> Any:
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
