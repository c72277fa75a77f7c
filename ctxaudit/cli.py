"""The command line: options in, exit code out."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, NoReturn

import typer

from ctxaudit import __version__, console
from ctxaudit.errors import CtxauditError, UsageError
from ctxaudit.reporters import REPORTERS

app = typer.Typer(
    name="ctxaudit",
    help="Find what a context pruner broke in an agent's conversation.\n\n"
    "Example: ctxaudit scan logs/*.jsonl",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


Format = StrEnum("Format", {name: name for name in REPORTERS})  # type: ignore[misc]
RICH = Format("rich")


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


class Contract(StrEnum):
    report = "report"
    log = "log"


def _version(value: bool) -> None:
    if value:
        print(f"ctxaudit {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command()
def scan(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files, globs, directories; - for standard input.", metavar="PATHS..."),
    ],
    format: Annotated[Format, typer.Option(help="What to write to standard output.")] = RICH,
    fail_on: Annotated[
        Level, typer.Option(help="The lowest severity that is a violation.")
    ] = Level.error,
    min_confidence: Annotated[
        Sureness, typer.Option(help="The lowest confidence that is a violation.")
    ] = Sureness.likely,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Only these rules: codes, prefixes, names; repeatable, comma-separated."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these rules.")] = None,
    input_format: Annotated[
        str | None, typer.Option(help="The format of the logs, if it is not to be detected.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.")] = 1,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 although there are violations.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No progress, and no report to read if all is well."),
    ] = False,
    color: Annotated[Color, typer.Option(help="Colours in the report.")] = Color.auto,
    progress: Annotated[
        bool, typer.Option("--progress/--no-progress", help="Progress on standard error.")
    ] = True,
) -> None:
    """Audit logs and report what pruning broke.

    Exit codes: 0 clean, 1 violations, 2 not all could be read or done, 3 nothing to audit.

    Examples:

    ctxaudit scan logs/*.jsonl

    ctxaudit scan golden/ --format json --fail-on warning > report.json

    zcat old.jsonl.gz | ctxaudit scan -
    """
    from ctxaudit.audit import Options
    from ctxaudit.model import Confidence, Severity
    from ctxaudit.parallel import audit_paths
    from ctxaudit.report import Report
    from ctxaudit.reporters.story import problems
    from ctxaudit.selection import select as select_rules

    options = Options(select_rules(select or (), ignore or ()), _adapter(input_format))
    watched = progress and not quiet and sys.stderr.isatty()
    report = Report(
        audit_paths(paths, options, jobs, watched),
        Severity[fail_on.name.upper()],
        Confidence[min_confidence.name.upper()],
        exit_zero,
    )
    if format.value != RICH.value or not quiet or report.exit_code or report.violated:
        console.report(report, format.value, _color(color))
    console.tell(problems(report))
    raise typer.Exit(report.exit_code)


@app.command()
def explain(
    rule: Annotated[str, typer.Argument(help="A code or a name.", metavar="RULE")],
) -> None:
    """Tell what a rule does, why it matters and what to do.

    Example: ctxaudit explain GT102
    """
    from ctxaudit.docs import page
    from ctxaudit.selection import matching

    console.out("\n".join(page(found) for found in matching(rule)))


@app.command()
def rules(
    format: Annotated[Listing, typer.Option(help="How to list them.")] = Listing.table,
) -> None:
    """List the rules."""
    from ctxaudit.rules import RULES

    rows = [
        {
            "code": rule.code,
            "name": rule.name,
            "family": rule.family,
            "severity": rule.severity.label,
            "summary": (rule.__doc__ or "").splitlines()[0],
        }
        for rule in RULES
    ]
    console.listing(rows, format is Listing.json, ("code", "name", "severity", "summary"))


@app.command()
def formats(
    format: Annotated[Listing, typer.Option(help="How to list them.")] = Listing.table,
) -> None:
    """List the formats of logs, and what each can show at best."""
    from ctxaudit.adapters import adapters

    rows = [
        {"name": adapter.NAME, "title": adapter.TITLE}
        | {aspect.value: extent.label for aspect, extent in adapter.SHOWS.items()}
        for adapter in adapters()
    ]
    console.listing(
        rows,
        format is Listing.json,
        ("name", "schemas", "prompts", "results", "summaries", "title"),
    )


@app.command()
def convert(
    log: Annotated[str, typer.Argument(help="A log of any format.", metavar="LOG")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file; else standard output.")
    ] = None,
    input_format: Annotated[str | None, typer.Option(help="The format of the log.")] = None,
) -> None:
    """Write a log as native turns.

    Example: ctxaudit convert session.jsonl -o session.native.jsonl
    """
    from ctxaudit.audit import open_log
    from ctxaudit.convert import dump
    from ctxaudit.log import Source

    opened, adapter = open_log(log, _adapter(input_format))
    written = console.write_lines(dump(adapter.read(Source((opened,)))), log, output)
    console.tell(opened.problems)
    if opened.problems:
        raise typer.Exit(2)
    if not written:
        console.complain(f"{log}: no turn in it: nothing to convert")
        raise typer.Exit(3)


@app.command()
def schema(
    name: Annotated[Contract, typer.Argument(help="The JSON report, or the native log.")],
) -> None:
    """Print the JSON Schema of a contract.

    Example: ctxaudit schema report > report.schema.json
    """
    from ctxaudit.contract import schema as read

    console.out(read(name.value).decode())


def _adapter(name: str | None) -> str | None:
    """The name of a known format. Raises: UsageError."""
    from difflib import get_close_matches

    from ctxaudit.adapters import FORMATS

    if name is not None and name not in FORMATS:
        close = get_close_matches(name, FORMATS, n=1)
        hint = f"; did you mean {close[0]}?" if close else "; `ctxaudit formats` lists them"
        raise UsageError(f"no format is called {name!r}{hint}")
    return name


def _color(choice: Color) -> bool:
    if choice is not Color.auto:
        return choice is Color.always
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def main() -> NoReturn:
    """The command: every error ends in one line and an exit code, never in a traceback."""
    console.prepare()
    sys.exit(_run(sys.argv[1:]))


def _run(args: list[str]) -> int:
    """Run a command. User errors and ours part ways here."""
    try:
        code = app(args or ["--help"], standalone_mode=False)
        return int(code or 0) if args else 2
    except CtxauditError as error:
        console.complain(str(error))
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        if os.environ.get("CTXAUDIT_DEBUG"):
            raise
        console.complain(_told(error))
    return 2


def _told(error: Exception) -> str:
    usage = getattr(error, "format_message", None)  # Typer's own errors, whichever Click it has
    if usage is not None:
        return f"{usage().rstrip('.')}; --help tells more"
    return f"internal error: {type(error).__name__}: {error} (CTXAUDIT_DEBUG=1 shows more)"


if __name__ == "__main__":
    main()
