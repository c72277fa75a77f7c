"""Golden transcripts: what a log's audit is expected to find stands beside it, one line a finding.

    # ctxaudit golden 1
    inc-4471 coverage schemas=full prompts=full results=full summaries=full
    inc-4471:7 GT101 error likely tool=update_incident 9f2c41d07a3be586

A difference in either direction fails: a finding that is new, one that is gone, and a log that can
be checked less, or more, than it could.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from ctxaudit.errors import ConfigError
from ctxaudit.frozen import frozen
from ctxaudit.report import LogReport, Numbered, Report
from ctxaudit.safe import clean

SUFFIX = ".expected"
HEAD = "# ctxaudit golden 1"


@frozen
class Comparison:
    """One log against what was expected; ``lines`` are those of a diff, none if all is the same."""

    log: str
    lines: tuple[str, ...]


def golden_of(log: str) -> Path:
    """Where a log's expectation stands."""
    path = Path(log)
    return path.with_name(path.name + SUFFIX)


def told(log: LogReport, findings: Iterable[Numbered]) -> str:
    """What was found in a log and what could be checked, as it is written."""
    lines = [HEAD]
    for session in log.sessions:
        extents = " ".join(f"{aspect}={extent.label}" for aspect, extent in session.extent.items())
        lines.append(f"{clean(session.session)} coverage {extents}")
    lines += [_line(item) for item in findings]
    return "".join(f"{line}\n" for line in lines)


def _line(item: Numbered) -> str:
    found = item.finding
    about = "".join(
        f" {name}={clean(value, 200)}"
        for name, value in (("tool", found.tool), ("handle", found.handle))
        if value is not None
    )
    where = f"{clean(found.where.session)}:{found.where.turn}"
    return f"{where} {found.rule} {found.severity.label} {found.confidence.label}{about} {item.id}"


def record(report: Report) -> list[Path]:
    """Write what is found now beside each log. Raises: ConfigError if a file cannot be written."""
    written = []
    for log, findings in report.by_log():
        if not log.sessions:
            continue
        path = golden_of(log.path)
        try:
            path.write_text(told(log, findings), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from error
        written.append(path)
    return written


def check(report: Report) -> list[Comparison]:
    """Compare each log with what stands beside it; where nothing does, all of it is new."""
    done = []
    for log, findings in report.by_log():
        if not log.sessions:
            continue
        expected, now = _expected(golden_of(log.path)), told(log, findings)
        names = (f"{log.path}{SUFFIX}", f"{log.path}, now")
        diff = unified_diff(expected.splitlines(), now.splitlines(), *names, n=0, lineterm="")
        shown = tuple(clean(line, 1000) for line in diff if not line.startswith("@@"))
        done.append(Comparison(log.path, shown))
    return done


def _expected(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error


def strays(folders: Iterable[str]) -> list[Path]:
    """Expectations in folders whose log is not there any more."""
    found = (path for folder in folders for path in Path(folder).rglob(f"*{SUFFIX}"))
    return sorted(p for p in found if not p.with_name(p.name.removesuffix(SUFFIX)).exists())
