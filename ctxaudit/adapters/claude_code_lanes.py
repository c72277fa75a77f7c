"""Which lane a record belongs to, and where in it.

The order of the file is time. Links between records only tell old inline sub-agents apart, and
records that a compaction kept but that were written after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ctxaudit.adapters.claude_code_events import Boundary, Line, Said
from ctxaudit.knowledge.placeholders import StubKind, stub

Key = tuple[str, str]


@dataclass(slots=True)
class Arranged:
    """The records of a log in the order of time, each with the name of its lane.

    ``answered`` holds the calls of each lane whose result stands anywhere in the log.
    """

    steps: list[tuple[str, Line]]
    answered: set[Key]


def arrange(lines: Iterable[Line]) -> Arranged:
    """Sort the records into lanes; a record that is written again replaces its first writing."""
    book = Book()
    for line in lines:
        book.take(line)
    return Arranged([step for place in book.places for step in place], book.answered)


@dataclass(slots=True)
class Book:
    """The records so far. A place holds one record, and before it those that were written late."""

    places: list[list[tuple[str, Line]]] = field(default_factory=list)
    answered: set[Key] = field(default_factory=set)
    _at: dict[Key, tuple[int, int]] = field(default_factory=dict)
    _kept: dict[Key, int] = field(default_factory=dict)
    _mains: dict[str, str] = field(default_factory=dict)  # lane of each session id
    _homes: dict[str, str] = field(default_factory=dict)  # main lane of each record
    _sides: dict[str, str] = field(default_factory=dict)  # side lane of each record
    _count: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _last: str = ""

    def take(self, line: Line) -> None:
        """Put a record where it belongs."""
        lane = self._lane(line)
        key = (lane, line.uuid)
        if isinstance(line.event, Said):
            self.answered.update((lane, result.call) for result in line.event.results)
        if line.uuid and key in self._at:
            place, index = self._at[key]
            if not _emptied(line):
                self.places[place][index] = (lane, line)
            return
        late = bool(line.uuid) and key in self._kept
        if not late:
            self.places.append([])
        place = self._kept[key] if late else len(self.places) - 1
        index = len(self.places[place]) - late
        self.places[place].insert(index, (lane, line))
        if late:
            boundary_lane, boundary = self.places[place][-1]
            self._at[(boundary_lane, boundary.uuid)] = (place, index + 1)
        self._at[key] = (place, index)
        if isinstance(line.event, Boundary):
            for uuid in line.event.kept:
                self._kept[(lane, uuid)] = place

    def _lane(self, line: Line) -> str:
        main = self._main(line)
        if line.agent:
            return f"{main}/agent-{line.agent}"
        if not line.side:
            self._homes[line.uuid] = main
            return main
        lane = self._sides.get(line.parent) if line.parent else None
        if lane is None:
            self._count[main] += 1
            lane = f"{main}/agent-{self._count[main]}"
        self._sides[line.uuid] = lane
        return lane

    def _main(self, line: Line) -> str:
        """The lane of the session; a resumed one goes on with that which its records link to."""
        session = line.session or self._last
        self._last = session
        if session not in self._mains:
            home = self._homes.get(line.parent) if line.parent else None
            self._mains[session] = home or session
        return self._mains[session]


def _emptied(line: Line) -> bool:
    """The record was written again when its result had been cleared: the first is fuller."""
    if not isinstance(line.event, Said):
        return False
    stubs = (stub(result.text) for result in line.event.results)
    return any(s is not None and s.kind is StubKind.CLEARED for s in stubs)
