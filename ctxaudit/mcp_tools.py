"""What an MCP server says of its tools: the answer to ``tools/list``, saved to a file.

    {"tools": [{"name", "annotations": {"readOnlyHint", "destructiveHint", "idempotentHint"}}]}

The list alone, and the whole JSON-RPC answer with its ``result``, are understood too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from ctxaudit.errors import ConfigError

Hints = Mapping[str, Mapping[str, Any]]


def hints(paths: Iterable[str]) -> Hints:
    """MCP's hints by tool; of two files that know a tool, the later holds.

    Raises: ConfigError if a file cannot be read or lists no tools.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        for tool in _tools(path):
            name, told = tool.get("name"), tool.get("annotations")
            if isinstance(name, str) and isinstance(told, dict):
                found[name] = told
    return found


def _tools(path: str) -> list[dict[str, Any]]:
    try:
        told = orjson.loads(Path(path).read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    for key in ("result", "tools"):
        told = told.get(key, told) if isinstance(told, dict) else told
    if not isinstance(told, list):
        raise ConfigError(f"{path}: no list of tools in it")
    return [tool for tool in told if isinstance(tool, dict)]
