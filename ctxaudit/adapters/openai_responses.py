"""OpenAI Responses: ``{"input": [items], "instructions": ..., "tools": [...]}``.

A reply is ``{"object": "response", "output": [items]}``. The history may be on the server: see
openai_state.py.
"""

from __future__ import annotations

from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.model import Kind, dumps
from ctxaudit.pieces import Piece

KINDS = {"system": Kind.SYSTEM, "developer": Kind.SYSTEM, "assistant": Kind.ASSISTANT}
COMPACTIONS = frozenset({"compaction", "compaction_summary", "context_compaction"})
ADDITIONAL = "additional_tools"
#: Where a call that the provider or a shell runs keeps what it was asked, and what it said.
ASKED = ("arguments", "input", "action", "operation", "queries", "code", "query")
SAID = ("output", "result", "results", "outputs", "error")


def items(body: dict[str, Any]) -> list[Any]:
    """The input of a request as items."""
    told = body["input"]
    if isinstance(told, str):
        return [{"role": "user", "content": told}]
    if not isinstance(told, list):
        raise TypeError("input is neither text nor a list")
    return told


def head(body: dict[str, Any]) -> list[Any]:
    """The instructions as an item; they are not part of the history."""
    told = body.get("instructions")
    return [{"role": "system", "content": told}] if told else []


def tools(body: dict[str, Any]) -> Any:
    """The definitions that a request offers, None where it has none."""
    return body.get("tools")


def among(items: list[Any]) -> list[Any] | None:
    """The definitions that items hold instead, None if there are none."""
    found = [i["tools"] for i in items if isinstance(i, dict) and i.get("type") == ADDITIONAL]
    return [tool for tools in found for tool in tools] or None


def pieces(item: Any) -> list[Piece]:
    """The pieces of one item. Raises TypeError or AttributeError if it is none."""
    sort = str(item.get("type") or "message")
    if sort == "message":
        return content.pieces(KINDS.get(item.get("role"), Kind.USER), item.get("content"))
    if sort == "reasoning":
        thought = [*(item.get("summary") or ()), *(item.get("content") or ())]
        return content.pieces(Kind.REASONING, thought)
    if sort in COMPACTIONS:
        return _summary(item)
    if sort == "mcp_list_tools":
        loads = tuple(content.schemas(item.get("tools") or []).values())
        names = dumps([schema.name for schema in loads])
        return [Piece(Kind.SYSTEM, f"{sort} {names}", loads=loads)]
    if sort.endswith("_output"):
        return [_result(item, sort.removesuffix("_output"))]
    if sort.endswith("_call"):
        return _call(item, sort)
    return content.pieces(KINDS.get(item.get("role"), Kind.USER), item.get("content"))


def _summary(item: dict[str, Any]) -> list[Piece]:
    told = content.text(item.get("summary") or item.get("content"))
    hidden = "" if told else str(item.get("encrypted_content") or item.get("id") or "")
    return [Piece(Kind.SUMMARY, told, opaque=hidden)] if told or hidden else []


def _tool(item: dict[str, Any], sort: str) -> str:
    name = item.get("name")
    return name if isinstance(name, str) and name else content.builtin(sort.removesuffix("_call"))


def _call(item: dict[str, Any], sort: str) -> list[Piece]:
    """A call; one that the provider ran itself comes with its result."""
    raw = next((item[key] for key in ASKED if item.get(key) is not None), None)
    free = sort == "custom_tool_call"
    if item.get("call_id") or sort in ("function_call", "custom_tool_call", "tool_search_call"):
        return [content.call(_tool(item, sort), raw, item.get("call_id"), parse=not free)]
    tool, ident = _tool(item, sort), item.get("id")
    said = next((item[key] for key in SAID if item.get(key) is not None), item.get("status"))
    failed = True if item.get("error") else None
    return [
        content.call(tool, raw, ident),
        Piece(Kind.RESULT, content.text(said), ident or None, tool, failed),
    ]


def _result(item: dict[str, Any], sort: str) -> Piece:
    found = item.get("tools")
    loads = tuple(content.schemas(found).values()) if isinstance(found, list) else ()
    told = item.get("output") or (dumps([schema.name for schema in loads]) if loads else None)
    ident = item.get("call_id") or (None if sort.startswith("tool_search") else item.get("id"))
    tool = content.builtin(sort.removesuffix("_call")) if not ident else None
    return Piece(Kind.RESULT, content.text(told), ident, tool, loads=loads)


def said(response: dict[str, Any]) -> list[Any] | None:
    """An answer as prompt items, None if the response is of another kind."""
    output = response.get("output")
    return output if isinstance(output, list) else None


def tokens(response: dict[str, Any]) -> int | None:
    """The provider's count of the prompt."""
    usage = response.get("usage")
    count = usage.get("input_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) else None


def message_of(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that streamed events make up: the last one holds it, or else its items."""
    for event in reversed(events):
        if isinstance(event.get("response"), dict) and event["response"].get("output"):
            whole: dict[str, Any] = event["response"]
            return whole
    done = [e["item"] for e in events if e.get("type") == "response.output_item.done"]
    last: dict[str, Any] = next((e["response"] for e in reversed(events) if "response" in e), {})
    return {**last, "object": "response", "output": done}
