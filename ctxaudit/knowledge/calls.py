"""The shape of a call: arguments as JSON text, bridge tools, argument names that mean the same.

call_tool {"name": "create_issue", "arguments": {...}}   is   create_issue {...}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ctxaudit.knowledge.inner_calls import inner_calls
from ctxaudit.knowledge.tables import word_set

MAX_DEPTH = 12
MAX_BRIDGES = 3

#: Squashed names of tools that call another tool.
BRIDGES = word_set(
    """calltool toolcall usetool invoketool executetool runtool exectool usemcptool callmcptool
    mcpcalltool mcpcall mcptool invokemcptool executemcptool calldiscoverabletool
    calldiscoverableagenttool calldiscoverableusertool callfunction invokefunction callaction
    executeaction runaction dispatchtool tooldispatch toolexecute toolinvoke"""
)
#: Where a bridge keeps the tool's name and its arguments, by preference.
NAME_KEYS = (
    *("tool_name", "toolName", "tool", "name", "tool_slug", "agent_tool_name"),
    *("discoverable_tool_name", "function_name", "function", "action_name", "action"),
)
ARGUMENT_KEYS = (
    *("arguments", "args", "tool_arguments", "tool_args", "toolArgs", "tool_input", "toolInput"),
    *("input", "params", "parameters", "kwargs", "payload"),
)


def squash(name: str) -> str:
    """A name without case and separators: ``ReadFile``, ``read_file`` -> ``readfile``."""
    return name.replace("_", "").replace("-", "").lower()


def short(tool: str) -> str:
    """The tool's own name without server or namespace.

    ``mcp__tracker__get_issue``, ``functions.get_issue``, ``tracker/get_issue`` -> ``get_issue``
    """
    for separator in ("__", "/", ".", ":"):
        head, found, tail = tool.rpartition(separator)
        if found and head and tail.strip("_"):
            tool = tail
    return tool


def server(tool: str) -> str:
    """The server or namespace that a tool's name begins with, '' if it has none."""
    head = tool[: len(tool) - len(short(tool))].rstrip("_./:")
    head = head.removeprefix("mcp__").removeprefix("functions")
    return head.lower().strip("_./:")


def parsed(arguments: object) -> object:
    """Arguments that were logged as JSON text, parsed; anything else as it is."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments


def mapping(arguments: object) -> Mapping[str, object]:
    """The named arguments of a call, empty if there are none."""
    value = parsed(arguments)
    return value if isinstance(value, Mapping) else {}


def unwrap(tool: str, arguments: object) -> tuple[str, object]:
    """The call behind a bridge tool, or in a program that makes one call; any other call as it is,
    its arguments parsed.
    """
    arguments = parsed(arguments)
    for _ in range(MAX_BRIDGES):
        if squash(short(tool)) not in BRIDGES or not isinstance(arguments, Mapping):
            break
        named = _first_name(arguments)
        if named is None:
            break
        tool, inner = named, _inner(arguments)
        arguments = parsed(inner)
    within = inner_calls(tool, arguments)
    return within[0] if len(within) == 1 else (tool, arguments)


def _first_name(arguments: Mapping[str, object]) -> str | None:
    for key in NAME_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value and not value.isspace():
            return value
    return None


def _inner(arguments: Mapping[str, object]) -> object:
    for key in ARGUMENT_KEYS:
        if key in arguments:
            return arguments[key]
    return {k: v for k, v in arguments.items() if k not in NAME_KEYS}


def leaves(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """The scalar values of a JSON value as (dotted path, value); list items share a path."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from leaves(child, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from leaves(child, f"{path}[]", depth + 1)
    else:
        yield path, value
