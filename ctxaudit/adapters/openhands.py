"""Event streams of OpenHands (V0): a folder with an event a file, a list, or lines.

    sessions/<id>/events/<n>.json
    {"id", "source": "agent" | "user" | "environment", "action": "run", "args": {...},
     "tool_call_metadata": {"function_name", "tool_call_id", "model_response": {...}}}
    {"id", "cause": <id of the action>, "observation": "run", "content", "extras": {...}}
    {"action": "condensation", "args": {"forgotten_event_ids" | "forgotten_events_start_id" and
     "forgotten_events_end_id", "summary", "summary_offset"}}

Results of evaluations hold a session a line, as its ``history``: a list of events, of old of pairs
of an action and an observation. Each action repeats the answer that it is of. All condensations
hold together, but only the summary of the last one is in the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters.openhands_events import Session
from ctxaudit.adapters.openhands_files import EVENT, session_name
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "openhands"
TITLE = "OpenHands event streams and evaluation results"
SHOWS = {
    Aspect.SCHEMAS: Extent.FULL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
#: What an event has beside its kind, in streams and in old results.
MARKS = frozenset({"source", "cause", "args", "extras", "thought", "keep_prompt", "content"})
NAMES = ("instance_id", "task_id", "id")


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names holds an event a file."""
    files = [name.removesuffix(".json") for name in names if name.endswith(".json")]
    return bool(files) and all(file.isdecimal() for file in files)


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_event(member(data)[1]) or _history(data) for data in head)


def _is_event(data: Any) -> bool:
    if not isinstance(data, dict) or "kind" in data:
        return False
    sort = data.get("action", data.get("observation"))
    return isinstance(sort, str) and bool(data.keys() & MARKS)


def _history(data: Any) -> list[Any]:
    """The events of a result of an evaluation, none if it is none."""
    if not isinstance(data, dict) or "trajectory" in data:
        return []
    events = data.get("history")
    flat = list(_flat(events)) if isinstance(events, list) else []
    return flat if any(map(_is_event, flat[:3])) else []


def _flat(events: list[Any]) -> Iterator[Any]:
    for item in events:
        yield from item if isinstance(item, list) else [item]


def read(source: Source) -> Iterator[Turn]:
    """The turns of all sessions, in the order of their events."""
    streams: dict[str, Session] = {}
    names: set[str] = set()

    def take(record: Record) -> Iterator[Turn]:
        if "history" in record.data:
            yield from _result(record, names, source)
            return
        name = session_name(record.path)
        if name not in streams:
            streams[name] = Session(name, record.path)
        streams[name].talk.path = record.path
        yield from streams[name].take(record.data, record.line)

    yield from source.through(_record, take)
    for session in streams.values():
        yield from session.end()


def _record(record: Record) -> Record | None:
    name, data = member(record.data)
    if name is not None and not EVENT.match(name.rsplit("/", 1)[-1]):
        return None
    if not isinstance(data, dict):
        raise TypeError("no event")
    return Record(record.path, record.line, data)


def _result(record: Record, names: set[str], source: Source) -> Iterator[Turn]:
    """The session of a result: it has a line of its own."""
    told = next((record.data[key] for key in NAMES if record.data.get(key)), None)
    name = str(told or f"line:{record.line}")
    if name in names:
        name = f"{name}#{record.line}"
    names.add(name)
    session = Session(name, record.path)
    for event in _flat(record.data["history"] or []):
        try:
            if not isinstance(event, dict):
                raise TypeError("no event")
            yield from session.take(event, record.line)
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)
    yield from session.end()
