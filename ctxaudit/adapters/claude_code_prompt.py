"""What one lane of a Claude Code session has in its prompt, and when it came there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from ctxaudit.frozen import frozen
from ctxaudit.model import result_id


@frozen
class Eviction:
    """What one decision took, and when: a rewind to before it brings it back."""

    position: int
    spans: tuple[str, ...]
    tools: tuple[str, ...] = ()


@frozen
class Rewound:
    """What a rewind took out of the prompt, and what it brought back."""

    withdrawn: tuple[str, ...]
    restored: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(slots=True)
class Prompt:
    """The spans of the prompt. Positions are places of records in the order of time."""

    resident: dict[str, int] = field(default_factory=dict)  # position of each span
    fixed: set[str] = field(default_factory=set)  # spans that no compaction touches
    _born: list[tuple[int, str]] = field(default_factory=list)
    _evictions: list[Eviction] = field(default_factory=list)
    _spans: dict[str, list[str]] = field(default_factory=dict)  # of each record
    _places: dict[str, int] = field(default_factory=dict)  # of each record

    def record(self, uuid: str, position: int) -> None:
        """A record stands at this position, whatever it holds."""
        self._places[uuid] = position

    def place(self, uuid: str) -> int | None:
        """Where the record stands, None if it is not in the log."""
        return self._places.get(uuid)

    def enter(self, span: str, uuid: str, position: int) -> None:
        """A span that the record holds enters the prompt."""
        self.resident[span] = position
        self._born.append((position, span))
        self._spans.setdefault(uuid, []).append(span)

    def spans_of(self, uuids: Iterable[str]) -> set[str]:
        """The spans that these records hold."""
        return {span for uuid in uuids for span in self._spans.get(uuid, ())}

    def between(self, head: str, tail: str) -> set[str]:
        """The spans of all records from one to another; nothing if one of them is unknown."""
        first, last = self._places.get(head), self._places.get(tail)
        if first is None or last is None:
            return set()
        return {span for span, at in self.resident.items() if first <= at <= last}

    def paired(self, kept: set[str]) -> set[str]:
        """Kept spans with the other halves: a call is not kept without its result."""
        results = {result_id(span): span for span in self.resident}
        pairs = [(call, result) for result, call in results.items() if result in self.resident]
        halves = {half for pair in pairs if kept.intersection(pair) for half in pair}
        return kept | halves

    def evict(self, spans: Iterable[str], position: int, tools: tuple[str, ...]) -> None:
        """A decision took these spans, and the schemas of these tools."""
        gone = tuple(spans)
        self._evictions.append(Eviction(position, gone, tools))
        for span in gone:
            self.resident.pop(span, None)

    def clear(self, spans: Iterable[str], position: int, tools: tuple[str, ...]) -> None:
        """A decision took the text of these spans; a stub stays of each."""
        self._evictions.append(Eviction(position, tuple(spans), tools))

    def empty(self) -> tuple[str, ...]:
        """The conversation starts anew; returns what had come, evicted or not."""
        born = dict.fromkeys(span for _, span in self._born)
        gone = tuple(span for span in born if span not in self.fixed)
        self.resident = {span: at for span, at in self.resident.items() if span in self.fixed}
        self._evictions.clear()
        self._born.clear()
        return gone

    def remove(self, span: str) -> None:
        """A span leaves that no pruner took."""
        self.resident.pop(span, None)

    def rewind(self, position: int) -> Rewound:
        """Everything from this position on did not happen, decisions included."""
        first = bisect_left(self._born, (position, ""))
        late = self._born[first:]
        born = dict.fromkeys(span for _, span in late if span not in self.fixed)
        self._born[first:] = [(at, span) for at, span in late if span in self.fixed]
        for span in born:
            self.resident.pop(span, None)
        restored: list[str] = []
        tools: list[str] = []
        while self._evictions and self._evictions[-1].position >= position:
            undone = self._evictions.pop()
            restored += [span for span in undone.spans if span not in born]
            tools += undone.tools
        self.resident.update(dict.fromkeys(restored, position))
        return Rewound(tuple(born), tuple(dict.fromkeys(restored)), tuple(tools))
