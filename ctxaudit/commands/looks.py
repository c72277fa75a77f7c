"""One log, closely: ``context`` at a turn, and ``doctor`` for what the log can show."""

from __future__ import annotations

from typing import Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import ConfigFile, InputFormat, Isolated, Listing, LogArgument


def context(
    log: LogArgument,
    turn: Annotated[int, typer.Option(min=1, help="The turn.")],
    session: Annotated[
        str | None, typer.Option(help="The session, if the log holds several.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is in the prompt, not only the newest.")
    ] = False,
    input_format: InputFormat = None,
    config: ConfigFile = None,
    isolated: Isolated = False,
) -> None:
    """Show what the model could see at a turn, and what had been taken away.

    Example: ctxaudit context session.jsonl --turn 9
    """
    from ctxaudit.audit import open_log
    from ctxaudit.config import load
    from ctxaudit.look import told, view
    from ctxaudit.plan import options
    from ctxaudit.safe import lines_inert

    settings = load(config, isolated=isolated).over({"input-format": input_format})
    how = options(settings)
    opened, adapter = open_log(log, how.input_format)
    seen = view(opened, adapter, turn, session, how)
    console.out(lines_inert("\n".join(told(seen, everything=everything))))


def doctor(
    log: LogArgument,
    format: Annotated[Listing, typer.Option(help="How to tell it.")] = Listing.table,
    input_format: InputFormat = None,
) -> None:
    """Tell what a log can show, which rules can run on it, and what to switch on.

    Example: ctxaudit doctor session.jsonl
    """
    from ctxaudit.audit import Options, open_log, replay_logs
    from ctxaudit.doctor import diagnosis, told
    from ctxaudit.plan import known_format
    from ctxaudit.safe import lines_inert

    opened, adapter = open_log(log, known_format(input_format))
    options = Options()
    report = replay_logs([opened], adapter, options)
    found = diagnosis(report, adapter, options.rules)
    shown = console.indented(found) if format is Listing.json else "\n".join(told(found))
    console.out(lines_inert(shown))
    console.tell(report.problems)
    raise typer.Exit(2 if any(not problem.nothing for problem in report.problems) else 0)
