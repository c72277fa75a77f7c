"""Could one tool stand in for another?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ctxaudit.knowledge.schemas import flatten
from ctxaudit.model import ToolCall, dumps

#: Words in tool names that say what is done, not to what.
VERBS = frozenset(
    "get list read fetch find search query lookup create make new add insert update edit "
    "modify set change patch put delete remove drop cancel send post write append publish "
    "submit run execute exec call do start stop open close book pay mcp tool the a by to from "
    "for of and in all".split()
)
MIN_VALUE = 4  # shorter argument values are shared by chance


def related(gone: ToolCall, other: ToolCall) -> str | None:
    """Why ``other`` could be a work-around for ``gone``, in words; None if nothing says so."""
    if (server := _server(gone.tool)) and server == _server(other.tool):
        return f"same server `{server}`"
    nouns = _nouns(gone.tool) & _nouns(other.tool)
    if nouns:
        return f"same object `{sorted(nouns)[0]}`"
    text = dumps(other.arguments)
    for value in _values(gone.arguments):
        if value in text:
            return "same argument values"
    words = {w for w in _nouns(gone.tool) if len(w) >= MIN_VALUE}
    named = sorted(w for w in words if re.search(rf"(?<![A-Za-z]){re.escape(w)}", text, re.I))
    return f"its arguments name `{named[0]}`" if named else None


def _server(tool: str) -> str | None:
    """The server of a namespaced tool: ``mcp__server__tool``, ``server__tool``, ``server.tool``."""
    parts = [part for part in re.split(r"__|\.|/|::", tool) if part and part != "mcp"]
    return parts[0].lower() if len(parts) > 1 else None


def _nouns(tool: str) -> set[str]:
    """The object words of a tool's name, in the singular."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", re.split(r"__|\.|/|::", tool)[-1])
    return {_singular(word.lower()) for word in words} - VERBS


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _values(arguments: Any) -> Iterator[str]:
    for _, leaf in flatten(arguments):
        value = str(leaf)
        if isinstance(leaf, str) and MIN_VALUE <= len(value) <= 200:
            yield dumps({"v": leaf})[6:-2]  # as it stands inside JSON
