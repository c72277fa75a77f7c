"""Many logs: one after the other, or in processes; the result is the same."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from ctxaudit.audit import Input, Options, audit_one, joined
from ctxaudit.report import LogReport


def audit_all(
    inputs: Sequence[Input], options: Options, jobs: int = 1, progress: bool = False
) -> list[LogReport]:
    """Audit every log in the given order; ``jobs`` 0 means one process a core."""
    workers = min(jobs or os.cpu_count() or 1, len(inputs))
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            done = list(_shown(pool.map(partial(_one, options=options), inputs), inputs, progress))
    else:
        done = list(_shown((audit_one(i, options) for i in inputs), inputs, progress))
    return joined([report for report in done if report is not None], options)


def _one(item: Input, options: Options) -> LogReport | None:
    return audit_one(item, options)


def _shown(
    reports: Iterator[LogReport | None], inputs: Sequence[Input], progress: bool
) -> Iterator[LogReport | None]:
    """The reports, with a bar on standard error for those who watch."""
    if not progress:
        yield from reports
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("auditing", total=len(inputs))
        for report in reports:
            yield report
            bar.advance(task)
