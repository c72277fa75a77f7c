"""What Anthropic's server takes out of a prompt before the model sees it.

The client's history stays whole. The response says how many tool results were cleared, not which:
the oldest ones, those of excluded tools left out. A compaction block replaces
all that stands before it.

    {"context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919",
                                                "cleared_tool_uses": 3}]}}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ACTOR = "anthropic context_management"
#: What is put in the place of a cleared result; the server's own wording is not documented.
CLEARED = "[tool result cleared by context management]"
THINKING = ("thinking", "redacted_thinking")

Edit = Callable[[dict[str, Any]], dict[str, Any]]


def prompt(body: dict[str, Any], response: dict[str, Any]) -> tuple[list[Any], str | None]:
    """The items that the model saw, the system text first, and who edited them, if anyone did."""
    messages = body["messages"]
    if not isinstance(messages, list):
        raise TypeError("messages is no list")
    messages = _compacted(messages, response)
    edited = messages
    for applied in _applied(response):
        edited = _edit(edited, applied, body)
    head = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return [*head, *edited], ACTOR if edited is not messages else None


def _compacted(messages: list[Any], response: dict[str, Any]) -> list[Any]:
    """The messages from the last compaction on, the one that this very call made included."""
    told = response.get("content")
    if isinstance(told, list) and response.get("stop_reason") != "compaction":
        made = [block for block in told if _is_compaction(block)]
        if made:
            return [{"role": "assistant", "content": made[-1:]}]
    for n in range(len(messages) - 1, -1, -1):
        blocks = messages[n].get("content")
        if not isinstance(blocks, list) or messages[n].get("role") != "assistant":
            continue
        at = [i for i, block in enumerate(blocks) if _is_compaction(block)]
        if at:
            return [{"role": "assistant", "content": blocks[at[-1] :]}, *messages[n + 1 :]]
    return messages


def _is_compaction(block: Any) -> bool:
    """Whether a block is a compaction that did not fail."""
    return (
        isinstance(block, dict)
        and block.get("type") == "compaction"
        and bool(block.get("content") or block.get("encrypted_content"))
    )


def _applied(response: dict[str, Any]) -> list[dict[str, Any]]:
    managed = response.get("context_management")
    return (managed.get("applied_edits") or []) if isinstance(managed, dict) else []


def _edit(messages: list[Any], applied: dict[str, Any], body: dict[str, Any]) -> list[Any]:
    kind = str(applied.get("type"))
    if kind.startswith("clear_tool_uses"):
        return _without_results(
            messages, applied.get("cleared_tool_uses") or 0, _option(body, kind)
        )
    if kind.startswith("clear_thinking"):
        return _without_thinking(messages, applied.get("cleared_thinking_turns") or 0)
    return messages


def _option(body: dict[str, Any], kind: str) -> dict[str, Any]:
    """The edit of that type as the request asked for it."""
    managed = body.get("context_management")
    edits = managed.get("edits") if isinstance(managed, dict) else None
    return next((edit for edit in edits or () if edit.get("type") == kind), {})


def _without_results(messages: list[Any], count: int, option: dict[str, Any]) -> list[Any]:
    """Messages in which the oldest results, and the inputs of their calls if so asked, are
    cleared."""
    excluded = frozenset(option.get("exclude_tools") or ())
    uses = [
        (block["id"], block["name"])
        for message in messages
        for block in _blocks(message)
        if block.get("type") == "tool_use" and block["name"] not in excluded
    ]
    uses = uses[:count]
    inputs = option.get("clear_tool_inputs") or False
    emptied = {i for i, name in uses if inputs is True or (inputs and name in inputs)}
    cleared = {i for i, _ in uses}

    def edit(block: dict[str, Any]) -> dict[str, Any]:
        if block.get("type") == "tool_result" and block.get("tool_use_id") in cleared:
            return {**block, "content": CLEARED}
        if block.get("type") == "tool_use" and block.get("id") in emptied:
            return {**block, "input": {}}
        return block

    return [_rewritten(message, edit) for message in messages]


def _without_thinking(messages: list[Any], turns: int) -> list[Any]:
    """Messages in which the oldest turns have no thinking."""
    out = []
    for message in messages:
        blocks = _blocks(message)
        left = [block for block in blocks if block.get("type") not in THINKING]
        if turns > 0 and len(left) < len(blocks):
            turns -= 1
            message = {**message, "content": left}
        out.append(message)
    return out


def _rewritten(message: Any, edit: Edit) -> Any:
    blocks = _blocks(message)
    new = [edit(block) for block in blocks]
    changed = any(a is not b for a, b in zip(blocks, new, strict=True))
    return {**message, "content": new} if changed else message


def _blocks(message: Any) -> list[dict[str, Any]]:
    told = message.get("content")
    return told if isinstance(told, list) else []
