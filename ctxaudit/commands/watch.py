"""``ctxaudit watch``: follow logs that are being written."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import ConfigFile, Isolated


def watch(
    paths: Annotated[
        list[str], typer.Argument(help="Files, globs, directories.", metavar="PATHS...")
    ],
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 2.0,
    seconds: Annotated[
        float | None, typer.Option(min=0, help="End after so long; else at an interrupt.")
    ] = None,
    config: ConfigFile = None,
    isolated: Isolated = False,
) -> None:
    """Follow logs that are being written, and report as it happens, one line a finding.

    When it ends, the exit code is that of a scan of what it has seen.

    Example: ctxaudit watch ~/.agent/sessions
    """
    from ctxaudit.config import load
    from ctxaudit.plan import plan
    from ctxaudit.reporters.concise import line
    from ctxaudit.reporters.story import problems
    from ctxaudit.watching import Watch

    made = plan(load(config, isolated=isolated).over({"paths": paths}))
    watching = Watch(made.paths, made.options, made.report, exclude=made.exclude)
    end = None if seconds is None else time.monotonic() + seconds
    try:
        while True:
            for item in watching.look():
                console.out(line(item))
            if end is not None and time.monotonic() >= end:
                break
            time.sleep(interval)
    except KeyboardInterrupt:
        pass
    report = watching.report()
    console.tell(problems(report))
    raise typer.Exit(report.exit_code)
