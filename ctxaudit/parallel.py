"""Many logs: one after the other, or in processes; the result is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxaudit.audit import Input, Options, audit_one, expand, gathered
from ctxaudit.globs import path_matches
from ctxaudit.log import STDIN, Problem
from ctxaudit.progress import Progress
from ctxaudit.report import LogReport

if TYPE_CHECKING:
    from concurrent.futures import Future


def audit_paths(
    paths: Sequence[str],
    options: Options,
    jobs: int = 1,
    watched: bool = False,
    *,
    exclude: Sequence[str] = (),
    since: float | None = None,
) -> list[LogReport]:
    """Audit all that the paths mean, in their order; ``jobs`` 0 means one process a core.

    ``exclude`` are globs of logs in directories that are passed over; of those changed before
    ``since``, in seconds of the epoch, none is read. A path that no log came of is reported: who
    asked for it must not think that it was audited.
    """
    asked = {path: [i for i in expand([path]) if wanted(i, path, exclude, since)] for path in paths}
    named = {item.path for items in asked.values() for item in items if not item.found}
    kept = {item.path for items in asked.values() for item in items}
    inputs = [Input(i.path, i.path not in named) for i in expand(paths) if i.path in kept]
    audited = dict(zip(inputs, _audited(inputs, options, jobs, watched), strict=True))
    reports = [report for report in audited.values() if report is not None]
    seen = {item.path for item, report in audited.items() if report is not None}
    nothing = [
        LogReport(path, problems=[Problem(path, 0, _why(path, exclude, since), nothing=True)])
        for path, items in asked.items()
        if not any(item.path in seen for item in items)
    ]
    return gathered(reports, options) + nothing


def wanted(item: Input, asked: str, exclude: Sequence[str], since: float | None = None) -> bool:
    """Whether a log that ``asked`` means is to be read: it is not excluded, and not too old."""
    if item.path != asked and any(path_matches(item.path, pattern) for pattern in exclude):
        return False
    try:
        return since is None or item.path == STDIN or Path(item.path).stat().st_mtime >= since
    except OSError:
        return True  # reading it will tell what is wrong


def _why(path: str, exclude: Sequence[str], since: float | None) -> str:
    if (exclude or since is not None) and next(expand([path]), None):
        return "no log of it is left by what is excluded or too old"
    return "no log in this directory" if Path(path).is_dir() else "no file matches"


def _audited(
    inputs: Sequence[Input], options: Options, jobs: int, watched: bool
) -> Iterator[LogReport | None]:
    workers = min(jobs or os.cpu_count() or 1, len(inputs))
    with Progress(len(inputs), watched) as progress:
        for item, report in zip(inputs, _reports(inputs, options, workers, progress), strict=True):
            progress.log(item.path)
            yield report


def _reports(
    inputs: Sequence[Input], options: Options, workers: int, progress: Progress
) -> Iterator[LogReport | None]:
    if workers < 2:
        yield from (audit_one(item, options, progress.turn) for item in inputs)
        return
    from concurrent.futures import ProcessPoolExecutor  # only where it is needed: it takes time

    with ProcessPoolExecutor(workers, initializer=_die_quietly) as pool:
        try:
            # Only this process has the standard input.
            futures = [
                None if item.path == STDIN else pool.submit(audit_one, item, options)
                for item in inputs
            ]
            for item, future in zip(inputs, futures, strict=True):
                yield audit_one(item, options) if future is None else _result(item, future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(item: Input, future: Future[LogReport | None]) -> LogReport | None:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        why = "a process that was auditing has died; is there too little memory for so many jobs?"
        return LogReport(item.path, problems=[Problem(item.path, 0, why)])


def _die_quietly() -> None:
    """An interrupted worker has nothing to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
