"""Tasks of Cline and of Roo Code: ``tasks/<id>/``.

    api_conversation_history.json  [{"role", "content": [...], "ts"}]: what was said
    ui_messages.json               [{"ts", "type": "say" | "ask", "say", ...}]: what was shown
    context_history.json           Cline: blocks that were replaced in the prompts
    history_item.json              {"id", "conversationHistoryDeletedRange"}

Roo Code marks what it has condensed (``condenseParent`` of the summary's ``condenseId``) and hidden
(``truncationParent``), of old it removed it; Cline tells the range that it leaves out. The history
alone can be given too: the other files are looked for beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from ctxaudit.adapters.cline_messages import text_of
from ctxaudit.adapters.cline_task import Task
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Log, Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "cline"
TITLE = "Tasks of Cline and Roo Code"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
HISTORY, SHOWN = "api_conversation_history.json", "ui_messages.json"
EDITS, ITEM = "context_history.json", "history_item.json"
BESIDE = (SHOWN, EDITS, ITEM)
#: How the first message of a task begins.
BEGINS = "<task>"
MARKS = frozenset({"isSummary", "condenseParent", "truncationParent", "isTruncationMarker"})


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names is a task."""
    return HISTORY in names


def recognises(head: Sequence[Any]) -> bool:
    found = [member(data) for data in head]
    if any(name == HISTORY and _is_message(data) for name, data in found):
        return True
    alone = [data for name, data in found if name is None]
    return bool(alone) and all(map(_is_message, alone[:3])) and any(map(_is_own, alone))


def aside(head: Sequence[Any]) -> str | None:
    """What a file of ours is that is no conversation by itself."""
    shown = [data for data in head if isinstance(data, dict) and data.get("type") in ("say", "ask")]
    if shown and len(shown) == len(head) and all("ts" in data for data in shown):
        return f"it holds what a user was shown of a task: name its folder, or {HISTORY}"
    return None


def _is_message(data: Any) -> bool:
    return (
        isinstance(data, dict) and data.get("role") in ("user", "assistant") and "content" in data
    )


def _is_own(data: Any) -> bool:
    """Whether a message is of a task and of no other list of messages."""
    if not _is_message(data) or "id" in data or "parts" in data:
        return False
    if data.keys() & MARKS:
        return True
    try:
        return text_of(data).lstrip().startswith(BEGINS)
    except WRONG_SHAPE:
        return False


def read(source: Source) -> Iterator[Turn]:
    """The turns of the task."""
    task = Task("", "")
    for record in source.each(lambda record: _take(record, task)):
        task.path, task.line = record.path, record.line
    if not task.history:
        return
    where = PurePath(task.path)
    task.name = where.parent.name if where.name == HISTORY and where.parent.name else where.stem
    if not source.is_folder and where.name == HISTORY:
        _look_beside(task, Path(task.path).parent, source)
    try:
        yield from task.turns()
    except WRONG_SHAPE as error:
        source.damaged(task.path, task.line, error)


def _take(record: Record, task: Task) -> Record | None:
    """Take a value of one of the files; the record if it is of the history."""
    name, data = member(record.data)
    if name is not None and name != HISTORY:
        _put(task, name, data)
        return None
    if not _is_message(data) and not (isinstance(data, dict) and data.keys() & MARKS):
        raise TypeError("no message")
    text_of(data)  # tells whether its blocks can be read
    task.history.append(data)
    return record


def _put(task: Task, name: str, data: Any) -> None:
    if name == SHOWN and isinstance(data, dict):
        task.shown.append(data)
    elif name == EDITS:
        task.edits.append(data)
    elif name == ITEM and isinstance(data, dict):
        task.item = data


def _look_beside(task: Task, folder: Path, source: Source) -> None:
    for name in BESIDE:
        if (path := folder / name).is_file():
            log = Log(str(path))
            for record in log:
                _put(task, name, record.data)
            for problem in log.problems:
                source.note(f"{name}: {problem.message}")
