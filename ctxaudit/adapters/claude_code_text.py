"""What the model reads in the content blocks and attachments of a Claude Code session.

An attachment is rendered as a system reminder. Newer versions log the exact text (``rendered``); of
the others the texts that they hold are taken, which is enough to know what the prompt contained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxaudit.model import dumps

#: Attachments that are shown to the user or kept for bookkeeping, never sent.
UNSENT = frozenset(
    {
        "hook_system_message",
        "hook_non_blocking_error",
        "hook_cancelled",
        "command_permissions",
        "auto_mode",
        "structured_output",
        "thinking_drop",
        "thinking_stripped",
    }
)
#: Hooks whose plain output is sent; that of the others is not.
SENT_HOOKS = frozenset({"SessionStart", "UserPromptSubmit"})
#: Fields that say how an attachment came about, not what it tells.
UNTOLD = frozenset(
    {
        "type",
        "displayPath",
        "hookName",
        "hookEvent",
        "toolUseID",
        "command",
        "stdout",
        "stderr",
        "durationMs",
        "exitCode",
        "globs",
        "commandMode",
        "source_uuid",
    }
)
DEPTH = 6  #: of an attachment's fields
ANNOUNCED = (
    "The following deferred tools are now available via ToolSearch. Their schemas are NOT loaded — "
    "calling them directly will fail with InputValidationError. Use ToolSearch with query "
    '"select:<name>[,<name>...]" to load tool schemas before calling them:\n'
)
DISCONNECTED = (
    "The following deferred tools are no longer available (their MCP server disconnected). Do not "
    "search for them — ToolSearch will return no match:\n"
)


def content_text(content: Any) -> str:
    """The text of a message's or a result's content: a string, or a list of blocks."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return dumps(content)
    if content and all(_is(block, "tool_reference") for block in content):
        return dumps(content)
    return "\n".join(filter(None, (_block_text(block) for block in content)))


def _is(block: Any, kind: str) -> bool:
    return isinstance(block, Mapping) and block.get("type") == kind


def _block_text(block: Any) -> str:
    if not isinstance(block, Mapping):
        return dumps(block)
    text = block.get("text")
    if isinstance(text, str):
        return text
    if block.get("type") in ("image", "document"):
        return f"[{block['type']}]"
    if block.get("type") == "tool_result":
        return ""
    return dumps(block)


def references(content: Any) -> tuple[str, ...]:
    """The tools that a result's ``tool_reference`` blocks load, at any depth of lists."""
    return tuple(dict.fromkeys(_references(content, 0)))


def _references(content: Any, depth: int) -> Iterator[str]:
    if depth > DEPTH:
        return
    if isinstance(content, list):
        for block in content:
            yield from _references(block, depth + 1)
    elif isinstance(content, Mapping):
        name = content.get("tool_name")
        if content.get("type") == "tool_reference" and isinstance(name, str):
            yield name
        for key in ("content", "tool_references"):
            yield from _references(content.get(key), depth + 1)


def attachment_text(attachment: Mapping[str, Any]) -> str:
    """What an attachment puts into the prompt; empty if nothing."""
    if attachment.get("type") in UNSENT:
        return ""
    rendered = attachment.get("rendered")
    if isinstance(rendered, list):
        texts = (r.get("content") if isinstance(r, Mapping) else r for r in rendered)
        return "\n".join(content_text(text) for text in texts)
    if attachment.get("type") == "hook_success" and attachment.get("hookEvent") not in SENT_HOOKS:
        return ""
    return "\n".join(_leaves(attachment, 0))


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif depth > DEPTH:
        return
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in UNTOLD and not (key == "type" and depth):
                yield from _leaves(item, depth + 1)
