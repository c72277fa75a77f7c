"""Anthropic Messages: ``{"system": ..., "messages": [...], "tools": [...]}``.

A reply is ``{"type": "message", "content": [blocks]}``. What the provider itself takes out of the
prompt is in anthropic_edits.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.model import Kind, ToolSchema, dumps
from ctxaudit.pieces import Piece

KINDS = {"user": Kind.USER, "assistant": Kind.ASSISTANT, "system": Kind.SYSTEM}
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
#: Blocks that no other provider's messages hold.
BLOCKS = CALLS | {"tool_result", "thinking", "redacted_thinking", "compaction"}
ADDED, REMOVED, REFERENCE = "tool_addition", "tool_removal", "tool_reference"


def speaks(body: dict[str, Any]) -> bool:
    """Whether a request with messages is one of this provider's."""
    if "system" in body or "anthropic_version" in body:
        return True
    tools, blocks = body.get("tools"), BLOCKS
    if isinstance(tools, list) and tools and isinstance(tools[0], dict):
        kind = tools[0].get("type", "custom")
        if "input_schema" in tools[0] or ("name" in tools[0] and kind != "function"):
            return True
        blocks = CALLS | {"tool_result"}  # others think aloud in blocks too
    return any(
        isinstance(block, dict) and block.get("type") in blocks
        for message in body["messages"]
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def tools(body: dict[str, Any]) -> Any:
    """The definitions that a request offers, None where it has none."""
    return body.get("tools")


def pieces(message: Any) -> list[Piece]:
    """The pieces of one message, block by block. Raises TypeError or AttributeError if it is
    none."""
    kind, told = KINDS.get(message.get("role"), Kind.USER), message.get("content")
    if kind is Kind.SYSTEM and isinstance(told, list) and all(map(_is_text, told)):
        return content.pieces(kind, told)
    blocks = told if isinstance(told, list) else [told]
    return [piece for block in blocks for piece in _block(block, kind)]


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"


def _block(block: Any, kind: Kind) -> Iterable[Piece]:
    if not isinstance(block, dict):
        return content.pieces(kind, block)
    sort = str(block.get("type"))
    if sort in CALLS:
        return [content.call(block["name"], block.get("input"), block.get("id"))]
    if sort.endswith("tool_result"):
        return [_result(block)]
    if sort == "compaction":
        return _summary(block)
    if sort in (ADDED, REMOVED):
        return [_change(block, sort)]
    if sort == "mid_conv_system":
        return content.pieces(Kind.SYSTEM, block.get("content", block.get("text")))
    if sort == "thinking":
        return content.pieces(Kind.REASONING, block.get("thinking"))
    if sort == "redacted_thinking":
        return []
    return content.pieces(kind, [block])


def _result(block: dict[str, Any]) -> Piece:
    told = block.get("content")
    loads = tuple(ToolSchema(name) for name in _references(told))
    failed = block.get("is_error")
    if isinstance(told, dict) and str(told.get("type")).endswith("_error"):
        failed = True
    return Piece(
        Kind.RESULT,
        content.text(told),
        block.get("tool_use_id") or None,
        None,
        failed if isinstance(failed, bool) else None,
        loads=loads,
    )


def _references(told: Any) -> Iterator[str]:
    """The tools that a search's result names: their schemas are in the prompt from there on."""
    if isinstance(told, dict):
        told = told.get("tool_references")
    for block in told if isinstance(told, list) else ():
        if isinstance(block, dict) and block.get("type") == REFERENCE:
            yield str(block.get("tool_name") or block["name"])


def _summary(block: dict[str, Any]) -> list[Piece]:
    if isinstance(told := block.get("content"), str) and told:
        return [Piece(Kind.SUMMARY, told)]
    hidden = block.get("encrypted_content")
    return [Piece(Kind.SUMMARY, "", opaque=str(hidden))] if hidden else []


def _change(block: dict[str, Any], sort: str) -> Piece:
    """A tool that is added or removed in the middle of the conversation."""
    tool = block.get("tool") or {}
    definition = tool.get("definition")
    if isinstance(definition, dict):
        schemas = tuple(content.schemas([definition]).values())
    else:
        name = tool.get("tool_name") or tool.get("name")
        schemas = (ToolSchema(str(name)),) if name else ()
    names = tuple(schema.name for schema in schemas)
    told = dumps({"type": sort, "tools": names})
    if sort == REMOVED:
        return Piece(Kind.SYSTEM, told, removes=names)
    return Piece(Kind.SYSTEM, told, loads=schemas)


def said(response: dict[str, Any]) -> list[Any] | None:
    """An answer as prompt items, what it says after a compaction; None if the response is of
    another kind."""
    told = response.get("content")
    if not isinstance(told, list) or response.get("role", "assistant") != "assistant":
        return None
    after = [n for n, block in enumerate(told) if block.get("type") == "compaction"]
    start = after[-1] + 1 if after else 0
    return [{"role": "assistant", "content": told[start:]}]


def tokens(response: dict[str, Any]) -> int | None:
    """The provider's count of the prompt, cached parts included."""
    usage = response.get("usage")
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return None
    parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(usage.get(part) or 0 for part in parts)


def message_of(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that streamed events make up."""
    message: dict[str, Any] = {"role": "assistant", "content": []}
    blocks: list[dict[str, Any]] = []
    for event in events:
        sort = event.get("type")
        if sort == "message_start":
            message = {**event["message"]}
        elif sort == "content_block_start":
            blocks.append({**event["content_block"]})
        elif sort == "content_block_delta" and blocks:
            _extend(blocks[-1], event.get("delta") or {})
        elif sort == "message_delta":
            usage = {**(message.get("usage") or {}), **(event.get("usage") or {})}
            message |= event.get("delta") or {}
            if "context_management" in event:
                message["context_management"] = event["context_management"]
            message["usage"] = usage
        elif sort == "error":
            message["error"] = event.get("error")
    for block in blocks:
        if "partial" in block:
            block["input"] = content.arguments(block.pop("partial"))
    return {**message, "content": blocks}


def _extend(block: dict[str, Any], delta: dict[str, Any]) -> None:
    for key in ("text", "thinking", "content"):
        if isinstance(delta.get(key), str):
            block[key] = (block.get(key) or "") + delta[key]
    if isinstance(delta.get("partial_json"), str):
        block["partial"] = block.get("partial", "") + delta["partial_json"]
