"""Attachments of a Claude Code session as events. A wrong shape raises TypeError or KeyError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxaudit.adapters.claude_code_events import Announced, Event, Instructions, Offered, Said
from ctxaudit.adapters.claude_code_shapes import (
    Data,
    an_object,
    names,
    text_of,
    written_by_person,
)
from ctxaudit.adapters.claude_code_text import (
    ANNOUNCED,
    DISCONNECTED,
    attachment_text,
    content_text,
)
from ctxaudit.model import Kind, ToolSchema


def attachment(data: Data) -> Event | None:
    """What an attachment brings into the prompt or takes out of it."""
    inner = an_object(data["attachment"])
    read = ATTACHMENTS.get(inner.get("type", ""))
    if read is not None:
        return read(inner)
    text = attachment_text(inner)
    return Said(text, Kind.SYSTEM) if text else None


def _queued(attachment: Data) -> Event | None:
    """What the user typed while the model worked, or what the program put into the queue."""
    text = content_text(attachment.get("prompt", attachment.get("content")))
    person = attachment.get("commandMode", "prompt") == "prompt"
    person = person and written_by_person(text, attachment.get("origin"))
    return Said(text, Kind.USER if person else Kind.SYSTEM) if text else None


def _announced(attachment: Data) -> Event:
    added = (*names(attachment.get("addedNames")), *names(attachment.get("readdedNames")))
    removed = names(attachment.get("removedNames"))
    text = ANNOUNCED + "\n".join(added) if added else ""
    if removed:
        text = f"{text}\n\n{DISCONNECTED}".lstrip() + "\n".join(removed)
    if isinstance(attachment.get("rendered"), list):
        text = attachment_text(attachment)
    return Announced(added, removed, names(attachment.get("pendingMcpServers")), text)


def _instructions(attachment: Data) -> Event:
    servers, texts = names(attachment.get("addedNames")), names(attachment.get("addedBlocks"))
    added = tuple(zip(servers, texts, strict=False))
    return Instructions(added, names(attachment.get("removedNames")))


def _snapshot(attachment: Data) -> Event:
    schemas = _schemas(attachment.get("tools")) | _schemas(attachment.get("inlineTools"))
    return Offered(schemas, True, content_text(attachment.get("systemPrompt")) or None)


def _deferred(attachment: Data) -> Event:
    bare = names(attachment.get("nameOnlyAnnouncements"))
    only = {name: ToolSchema(name, deferred=True) for name in bare}
    return Offered(only | _schemas(attachment.get("entries")), False)


def _schemas(tools: Any) -> dict[str, ToolSchema]:
    out = {}
    for tool in tools if isinstance(tools, list) else []:
        item = {"name": tool} if isinstance(tool, str) else an_object(tool)
        schema = item.get("schema", item.get("input_schema"))
        if isinstance(name := item.get("name"), str):
            out[name] = ToolSchema(
                name,
                schema if isinstance(schema, Mapping) else None,
                text_of(item, "description") or "",
                item.get("defer_loading") is True,
            )
    return out


ATTACHMENTS: dict[str, Callable[[Data], Event | None]] = {
    "deferred_tools_delta": _announced,
    "deferred_tools_record": _deferred,
    "mcp_instructions_delta": _instructions,
    "prompt_snapshot": _snapshot,
    "queued_command": _queued,
}
