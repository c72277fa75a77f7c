"""What the command writes: reports and lists to standard output, errors to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from ctxaudit.errors import UsageError, suggestion

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


def destinations(told: Iterable[str]) -> dict[str, str]:
    """``FORMAT=PATH`` options as a mapping. Raises: UsageError."""
    found: dict[str, str] = {}
    for option in told:
        name, equals, path = option.partition("=")
        if not equals or not path:
            raise UsageError(
                f"--output {option}: FORMAT=PATH is expected, such as sarif=audit.sarif"
            )
        if name in found:
            raise UsageError(f"--output {option}: {name} goes to {found[name]} already")
        found[name] = path
    return known(found)


def known(outputs: Mapping[str, str]) -> dict[str, str]:
    """The same, if all are outputs and no two share a file. Raises: UsageError."""
    from pathlib import Path

    from ctxaudit.reporters import REPORTERS

    for name in outputs:
        if name not in REPORTERS:
            hint = suggestion(name, REPORTERS, f"there are {', '.join(REPORTERS)}")
            raise UsageError(f"no output is called {name!r}{hint}")
    if len({Path(path).resolve() for path in outputs.values()}) < len(outputs):
        raise UsageError("two outputs would go to the same file")
    return dict(outputs)


def files(report: Report, outputs: Mapping[str, str]) -> None:
    """Write the report in further formats. Raises: UsageError if a file cannot be written."""
    from io import StringIO

    from ctxaudit.reporters import reporter

    for name, path in outputs.items():
        text = StringIO()
        reporter(name).write(report, text)
        write_file(path, text.getvalue().encode("utf-8", "backslashreplace"))


def write_file(path: str, content: bytes) -> None:
    """Write a whole file. Raises: UsageError if it cannot be written."""
    from pathlib import Path

    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def statistics(report: Report) -> None:
    """How many findings there are of each rule, the most frequent first."""
    from collections import Counter

    counts = Counter((item.finding.rule, item.finding.name) for item in report.findings())
    for (code, name), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        out(f"{count:>6}  {code}  {name}")


def logs(report: Report) -> None:
    """One line on standard error for each log: what was read of it."""
    from ctxaudit.report import totals
    from ctxaudit.safe import inert

    for log in report.logs:
        seen = totals(log.sessions)
        print(
            f"{inert(log.path)}: {log.format or 'unknown format'}, {len(log.sessions)} sessions, "
            f"{seen.turns} turns, {seen.calls} calls, {seen.decisions} decisions, "
            f"{len(log.findings)} findings, "
            f"{len(log.problems)} problems",
            file=sys.stderr,
        )


def quoted(path: str) -> str:
    """A path for a shell's command line, with nothing in it that a terminal would obey."""
    from shlex import quote

    from ctxaudit.safe import inert

    return quote(inert(path))


def out(text: str) -> None:
    """Write a text and the end of its last line."""
    try:
        print(text.rstrip("\n"), flush=True)
    except BrokenPipeError:
        _no_reader()


def indented(value: Any) -> str:
    """Plain data as JSON for a reader."""
    import orjson

    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def shown(value: Any) -> str:
    """A setting's value on one line."""
    import orjson

    return "-" if value is None else orjson.dumps(value).decode()


def listing(rows: Sequence[dict[str, Any]], as_json: bool, columns: Sequence[str]) -> None:
    """Write rows as a table of some columns, or all of them as JSON."""
    if as_json:
        out(indented(rows))
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
