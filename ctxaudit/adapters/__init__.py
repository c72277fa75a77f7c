"""Formats. An adapter is a module: it turns the records of one format into turns.

It knows nothing of rules. It says in ``SHOWS`` what its format can show at best, and in the turns'
gaps what a particular log does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from ctxaudit.log import Source
from ctxaudit.model import Aspect, Extent, Turn


class Adapter(Protocol):
    """What a format's module has."""

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
    "inspect": "inspect_ai",
    "langsmith": "langsmith",
    "openinference": "openinference",
    "otel-genai": "otel_genai",
}


def adapter(name: str) -> Adapter:
    """The module of a format. Raises: KeyError if there is none of that name."""
    return cast(Adapter, import_module(f"ctxaudit.adapters.{FORMATS[name]}"))


def adapters() -> Iterator[Adapter]:
    """All formats, in the order in which they are tried."""
    return (adapter(name) for name in FORMATS)


def detect(head: Sequence[Any]) -> Adapter | None:
    """The format of a log by its first values, None if it is none of ours."""
    return next((found for found in adapters() if found.recognises(head)), None)
