"""Progress for those who watch: on standard error, and only once it has taken a while."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from ctxaudit.model import Turn

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 1.0  # seconds of silence


class Progress:
    """A bar over the logs, with the turn that is being replayed; nothing at all where ``watched``
    is False or the work is quick."""

    def __init__(self, total: int, watched: bool) -> None:
        self.total = total
        self.done = 0
        self.watched = watched
        self.since = time.monotonic()
        self.bar: Bar | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def turn(self, path: str, turn: Turn) -> None:
        """A turn has been replayed."""
        self._show(f"{path}, turn {turn.where.turn}")

    def log(self, path: str) -> None:
        """A log has been audited."""
        self.done += 1
        self._show(path)

    def _show(self, what: str) -> None:
        if not self.watched or time.monotonic() - self.since < PATIENCE:
            return
        if self.bar is None:
            self.bar = _bar()
            self.bar.add_task("", total=self.total)
            self.bar.start()
        from ctxaudit.safe import clean

        self.bar.update(self.bar.task_ids[0], completed=self.done, description=clean(what, 60))


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    return Bar(
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
