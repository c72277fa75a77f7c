"""Message contents, arguments and tool definitions, as far as the providers agree on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from ctxaudit.model import Kind, ToolSchema, dumps
from ctxaudit.patterns import regex
from ctxaudit.pieces import Piece

#: Keys that say how a block travels, not what the model reads.
TRANSPORT = frozenset(
    {"cache_control", "cachePoint", "signature", "thoughtSignature", "encrypted_content", "status"}
)
#: Where a block keeps its text, in the order of preference.
TEXTS = ("text", "content", "output", "refusal", "input_text", "output_text")
#: Where a definition keeps the JSON Schema of its parameters.
PARAMETERS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
)
#: Where a group of tools keeps them.
GROUPS = ("functionDeclarations", "function_declarations", "tools")
_VERSION = regex(r"_(?:preview(?:_\d{4}_\d\d_\d\d)?|20\d{6})$")
#: Built-in tools whose calls bear another name than their definitions.
BUILTIN = {"computer_use": "computer"}


def text(content: Any) -> str:
    """What the model reads in a content: a text as it is, blocks joined by newlines, else JSON."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(block_text, content)))
    return block_text(content)


def block_text(block: Any) -> str:
    """What the model reads in one block; of media only that they are there."""
    if not isinstance(block, dict):
        return dumps(block)
    for key in TEXTS:
        if isinstance(block.get(key), (str, list)):
            return text(block[key])
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") in ("text", "content"):
        return text(source.get("data", source.get("content")))
    if "type" in block and _is_media(block):
        return f"[{block['type']}]"
    return dumps({key: value for key, value in block.items() if key not in TRANSPORT})


def _is_media(block: dict[str, Any]) -> bool:
    kind = str(block["type"])
    return any(word in kind for word in ("image", "document", "file", "audio", "video", "media"))


def arguments(raw: Any) -> Any:
    """A call's arguments: parsed JSON, or the raw text if it is none."""
    if not isinstance(raw, str):
        return {} if raw is None else raw
    if not raw.strip():
        return {}
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw


def call(name: str, raw: Any, call_id: str | None, *, parse: bool = True) -> Piece:
    """A tool call. ``parse`` is False where the tool takes free text."""
    passed = arguments(raw) if parse else raw
    told = f"{name} {dumps(passed)}"
    return Piece(Kind.CALL, told, call_id or None, name, arguments=passed)


def pieces(kind: Kind, content: Any) -> list[Piece]:
    """A content as one piece, none if it is empty."""
    told = text(content)
    return [Piece(kind, told)] if told else []


def schemas(raw: Any) -> dict[str, ToolSchema]:
    """The tools of a request by name, whichever provider's definitions they are."""
    return {schema.name: schema for schema in _schemas(raw)}


def _schemas(raw: Any) -> Iterator[ToolSchema]:
    if isinstance(raw, dict) and not _named(raw):
        raw = [{"name": name, **tool} for name, tool in raw.items() if isinstance(tool, dict)]
    for tool in raw if isinstance(raw, Iterable) and not isinstance(raw, (str, dict)) else [raw]:
        if not isinstance(tool, dict):
            raise TypeError(f"a tool is no object: {tool!r:.60}")
        inner = next((tool[key] for key in GROUPS if isinstance(tool.get(key), list)), None)
        if inner is not None:
            yield from _schemas(inner)
        elif (schema := _schema(tool)) is not None:
            yield schema


def _named(tool: dict[str, Any]) -> bool:
    return any(key in tool for key in ("name", "type", "function", *GROUPS))


def _schema(tool: dict[str, Any]) -> ToolSchema | None:
    kind = tool.get("type")
    inner = next(
        (tool[key] for key in ("function", "custom") if isinstance(tool.get(key), dict)), tool
    )
    name = inner.get("name")
    if not isinstance(name, str):
        return ToolSchema(builtin(kind)) if isinstance(kind, str) and whole([tool]) else None
    parameters = next((inner[key] for key in PARAMETERS if isinstance(inner.get(key), dict)), None)
    hints = inner.get("annotations", tool.get("annotations"))
    return ToolSchema(
        name,
        parameters,
        str(inner.get("description") or ""),
        tool.get("defer_loading") is True or inner.get("defer_loading") is True,
        hints if isinstance(hints, dict) else None,
    )


def builtin(kind: str) -> str:
    """The name by which a provider's own tool is called: its type without the version."""
    name = _VERSION.sub("", kind)
    return BUILTIN.get(name, name)


def whole(raw: Any) -> bool:
    """Whether the request names all of its tools: a server's toolset is listed by the provider."""
    return not isinstance(raw, list) or not any(
        isinstance(tool, dict) and tool.get("type") in ("mcp", "mcp_toolset") for tool in raw
    )
