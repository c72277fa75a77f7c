"""``ctxaudit scan``: audit logs and report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import (
    Color,
    ConfigFile,
    Format,
    Isolated,
    Level,
    Sureness,
    colored,
)
from ctxaudit.errors import UsageError

if TYPE_CHECKING:
    from ctxaudit.config import Config
    from ctxaudit.plan import Plan
    from ctxaudit.report import Report


def scan(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, globs, directories; - for standard input.", metavar="PATHS..."),
    ] = None,
    format: Annotated[
        Format | None, typer.Option(help="What to write to standard output.  [default: rich]")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(help="Another output and its file; repeatable.", metavar="FORMAT=PATH"),
    ] = None,
    fail_on: Annotated[
        Level | None,
        typer.Option(help="The lowest severity that is a violation.  [default: error]"),
    ] = None,
    min_confidence: Annotated[
        Sureness | None,
        typer.Option(help="The lowest confidence that is a violation.  [default: likely]"),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Only these rules: codes, prefixes, names; repeatable, comma-separated."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these rules.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="A file of findings that are accepted.", metavar="FILE")
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Accept what there is now: write the file.")
    ] = False,
    session: Annotated[str | None, typer.Option(help="Only sessions of this name or glob.")] = None,
    turns: Annotated[
        str | None, typer.Option(help="Only findings of these turns.", metavar="A:B")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Only logs changed since: 36h, 7d, 2026-11-30.", metavar="WHEN"),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A glob of logs in directories to pass over.")
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option(
            help="An MCP server's answer to tools/list: tells what tools do.", metavar="FILE"
        ),
    ] = None,
    input_format: Annotated[
        str | None, typer.Option(help="The format of the logs, if it is not to be detected.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.  [default: 1]"),
    ] = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 although there are violations.")
    ] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Count the findings by rule at the end.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress, and no report to read if all is well."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell of each log what was read.")
    ] = False,
    color: Annotated[
        Color | None, typer.Option(help="Colours in the report.  [default: auto]")
    ] = None,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Progress on standard error.")
    ] = None,
    config: ConfigFile = None,
    isolated: Isolated = False,
) -> None:
    """Audit logs and report what pruning broke.

    Exit codes: 0 clean, 1 violations, 2 not all could be read or done, 3 nothing to audit.

    Examples:

    ctxaudit scan logs/*.jsonl

    ctxaudit scan golden/ --format json --fail-on warning > report.json

    ctxaudit scan golden/ --output sarif=audit.sarif --output junit=audit.xml

    zcat old.jsonl.gz | ctxaudit scan -
    """
    from ctxaudit.config import load

    given = {
        "paths": paths,
        "format": format and format.value,
        "output": console.destinations(output or ()) or None,
        "fail-on": fail_on and fail_on.value,
        "min-confidence": min_confidence and min_confidence.value,
        "select": select,
        "ignore": ignore,
        "baseline": baseline,
        "exclude": exclude,
        "mcp-tools": tools,
        "input-format": input_format,
        "jobs": jobs,
        "exit-zero": exit_zero or None,
        "statistics": statistics or None,
        "quiet": quiet or None,
        "color": color and color.value,
        "progress": progress,
    }
    settings = load(config, isolated=isolated).over(given)
    raise typer.Exit(
        _scanned(settings, session, turns, since, update_baseline=update_baseline, verbose=verbose)
    )


def _scanned(
    settings: Config,
    session: str | None,
    turns: str | None,
    since: str | None,
    *,
    update_baseline: bool,
    verbose: bool,
) -> int:
    from ctxaudit import baseline as baselines
    from ctxaudit.narrow import moment, narrowed, turn_range
    from ctxaudit.plan import plan
    from ctxaudit.reporters.story import problems

    if update_baseline and not settings["baseline"]:
        raise UsageError("--update-baseline needs --baseline FILE")
    narrow = session is not None or turns is not None
    if update_baseline and (narrow or since):
        raise UsageError("--update-baseline takes all there is: no --session, --turns or --since")
    wanted = turn_range(turns) if turns else None
    made = plan(settings, fresh=update_baseline)
    watched = settings["progress"] and not settings["quiet"] and sys.stderr.isatty()
    after = moment(since) if since else None
    logs = made.audited(settings["jobs"], watched, after)
    if narrow:
        logs = narrowed(logs, session, wanted)
    report = made.report(logs)
    if update_baseline:
        console.write_file(settings.path("baseline"), baselines.dump(report))
    _write(report, settings)
    if verbose:
        console.logs(report)
    console.tell(problems(report))
    _hint(report, made, settings)
    return 0 if update_baseline and report.exit_code == 1 else report.exit_code


def _write(report: Report, settings: Config) -> None:
    console.files(report, console.known(settings.files("output")))
    name = console.known({settings["format"]: ""}).popitem()[0]
    if name != "rich" or not settings["quiet"] or report.exit_code or report.violated:
        console.report(report, name, colored(settings["color"]))
    if settings["statistics"] and name in ("rich", "concise"):
        console.statistics(report)


def _hint(report: Report, made: Plan, settings: Config) -> None:
    """On a terminal, what to do next; warnings about the settings everywhere."""
    for warning in made.warnings(report):
        console.complain(f"warning: {warning}")
    first = next((item for item in report.findings() if item.violation), None)
    if first is not None and settings["format"] == "rich" and sys.stdout.isatty():
        where = first.finding.where
        console.out(f"next: ctxaudit context {console.quoted(where.path)} --turn {where.turn}")
