"""Session files of Claude Code: ``~/.claude/projects/<folder>/<session id>.jsonl``.

One line a content block; nothing is ever removed from the file. Compactions, clearings and the
coming and going of deferred tools are records of their own. Sub-agents are sessions of their own,
whether their records stand in files of theirs or between those of the main agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters.claude_code_lane import turns
from ctxaudit.adapters.claude_code_lines import line
from ctxaudit.log import Source
from ctxaudit.model import Aspect, Extent, Turn

NAME = "claude-code"
TITLE = "Claude Code session files"
SHOWS = {
    Aspect.SCHEMAS: Extent.FULL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
#: Bookkeeping records that may stand alone at the beginning, and what they hold.
BOOKS = {
    "file-history-snapshot": "snapshot",
    "last-prompt": "leafUuid",
    "queue-operation": "operation",
    "summary": "leafUuid",
}
#: Records of the conversation, and what they hold.
TALK = {
    "assistant": "message",
    "attachment": "attachment",
    "progress": "data",
    "system": "subtype",
    "user": "message",
}


def recognises(head: Sequence[Any]) -> bool:
    """Whether the first JSON values of a log are of this format."""
    return any(_is_record(value) for value in head)


def _is_record(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
        return False
    if kind in TALK:
        return "sessionId" in value and TALK[kind] in value
    return kind in BOOKS and BOOKS[kind] in value


def read(source: Source) -> Iterator[Turn]:
    """The turns of all lanes, each when its last record is read."""
    return turns(source.each(line))
