"""Formats. An adapter is a module: it turns the records of one format into turns.

It knows nothing of rules. It says in ``SHOWS`` what its format can show at best, and in the turns'
gaps what a particular log does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from ctxaudit.adapters import (
    claude_code,
    claude_stream,
    inspect_ai,
    langsmith,
    native,
    openinference,
    otel_genai,
    requests,
)
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


ADAPTERS: dict[str, Adapter] = {
    native.NAME: native,
    claude_code.NAME: claude_code,
    claude_stream.NAME: claude_stream,
    inspect_ai.NAME: inspect_ai,
    langsmith.NAME: langsmith,
    openinference.NAME: openinference,
    otel_genai.NAME: otel_genai,
    requests.NAME: requests,
}


def detect(head: Sequence[Any]) -> Adapter | None:
    """The format of a log by its first values, None if it is none of ours."""
    return next((a for a in ADAPTERS.values() if a.recognises(head)), None)
