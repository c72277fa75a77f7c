"""Formats. An adapter is a module: it turns the records of one format into turns.

It knows nothing of rules. It says in ``SHOWS`` what its format can show at best, and in the turns'
gaps what a particular log does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from ctxaudit import plugins
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Source
from ctxaudit.model import Aspect, Extent, Turn


class Adapter(Protocol):
    """What a format's module has.

    Where a folder may be one log of the format, the module also has ``folder(names)``: whether one
    with entries of these names is. Where files stand beside the logs that people may name instead,
    it has ``aside(head)``: what such a file is, None if it is none.
    """

    NAME: str
    TITLE: str
    SHOWS: Mapping[Aspect, Extent]

    def recognises(self, head: Sequence[Any]) -> bool:
        """Whether the first JSON values of a log are of this format."""

    def read(self, source: Source) -> Iterator[Turn]:
        """The turns of all sessions, in the order of the log."""


#: Modules by the name of their format. Each is imported when it is asked for, so that a scan pays
#: only for the formats that it tries; no log is recognised by two of them.
FORMATS = {
    "native": "native",
    "requests": "requests",
    "claude-code": "claude_code",
    "claude-stream-json": "claude_stream",
    "codex": "codex",
    "codex-trace": "codex_trace",
    "inspect": "inspect_ai",
    "langsmith": "langsmith",
    "openinference": "openinference",
    "otel-genai": "otel_genai",
    "langfuse": "langfuse",
    "litellm": "litellm",
    "weave": "weave",
    "braintrust": "braintrust",
    "helicone": "helicone",
    "atif": "atif",
    "pi": "pi",
    "opencode": "opencode",
    "copilot-cli": "copilot_cli",
    "gemini-cli": "gemini_cli",
    "swe-agent": "swe_agent",
    "vscode-debug": "vscode_debug",
    "cline": "cline",
    "cline-sdk": "cline_sdk",
    "openhands": "openhands",
    "openhands-sdk": "openhands_sdk",
    "langgraph": "langgraph",
    "adk": "adk",
    "ai-sdk": "ai_sdk_chats",
    "autogen": "autogen",
    "goose": "goose",
    "hermes": "hermes",
    "tau-bench": "tau_bench",
}


def adapter(name: str) -> Adapter:
    """The module of a format. Raises: KeyError if there is none of that name."""
    if name not in FORMATS:
        return {one.NAME: one for one in foreign()[0]}[name]
    return cast(Adapter, import_module(f"ctxaudit.adapters.{FORMATS[name]}"))


def adapters() -> Iterator[Adapter]:
    """All formats, in the order in which they are tried: those of plugins last."""
    yield from (adapter(name) for name in FORMATS)
    yield from foreign()[0]


def names() -> list[str]:
    """The names of all formats."""
    return [*FORMATS, *(one.NAME for one in foreign()[0])]


@cache
def foreign() -> tuple[tuple[Adapter, ...], list[tuple[str, str]]]:
    """The formats of plugins, and (plugin, reason) of what cannot be used."""
    found: list[Adapter] = []
    failed = []
    for plugin in plugins.plugins(plugins.FORMATS):
        module = plugin.value
        missing = [
            n for n in ("NAME", "TITLE", "SHOWS", "recognises", "read") if not hasattr(module, n)
        ]
        why = plugin.error or (f"has no {', '.join(missing)}" if missing else None)
        if why is None and module.NAME in (*FORMATS, *(one.NAME for one in found)):
            why = f"its name {module.NAME!r} is taken"
        if why:
            failed.append((f"format plugin {plugin.name} of {plugin.package}", why))
        else:
            found.append(module)
    return tuple(found), failed


def failures() -> list[tuple[str, str]]:
    """(plugin, reason) of formats that could not be used so far."""
    return foreign()[1]


def is_log(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names may be one log, and not a folder of logs."""
    return any(_holds(found, "folder", names) for found in adapters() if hasattr(found, "folder"))


def detect(head: Sequence[Any]) -> Adapter | None:
    """The format of a log by its first values, None if it is none of ours."""
    return next((found for found in adapters() if _holds(found, "recognises", head)), None)


def aside(head: Sequence[Any]) -> str | None:
    """What a file is that belongs to a log, and is none by itself; None if that is not known."""
    for found in adapters():
        if hasattr(found, "aside") and (told := found.aside(head)):
            return str(told)
    return None


def _holds(found: Adapter, question: str, about: Any) -> bool:
    """An adapter's answer; a plugin that fails is told of and not asked again."""
    try:
        return bool(getattr(found, question)(about))
    except Exception as error:
        if found.NAME in FORMATS:
            if isinstance(error, WRONG_SHAPE):
                return False  # whatever it is, it is none of that format
            raise
        told, failed = (f"format plugin {found.NAME}", plugins.reason(error)), foreign()[1]
        if told not in failed:
            failed.append(told)
        return False
