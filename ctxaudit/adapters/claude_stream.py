"""The stream of the Claude Agent SDK: ``claude -p --output-format stream-json``.

The records are cousins of those in Claude Code's session files: no tree, no attachments, but the
names of all tools at the start of each turn. A sub-agent's records carry the id of the call that
started it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxaudit.adapters.claude_code_events import Event, Line, Offered, Reset, Said
from ctxaudit.adapters.claude_code_gaps import STREAM
from ctxaudit.adapters.claude_code_lane import turns
from ctxaudit.adapters.claude_code_lines import answer, said, system
from ctxaudit.adapters.claude_code_shapes import Data, an_object, names, text_of
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Kind, ToolSchema, Turn

NAME = "claude-stream-json"
TITLE = "Claude Agent SDK stream (claude -p --output-format stream-json)"
SHOWS = {
    Aspect.SCHEMAS: Extent.PARTIAL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.PARTIAL,
}
TALK = ("assistant", "user")


def recognises(head: Sequence[Any]) -> bool:
    """Whether the first JSON values of a log are of this format."""
    return any(_is_record(value) for value in head)


def _is_record(value: Any) -> bool:
    if not isinstance(value, Mapping) or "session_id" not in value or "sessionId" in value:
        return False
    if value.get("type") == "system":
        return value.get("subtype") == "init" and "tools" in value
    return value.get("type") in TALK and "message" in value and "parent_tool_use_id" in value


def read(source: Source) -> Iterator[Turn]:
    """The turns of all lanes, each when its last record is read."""
    return turns(source.each(line), (STREAM,))


def line(record: Record) -> Line | None:
    """The record as a line of the session; None if it is bookkeeping."""
    data = an_object(record.data)
    event = _event(data)
    if event is None:
        return None
    uuid = text_of(data, "uuid") or ""
    session, agent = text_of(data, "session_id"), text_of(data, "parent_tool_use_id")
    return Line(record.path, record.line, session, agent, False, uuid, None, False, None, event)


def _event(data: Data) -> Event | None:
    kind = data.get("type")
    if kind == "assistant":
        return answer(data)
    if kind == "user":
        event = said(data)
        if isinstance(event, Said) and not event.results and is_summary(event.text):
            return replace(event, kind=Kind.SUMMARY, human=False)
        return event
    if kind == "conversation_reset":
        return Reset()
    if kind == "system":
        return _offered(data) if data.get("subtype") == "init" else system(data)
    return None


def _offered(data: Data) -> Offered:
    """The tools of a turn by their names, and the servers that have failed."""
    servers = data.get("mcp_servers")
    dead = [
        f"mcp__{re.sub(r'[^A-Za-z0-9_-]', '_', str(server.get('name')))}__"
        for server in (servers if isinstance(servers, list) else [])
        if isinstance(server, Mapping) and server.get("status") != "connected"
    ]
    schemas = {name: ToolSchema(name) for name in names(data.get("tools"))}
    return Offered(schemas, True, dead=tuple(dead))
