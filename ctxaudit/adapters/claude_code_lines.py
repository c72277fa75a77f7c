"""Records of a Claude Code session as events. A wrong shape raises TypeError or KeyError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxaudit.adapters.claude_code_attachments import attachment
from ctxaudit.adapters.claude_code_events import (
    Answer,
    Block,
    Boundary,
    Cleared,
    Event,
    Line,
    Pinned,
    Queue,
    Reset,
    Result,
    Said,
)
from ctxaudit.adapters.claude_code_shapes import (
    Data,
    an_object,
    names,
    text_of,
    written_by_person,
)
from ctxaudit.adapters.claude_code_text import content_text, references
from ctxaudit.log import Record
from ctxaudit.model import Kind, dumps

SYNTHETIC = "<synthetic>"
CLEAR = "<command-name>/clear</command-name>"
TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def line(record: Record) -> Line | None:
    """The record as a line of the session; None if it is bookkeeping."""
    data = an_object(record.data)
    read = READERS.get(data.get("type", ""))
    event = read(data) if read else None
    uuid = data.get("uuid")
    if event is None and not isinstance(uuid, str):
        return None
    return Line(
        record.path,
        record.line,
        text_of(data, "sessionId"),
        text_of(data, "agentId"),
        data.get("isSidechain") is True,
        uuid if isinstance(uuid, str) else "",
        text_of(data, "parentUuid"),
        "parentUuid" in data and data["parentUuid"] is None,
        _version(data.get("version")),
        event,
    )


def _version(value: Any) -> tuple[int, ...] | None:
    parts = value.split("-")[0].split(".") if isinstance(value, str) else []
    numbers = tuple(int(part) for part in parts if part.isdigit() and len(part) < 9)
    return numbers if len(numbers) >= 2 else None


# -- answers ------------------------------------------------------------------------------------


def answer(data: Data) -> Answer | None:
    """One line of an API message; None for what the program says in the model's name."""
    message = an_object(data["message"])
    if data.get("isApiErrorMessage") is True or message.get("model") == SYNTHETIC:
        return None
    content = message.get("content")
    items = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    name = text_of(data, "uuid") or text_of(message, "id") or "call"
    blocks = tuple(_block(an_object(item), f"{name}:{n}") for n, item in enumerate(items))
    return Answer(
        text_of(message, "id"),
        text_of(message, "model"),
        tuple(block for block in blocks if block.text or block.call),
        _tokens(message.get("usage")),
        any(b.kind is Kind.REASONING and not b.text for b in blocks),
        _edits(message.get("context_management")),
    )


def _block(item: Data, name: str) -> Block:
    kind = item.get("type")
    if kind == "tool_use":
        call, tool = item.get("id") or name, item["name"]
        if not isinstance(call, str) or not isinstance(tool, str):
            raise TypeError("a call whose id or name is no text")
        return Block(Kind.CALL, "", call, tool, _arguments(item.get("input")))
    if kind in ("thinking", "redacted_thinking"):
        return Block(Kind.REASONING, text_of(item, "thinking") or "")
    if kind == "text":
        return Block(Kind.ASSISTANT, text_of(item, "text") or "")
    return Block(Kind.ASSISTANT, dumps(item), loads=references(item))


def _arguments(value: Any) -> Any:
    """The input of a call; that of one which was not JSON is wrapped."""
    raw = value.get("__unparsedToolInput") if isinstance(value, Mapping) else None
    if isinstance(raw, Mapping):
        return str(raw.get("raw", ""))
    return value


def _tokens(usage: Any) -> int | None:
    """The size of the prompt; the top level sums up the calls of helpers where there are any."""
    if not isinstance(usage, Mapping):
        return None
    rounds = usage.get("iterations")
    for item in reversed(rounds if isinstance(rounds, list) else []):
        if isinstance(item, Mapping) and item.get("type") == "message":
            usage = item
            break
    return sum(n for key in TOKENS if isinstance(n := usage.get(key), int)) or None


def _edits(management: Any) -> str | None:
    edits = management.get("applied_edits") if isinstance(management, Mapping) else None
    for edit in edits if isinstance(edits, list) else []:
        count = edit.get("cleared_tool_uses") if isinstance(edit, Mapping) else None
        if isinstance(count, int) and count:
            return f"the server cleared {count} tool results; the log does not tell which"
    return None


