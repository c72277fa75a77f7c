"""The command line: options in, exit code out."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from ctxaudit import __version__
from ctxaudit.errors import CtxauditError, UsageError

app = typer.Typer(
    name="ctxaudit",
    help="Find what a context pruner broke in an agent's conversation.\n\n"
    "Example: ctxaudit scan logs/*.jsonl",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Format(StrEnum):
    rich = "rich"
    json = "json"


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
    format: Annotated[Format, typer.Option(help="What to write to standard output.")] = Format.rich,
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
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0: one a core.")] = 1,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 although there are violations.")
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
    from ctxaudit.audit import Options, expand
    from ctxaudit.model import Confidence, Severity
    from ctxaudit.parallel import audit_all
    from ctxaudit.report import Report
    from ctxaudit.reporters import reporter
    from ctxaudit.selection import select as select_rules

    options = Options(select_rules(select or (), ignore or ()), _adapter(input_format))
    inputs = list(expand(paths))
    if not inputs:
        print(f"ctxaudit: no log found in {' '.join(paths)}", file=sys.stderr)
        raise typer.Exit(3)
    show = progress and sys.stderr.isatty()
    report = Report(
        audit_all(inputs, options, jobs, show),
        Severity[fail_on.name.upper()],
        Confidence[min_confidence.name.upper()],
        exit_zero,
    )
    reporter(format.value).write(report, sys.stdout, color=_color(color))
    sys.stdout.flush()
    for problem in report.problems:
        print(_one_line(problem.path, problem.line, problem.message), file=sys.stderr)
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

    for found in matching(rule):
        print(page(found))


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
    _list(rows, format, ("code", "name", "severity", "summary"))


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
    _list(rows, format, ("name", "schemas", "prompts", "results", "summaries", "title"))


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
    from pathlib import Path

    from ctxaudit.audit import open_log
    from ctxaudit.convert import dump
    from ctxaudit.log import Source

    opened, adapter = open_log(log, _adapter(input_format))
    lines = dump(adapter.read(Source((opened,))))
    if output is None:
        for line in lines:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    else:
        with Path(output).open("wb") as stream:
            stream.writelines(lines)
    for problem in opened.problems:
        print(_one_line(problem.path, problem.line, problem.message), file=sys.stderr)
    raise typer.Exit(2 if opened.problems else 0)


@app.command()
def schema(
    name: Annotated[Contract, typer.Argument(help="The JSON report, or the native log.")],
) -> None:
    """Print the JSON Schema of a contract.

    Example: ctxaudit schema report > report.schema.json
    """
    from ctxaudit.contract import schema as read

    sys.stdout.write(read(name.value).decode())


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


def _list(rows: list[dict[str, Any]], format: Listing, columns: tuple[str, ...]) -> None:
    if format is Listing.json:
        import orjson

        sys.stdout.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    widths = {c: max(len(c), *(len(str(row[c])) for row in rows)) for c in columns[:-1]}
    for row in [{c: c for c in columns}, *rows]:
        cells = [str(row[c]).ljust(widths.get(c, 0)) for c in columns]
        print("  ".join(cells).rstrip())


def _one_line(path: str, line: int, message: str) -> str:
    from ctxaudit.safe import inert, redact

    where = f"{path}:{line}" if line else path
    return f"ctxaudit: {inert(where)}: {inert(redact(message))}"


def main() -> None:
    """The command. User errors and ours part ways here: both end in one line and exit code 2."""
    try:
        app()
    except CtxauditError as error:
        print(f"ctxaudit: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader has gone; nobody is left to tell. Keep the interpreter's own flush quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get("CTXAUDIT_DEBUG"):
            raise
        told = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"ctxaudit: internal error: {told} (CTXAUDIT_DEBUG=1 shows more)", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
