"""Outputs: one module each, that writes a report and decides nothing."""

from __future__ import annotations

from importlib import import_module
from typing import IO, TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ctxaudit.report import Report


class Reporter(Protocol):
    """What an output's module has."""

    NAME: str

    def write(self, report: Report, stream: IO[str], *, color: bool = False) -> None:
        """Write the report; ``color`` where the output has colours."""


#: Imported when used: only one of them needs Rich, and ``--help`` needs their names only.
REPORTERS = {
    name: f"ctxaudit.reporters.{name}"
    for name in (
        *("rich", "concise", "json", "jsonl", "sarif", "junit"),
        *("github", "gitlab", "markdown", "html", "prometheus", "otlp"),
    )
}


def reporter(name: str) -> Reporter:
    """The module of an output by its name. Raises: KeyError."""
    return cast(Reporter, import_module(REPORTERS[name]))
