"""ATIF trajectories (Agent Trajectory Interchange Format), as Harbor and others write them.

    {"schema_version": "ATIF-v1.7", "session_id", "agent": {"name", "tool_definitions": [...]},
     "steps": [{"step_id", "source": "system" | "user" | "agent", "message", "tool_calls": [...],
                "observation": {"results": [{"source_call_id", "content"}]}, "metrics"}],
     "continued_trajectory_ref": "trajectory.cont-1.json", "subagent_trajectories": [...]}

A trajectory is what happened, not what each prompt held. Pruning shows where a run goes on in
another file: steps that it does not copy are gone; and where a system step says that the context
was summarised. A folder with such files is one log; each trajectory but a continuation is a
session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.atif_run import Run
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn

NAME = "atif"
TITLE = "ATIF trajectories (Harbor), with their continuations"
SHOWS = {
    Aspect.SCHEMAS: Extent.PARTIAL,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
FIRST, CONTINUED = "trajectory.json", "trajectory.cont-"


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names holds a run in several files."""
    return FIRST in names and any(name.startswith(CONTINUED) for name in names)


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_trajectory(member(data)[1]) for data in head)


def _is_trajectory(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and str(data.get("schema_version")).upper().startswith("ATIF")
        and isinstance(data.get("steps"), list)
    )


@dataclass(slots=True)
class Document:
    """A trajectory and the name of the file that it stands in."""

    record: Record
    data: dict[str, Any]
    file: str


def read(source: Source) -> Iterator[Turn]:
    """The turns of all runs, each followed by those of its sub-agents."""
    found = [document for document in source.each(_document) if document]
    after = {document.file: document for document in found}
    going_on = {_reference(d.data) for d in found} & after.keys()
    names: set[str] = set()
    for document in found:
        if document.file not in going_on or len(found) == 1:
            chain = list(_chain(document, after))
            yield from _run(chain, names, source)


def _document(record: Record) -> Document | None:
    name, data = member(record.data)
    if not _is_trajectory(data):
        if name is None:
            raise TypeError("no trajectory")
        return None  # another file of the folder
    return Document(record, data, PurePath(name or record.path).name)


def _reference(data: dict[str, Any]) -> str | None:
    told = data.get("continued_trajectory_ref")
    return PurePath(told).name if isinstance(told, str) and told else None


def _chain(first: Document, after: dict[str, Document]) -> Iterator[Document]:
    """A trajectory and all that continue it."""
    seen: set[str] = set()
    document: Document | None = first
    while document is not None and document.file not in seen:
        yield document
        seen.add(document.file)
        document = after.get(_reference(document.data) or "")


def _run(chain: list[Document], names: set[str], source: Source) -> Iterator[Turn]:
    first = chain[0]
    name = _named(first.data, first.file, names)
    offered = {tool for document in chain for tool in _tool_names(document.data)}
    run = Run(name, offered)
    for document in chain:
        try:
            yield from run.read(document.record, document.data)
        except WRONG_SHAPE as error:
            source.damaged(document.record.path, document.record.line, error)
    if (missing := _reference(chain[-1].data)) is not None:
        source.note(f"the run goes on in {missing}, which is not part of this log")
    yield from run.end()
    for document in chain:
        for child in document.data.get("subagent_trajectories") or ():
            if _is_trajectory(child):
                inner = Document(document.record, child, document.file)
                yield from _run([inner], names, source)


def _named(data: dict[str, Any], file: str, names: set[str]) -> str:
    """A name for a session: the run's id, with the trajectory's where that is not its own."""
    session, own = data.get("session_id"), data.get("trajectory_id")
    base = str(session or own or file.removesuffix(".json"))
    told = [base, f"{base}/{own or file.removesuffix('.json')}"]
    name = next((n for n in told if n not in names), f"{told[-1]}-{len(names)}")
    names.add(name)
    return name


def _tool_names(data: dict[str, Any]) -> Iterator[str]:
    agent = data.get("agent")
    listed = agent.get("tool_definitions") if isinstance(agent, dict) else None
    for tool in listed if isinstance(listed, list) else ():
        inner = tool.get("function", tool) if isinstance(tool, dict) else {}
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            yield inner["name"]