# -- user messages ------------------------------------------------------------------------------


def said(data: Data) -> Event | None:
    """A user message: words of a person or of the program, results, a summary, a reset."""
    message = an_object(data["message"])
    content = message.get("content")
    if data.get("isCompactSummary") is True:
        return Said(content_text(content), Kind.SUMMARY)
    if data.get("isVisibleInTranscriptOnly") is True:
        return None
    text = content_text(content)
    if text.lstrip().startswith(CLEAR):
        return Reset()
    items = content if isinstance(content, list) else []
    results = tuple(
        _result(item, data)
        for item in items
        if isinstance(item, Mapping) and item.get("type") == "tool_result"
    )
    person = data.get("isMeta") is not True and written_by_person(text, data.get("origin"))
    kind = Kind.USER if person else Kind.SYSTEM
    return Said(text, kind, results, person and not results)


def _result(item: Data, data: Data) -> Result:
    call = item["tool_use_id"]
    if not isinstance(call, str):
        raise TypeError("a result whose tool_use_id is no text")
    content, failed = item.get("content"), item.get("is_error")
    if content is None:
        content = text_of(data, "toolUseResult") or text_of(data, "tool_use_result")
    return Result(
        call,
        content_text(content),
        failed if isinstance(failed, bool) else None,
        references(content),
    )


# -- system records -----------------------------------------------------------------------------


def system(data: Data) -> Event | None:
    """A boundary, or the output of a local command."""
    kind = data.get("subtype")
    if kind == "compact_boundary":
        return boundary(data.get("compactMetadata", data.get("compact_metadata")))
    if kind == "microcompact_boundary":
        return _cleared(data.get("microcompactMetadata", data.get("microcompact_metadata")))
    if kind == "local_command" and isinstance(data.get("content"), str):
        return Said(data["content"], Kind.SYSTEM)
    return None


def _either(meta: Data, camel: str, snake: str) -> Any:
    return meta.get(camel, meta.get(snake))


def boundary(value: Any) -> Boundary:
    """A compaction by its metadata, in either spelling."""
    meta = value if isinstance(value, Mapping) else {}
    trigger = meta.get("trigger")
    actor = {"manual": "manual compact", "auto": "auto-compact"}.get(str(trigger), "compact")
    before, after = (
        _either(meta, "preTokens", "pre_tokens"),
        _either(meta, "postTokens", "post_tokens"),
    )
    reason = None
    if isinstance(before, int):
        reason = f"{before} → {after} tokens" if isinstance(after, int) else f"{before} tokens"
    kept = _either(meta, "preservedMessages", "preserved_messages")
    kept = kept if isinstance(kept, Mapping) else {}
    found = _either(meta, "preCompactDiscoveredTools", "pre_compact_discovered_tools")
    return Boundary(
        actor,
        reason,
        frozenset((*names(kept.get("uuids")), *names(kept.get("allUuids")))),
        _ends(_either(meta, "preservedSegment", "preserved_segment")),
        names(found) if isinstance(found, list) else None,
    )


def _ends(segment: Any) -> tuple[str, str] | None:
    if not isinstance(segment, Mapping):
        return None
    head = _either(segment, "headUuid", "head_uuid")
    tail = _either(segment, "tailUuid", "tail_uuid")
    return (head, tail) if isinstance(head, str) and isinstance(tail, str) else None


def _cleared(value: Any) -> Cleared:
    meta = value if isinstance(value, Mapping) else {}
    before, saved = meta.get("preTokens"), meta.get("tokensSaved")
    reason = f"{saved} of {before} tokens" if isinstance(saved, int) else None
    return Cleared(
        names(meta.get("compactedToolIds")), names(meta.get("clearedAttachmentUUIDs")), reason
    )


def _pinned(data: Data) -> Event | None:
    leaf = text_of(data, "leafUuid")
    return Pinned(leaf) if leaf and data.get("explicit") is True else None


def _queue(data: Data) -> Event:
    return Queue(text_of(data, "operation") or "", text_of(data, "content") or "")


def _reset(data: Data) -> Event:
    return Reset()


READERS: dict[str, Callable[[Data], Event | None]] = {
    "assistant": answer,
    "attachment": attachment,
    "conversation_reset": _reset,
    "last-prompt": _pinned,
    "queue-operation": _queue,
    "system": system,
    "user": said,
}
