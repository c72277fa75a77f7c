"""Rollouts of Codex: ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl``.

Every item of the conversation is a record. Nothing is removed from the file: a compaction is a
record that holds the history as it is from there on. A sub-agent has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ctxaudit.adapters.codex_lines import Entry, entry, recognises
from ctxaudit.adapters.codex_session import Session
from ctxaudit.log import Source
from ctxaudit.model import Aspect, Extent, Turn

__all__ = ["NAME", "SHOWS", "TITLE", "read", "recognises"]

NAME = "codex"
TITLE = "Codex rollouts"
SHOWS = {
    Aspect.SCHEMAS: Extent.PARTIAL,
    Aspect.PROMPTS: Extent.FULL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}


def read(source: Source) -> Iterator[Turn]:
    """The turns of the session, each when the next one begins; a new header begins a new one."""
    sessions: dict[str, Session] = {}
    current: Session | None = None
    seen: set[int] = set()
    for record in source.each(entry):
        if record.mark is not None and record.mark in seen:
            continue
        if record.mark is not None:
            seen.add(record.mark)
        name = _session(record, current)
        if current is None or current.name != name:
            current = sessions.get(name) or Session(name, source.note)
            sessions[name] = current
        yield from current.take(record)
    for session in sessions.values():
        yield from session.end()


def _session(record: Entry, current: Session | None) -> str:
    """The session that a record belongs to. A fork copies the headers of those it comes from."""
    if record.kind == "session_meta":
        told = record.data.get("id") or record.data.get("session_id")
        if isinstance(told, str) and (current is None or told not in current.ids):
            return told
    return current.name if current else PurePath(record.path).stem
