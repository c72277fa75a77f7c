"""``ctxaudit golden``: transcripts with the findings that are expected of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import ConfigFile, Isolated

if TYPE_CHECKING:
    from ctxaudit.report import Report

golden = typer.Typer(
    name="golden",
    help="Hold transcripts by the findings that are expected of them.",
    no_args_is_help=True,
)
Paths = Annotated[
    list[str] | None, typer.Argument(help="Logs, or directories of them.", metavar="PATHS...")
]


@golden.command()
def record(paths: Paths = None, config: ConfigFile = None, isolated: Isolated = False) -> None:
    """Write what is found now beside each log, as <log>.expected.

    Example: ctxaudit golden record golden/
    """
    from ctxaudit import golden as goldens

    report, _ = _audited(paths, config, isolated)
    for path in goldens.record(report):
        console.out(f"wrote {path}")
    raise typer.Exit(_failure(report))


@golden.command()
def check(paths: Paths = None, config: ConfigFile = None, isolated: Isolated = False) -> None:
    """Compare each log with what stands beside it; any difference is exit code 1.

    Example: ctxaudit golden check golden/
    """
    from ctxaudit import golden as goldens

    report, folders = _audited(paths, config, isolated)
    compared = goldens.check(report)
    different = [one for one in compared if one.lines]
    for one in different:
        console.out("\n".join(one.lines))
    gone = goldens.strays(path for path in folders if Path(path).is_dir())
    for path in gone:
        console.out(f"{path}: its log is gone")
    total = len(different) + len(gone)
    if total or compared:
        differ = f"{total} differ" if total else "all as expected"
        console.out(f"{len(compared)} logs compared, {differ}")
    raise typer.Exit(_failure(report) or (1 if total else 0))


def _audited(
    paths: list[str] | None, config: str | None, isolated: bool
) -> tuple[Report, Sequence[str]]:
    """The report of the paths, or of those in the configuration, and the paths."""
    from ctxaudit.config import load
    from ctxaudit.plan import plan
    from ctxaudit.reporters.story import problems

    made = plan(load(config, isolated=isolated).over({"paths": paths, "baseline": None}))
    report = made.report(made.audited())
    console.tell(problems(report))
    return report, made.paths


def _failure(report: Report) -> int:
    """2 or 3 if not all could be read, else 0: violations are what was expected, or a diff."""
    return report.exit_code if report.exit_code > 1 else 0
