"""What the command writes: reports and lists to standard output, errors to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from ctxaudit.errors import UsageError

if TYPE_CHECKING:
    from ctxaudit.log import Problem
    from ctxaudit.report import Report


def prepare() -> None:
    """A character that a stream cannot show becomes an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def report(report: Report, format: str, color: bool) -> None:
    """Write the report; what is not drawn for people is UTF-8 everywhere."""
    from ctxaudit.reporters import reporter

    if format != "rich" and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        reporter(format).write(report, sys.stdout, color=color)
        sys.stdout.flush()
    except BrokenPipeError:
        _no_reader()


def out(text: str) -> None:
    """Write a text and the end of its last line."""
    try:
        print(text.rstrip("\n"), flush=True)
    except BrokenPipeError:
        _no_reader()


def listing(rows: Sequence[dict[str, Any]], as_json: bool, columns: Sequence[str]) -> None:
    """Write rows as a table of some columns, or all of them as JSON."""
    if as_json:
        import orjson

        out(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    widths = {c: max(len(c), *(len(str(row[c])) for row in rows)) for c in columns[:-1]}
    lines = [
        "  ".join(str(row[c]).ljust(widths.get(c, 0)) for c in columns).rstrip()
        for row in [{c: c for c in columns}, *rows]
    ]
    out("\n".join(lines))


def write_lines(lines: Iterable[bytes], log: str, output: str | None) -> int:
    """Write what was made of a log to a file or standard output; how many lines there were.

    Raises: UsageError if the file cannot be written.
    """
    from pathlib import Path

    if output is None:
        return _pipe_lines(lines)
    count = 0
    try:
        if Path(output).exists() and Path(log).exists() and Path(output).samefile(log):
            raise UsageError(f"{output}: would overwrite the log that it is made of")
        with Path(output).open("wb") as stream:
            for line in lines:
                stream.write(line)
                count += 1
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from error
    return count


def _pipe_lines(lines: Iterable[bytes]) -> int:
    count = 0
    try:
        for line in lines:
            count += 1
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _no_reader()
    return count


def _no_reader() -> None:
    """The reader has gone; nobody is left to tell, and the exit code still says how it went."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(problems: Iterable[Problem]) -> None:
    """One line for each problem of a log."""
    for problem in problems:
        where = f"{problem.path}:{problem.line}" if problem.line else problem.path
        complain(f"{where}: {problem.message}")


def complain(message: str) -> None:
    """One line on standard error."""
    from ctxaudit.safe import clean

    print(f"ctxaudit: {clean(message)}", file=sys.stderr)
