"""Paths in, report out: pick the adapter, replay, gather."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ctxaudit.adapters import Adapter, aside, detect, is_log
from ctxaudit.adapters import adapter as adapter_of
from ctxaudit.copies import told_once
from ctxaudit.errors import LogError, NothingError
from ctxaudit.frozen import frozen
from ctxaudit.globs import path_matches
from ctxaudit.log import STDIN, STDIN_NAME, Log, Problem, Source
from ctxaudit.model import Aspect, Confidence, Extent, Severity, Turn
from ctxaudit.replay import Replay, Session
from ctxaudit.report import LogReport, SessionReport
from ctxaudit.rule import Rule
from ctxaudit.rules import RULES
from ctxaudit.settings import Settings

#: What a directory is searched for.
SUFFIXES = (
    ".jsonl",
    ".ndjson",
    ".json",
    ".jsonl.gz",
    ".jsonl.zst",
    ".ndjson.gz",
    ".json.gz",
    ".json.zst",
    ".traj",
    ".eval",
    ".db",
)


#: Folders in which no log is looked for.
NEVER = {".git", "node_modules"}


@frozen
class Options:
    """How to audit: the rules to run, the format where it is not to be guessed, and the settings.

    ``fail_on`` and ``min_confidence`` are None where the report's hold. ``special`` are logs that
    are audited in another way: a glob, and what to replace. ``timelines``: an output draws them.
    """

    rules: Sequence[type[Rule]] = RULES
    input_format: str | None = None
    settings: Settings = field(default_factory=Settings)
    fail_on: Severity | None = None
    min_confidence: Confidence | None = None
    special: Sequence[tuple[str, Mapping[str, Any]]] = ()
    timelines: bool = False

    def at(self, path: str) -> Options:
        """The options for one log; of two globs that match, the later holds."""
        options = self
        for pattern, changes in self.special:
            if path_matches(path, pattern):
                options = replace(options, **changes)
        return options


@frozen
class Input:
    """A log to read. ``found``: it was met in a directory, so it need not be a log at all."""

    path: str
    found: bool = False


def expand(paths: Iterable[str]) -> Iterator[Input]:
    """Files, globs and directories to the logs that they mean, each once and in a fixed order."""
    seen: set[str] = set()
    for path in paths:
        for item in _expand_one(path):
            if item.path not in seen:
                seen.add(item.path)
                yield item


def _expand_one(path: str) -> Iterator[Input]:
    if path == STDIN:
        yield Input(path)
        return
    where = Path(path)
    if where.is_dir():
        yield from _expand_folder(where)
    elif where.exists() or not re.search(r"[*?\[]", path):
        yield Input(path)
    else:
        anchor = Path(where.anchor) if where.anchor else Path()
        pattern = str(where.relative_to(where.anchor)) if where.anchor else path
        for match in sorted(anchor.glob(pattern)):
            if match.is_dir():
                yield from _expand_folder(match)
            else:
                yield Input(str(match))


def _expand_folder(folder: Path) -> Iterator[Input]:
    """A folder that is one log, else the logs in it and below it."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        yield Input(str(folder))  # reading it will tell why it cannot be read
        return
    names = frozenset(entry.name for entry in entries)
    if is_log(names) and detect(Log(str(folder)).head()) is not None:
        yield Input(str(folder))
        return
    for entry in entries:
        if entry.is_dir():
            if not entry.is_symlink() and entry.name not in NEVER:
                yield from _expand_folder(entry)
        elif entry.name.endswith(SUFFIXES):
            yield Input(str(entry), found=True)


def open_log(path: str, input_format: str | None = None) -> tuple[Log, Adapter]:
    """A log and the adapter that reads it. Raises: LogError if it is damaged or no format fits."""
    log = _log(path)
    head = log.head()
    adapter = adapter_of(input_format) if input_format else detect(head)
    if adapter is None:
        if log.problems:
            raise LogError(f"{log.name}: {log.problems[0].message}")
        raise NothingError(f"{log.name}: {_why_nothing(log, head)}")
    return log, adapter


def _log(path: str) -> Log:
    return Log(path, STDIN_NAME if path == STDIN else path)


def _why_nothing(log: Log, head: Sequence[Any]) -> str:
    if log.empty:
        return "empty log"
    return aside(head) or "unknown format: none of the known ones fits"


def audit(
    inputs: Iterable[Input],
    options: Options | None = None,
    progress: Callable[[str, Turn], None] | None = None,
) -> list[LogReport]:
    """Audit every log; sessions that go on in another log are audited as one."""
    options = options or Options()
    done: list[LogReport] = []
    for item in inputs:
        report = audit_one(item, options, progress)
        if report is not None:
            done.append(report)
    return gathered(done, options)


