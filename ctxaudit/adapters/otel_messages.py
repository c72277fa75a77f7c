"""Messages of the OpenTelemetry GenAI conventions: parts, and content as it was before them."""

from __future__ import annotations

from typing import Any

from ctxaudit.adapters.spans import lenient
from ctxaudit.model import Kind, dumps
from ctxaudit.pieces import Piece

ROLES = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "model": Kind.ASSISTANT,
}


def pieces(message: Any) -> list[Piece]:
    """A message's parts, as pieces."""
    if not isinstance(message, dict):
        return []
    kind = ROLES.get(str(message.get("role")), Kind.USER)
    parts = message.get("parts")
    if parts is None:
        return _old_message(message, kind)
    return [piece for part in parts if (piece := _piece(part, kind)) is not None]


def _piece(part: Any, kind: Kind) -> Piece | None:
    if not isinstance(part, dict):
        return Piece(kind, str(part))
    sort = part.get("type")
    if sort in ("tool_call", "server_tool_call"):
        arguments = lenient(part.get("arguments", part.get("server_tool_call")))
        name = str(part.get("name") or "")
        return Piece(Kind.CALL, f"{name} {dumps(arguments)}", part.get("id"), name, None, arguments)
    if sort in ("tool_call_response", "server_tool_call_response"):
        answer = part.get("response", part.get("result", part.get("server_tool_call_response")))
        text = answer if isinstance(answer, str) else dumps(answer)
        return Piece(Kind.RESULT, text, part.get("id"), part.get("name"))
    if sort == "reasoning":
        return Piece(Kind.REASONING, str(part.get("content") or ""))
    content = part.get("content")
    if sort == "compaction":
        return Piece(Kind.SUMMARY, content or "", opaque="" if content else str(part.get("id")))
    return Piece(kind, content if isinstance(content, str) else dumps(content or part))


def _old_message(message: dict[str, Any], kind: Kind) -> list[Piece]:
    """A message of the conventions before parts: content, and tool calls beside it."""
    content = message.get("content")
    text = content if isinstance(content, str) else dumps(content) if content else ""
    if message.get("role") == "tool":
        return [Piece(Kind.RESULT, text, message.get("tool_call_id") or message.get("id"))]
    found = [Piece(kind, text)] if text else []
    for call in message.get("tool_calls") or ():
        inner = call.get("function", call)
        arguments = lenient(inner.get("arguments"))
        name = str(inner.get("name") or "")
        told = f"{name} {dumps(arguments)}"
        found.append(Piece(Kind.CALL, told, call.get("id"), name, None, arguments))
    return found
