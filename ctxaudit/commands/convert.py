"""``ctxaudit convert``: any log to the native format."""

from __future__ import annotations

from typing import Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import InputFormat, LogArgument


def convert(
    log: LogArgument,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file; else standard output.")
    ] = None,
    input_format: InputFormat = None,
) -> None:
    """Write a log as native turns.

    Example: ctxaudit convert session.jsonl -o session.native.jsonl
    """
    from ctxaudit.audit import open_log
    from ctxaudit.convert import dump
    from ctxaudit.log import Source
    from ctxaudit.plan import known_format

    opened, adapter = open_log(log, known_format(input_format))
    written = console.write_lines(dump(adapter.read(Source((opened,)))), log, output)
    console.tell(opened.problems)
    if opened.problems:
        raise typer.Exit(2)
    if not written:
        console.complain(f"{log}: no turn in it: nothing to convert")
        raise typer.Exit(3)