def audit_one(
    item: Input, options: Options, progress: Callable[[str, Turn], None] | None = None
) -> LogReport | None:
    """Audit one log; None if it was only met in a directory and is of no known format."""
    log = _log(item.path)
    options = options.at(log.name)
    head = log.head()
    adapter = adapter_of(options.input_format) if options.input_format else detect(head)
    if adapter is None:
        if item.found and not log.problems:
            return None
        report = LogReport(log.name, problems=log.problems)
        if not log.problems:
            report.problems.append(Problem(log.name, 0, _why_nothing(log, head), nothing=True))
        return report
    return replay_logs([log], adapter, options, progress)


def replay_logs(
    logs: Sequence[Log],
    adapter: Adapter,
    options: Options,
    progress: Callable[[str, Turn], None] | None = None,
) -> LogReport:
    """Replay logs of one format as one stream."""
    name = logs[0].name
    replay = Replay(options.rules, options.settings, timelines=options.timelines)
    report = LogReport(
        name, adapter.NAME, fail_on=options.fail_on, min_confidence=options.min_confidence
    )
    told = (lambda turn: progress(name, turn)) if progress else None
    try:
        report.findings = list(replay.findings(adapter.read(Source(tuple(logs))), told))
    except Exception as error:
        # A bug of ours in one log must not lose the audit of the others; it ends in exit code 2.
        report.problems.append(Problem(name, 0, f"internal error: {type(error).__name__}: {error}"))
    order = {rule.code: n for n, rule in enumerate(options.rules)}
    report.findings.sort(key=lambda f: (f.where.session, f.where.turn, order[f.rule]))
    for log in logs:
        report.problems += sorted(log.problems, key=lambda problem: problem.line)
        report.notes += [note for note in log.notes if note not in report.notes]
    failed = {code: why for s in replay.sessions.values() for code, why in s.failed.items()}
    for code, why in failed.items():
        report.problems.append(Problem(name, 0, f"rule {code} of a plugin failed: {why}"))
    for name_, session in replay.sessions.items():
        for aspect, extent in adapter.SHOWS.items():
            session.coverage.extent[aspect] = min(session.coverage.extent[aspect], extent)
        report.sessions.append(_summed(session, name_, report, adapter, options))
        if session.midway:
            report.midway.append(name_)
    if not any(session.turns for session in report.sessions) and not report.problems:
        report.problems.append(Problem(name, 0, "no turn in it: nothing to audit", nothing=True))
    return report


def _summed(
    session: Session, name: str, report: LogReport, adapter: Adapter, options: Options
) -> SessionReport:
    extent = session.coverage.extent
    notes = (*session.coverage.notes, *report.notes)
    return SessionReport(
        session.where.path,
        name,
        adapter.NAME,
        session.turns,
        session.calls,
        session.decisions,
        extent,
        notes,
        session.metrics.as_dict(session.turns),
        tuple(_unchecked(options.rules, extent)),
        session.timeline,
        session.traces,
        session.begins,
    )


def _unchecked(
    rules: Sequence[type[Rule]], extent: dict[Aspect, Extent]
) -> Iterator[tuple[str, str]]:
    for rule in rules:
        missing = sorted(aspect.value for aspect in rule.needs if extent[aspect] is Extent.NONE)
        if missing:
            yield rule.code, f"the log shows no {' and no '.join(missing)}"


def gathered(reports: list[LogReport], options: Options) -> list[LogReport]:
    """The reports of all logs, with sessions that go on in another log as one, and what several
    logs hold told once."""
    whole = joined(reports, options)
    return told_once(whole, lambda one, other: options.at(one) == options.at(other))


def joined(reports: list[LogReport], options: Options) -> list[LogReport]:
    """Audit again, as one, the logs of which one goes on with a session that another one began."""
    merged: set[int] = set()
    for n, late in enumerate(reports):
        for session in late.midway:
            for m, early in enumerate(reports):
                begun = any(s.session == session for s in early.sessions)
                if m == n or m in merged or n in merged or early.format != late.format or not begun:
                    continue
                if session in early.midway or late.format is None:
                    continue
                if STDIN_NAME in (early.path, late.path):
                    continue  # what came from there cannot be read again
                logs = [Log(early.path), Log(late.path)]
                own = options.at(early.path)
                reports[m] = replay_logs(logs, adapter_of(late.format), own)
                merged.add(n)
    return [report for n, report in enumerate(reports) if n not in merged]
