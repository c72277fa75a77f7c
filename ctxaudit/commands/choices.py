"""Words that options choose from, and options that several commands have."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from ctxaudit.reporters import REPORTERS

Format = StrEnum("Format", {name: name for name in REPORTERS})  # type: ignore[misc]


class Level(StrEnum):
    note = "note"
    warning = "warning"
    error = "error"
    critical = "critical"


class Sureness(StrEnum):
    possible = "possible"
    likely = "likely"
    proven = "proven"


class Color(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


class Listing(StrEnum):
    table = "table"
    json = "json"


LogArgument: TypeAlias = Annotated[str, typer.Argument(help="A log of any format.", metavar="LOG")]
InputFormat: TypeAlias = Annotated[
    str | None, typer.Option(help="The format of the log, if it is not to be detected.")
]
ConfigFile: TypeAlias = Annotated[
    str | None, typer.Option("--config", help="A configuration file, instead of the nearest one.")
]
Isolated: TypeAlias = Annotated[
    bool, typer.Option("--isolated", help="Read no configuration file.")
]


def colored(choice: str) -> bool:
    """Whether standard output gets colours."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain
