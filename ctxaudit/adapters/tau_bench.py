"""Results of tau-bench: ``[{"task_id", "trial", "reward", "info", "traj": [messages]}]``.

A trajectory is a conversation of chat messages from which nothing was ever taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "tau-bench"
TITLE = "tau-bench results"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.FULL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_result(data) for data in head)


def _is_result(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and "task_id" in data
        and isinstance(data.get("traj"), list)
        and bool(data.keys() & {"reward", "trial", "info"})
    )


def read(source: Source) -> Iterator[Turn]:
    """The turns of all trajectories, each a session."""
    names: set[str] = set()
    for record in source.each(_result):
        name = _name(record, names)
        chat = Chat(name, record.path)
        for message in record.data["traj"]:
            try:
                yield from chat.take(message, record.line)
            except WRONG_SHAPE as error:
                source.damaged(record.path, record.line, error)
        yield from chat.talk.end()


def _result(record: Record) -> Record:
    if not _is_result(record.data):
        raise TypeError("no result")
    return record


def _name(record: Record, names: set[str]) -> str:
    """A name by the task, and by the trial where that is needed."""
    data = record.data
    base = f"task-{data['task_id']}"
    told = [base, f"{base}/trial-{data.get('trial')}"]
    free = (f"{PurePath(record.path).stem}/{base}#{n}" for n in range(2, len(names) + 3))
    name = next(n for n in (*told, *free) if n not in names)
    names.add(name)
    return name
