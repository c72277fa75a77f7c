"""Which conversations hold which prompt items."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import orjson

from ctxaudit.differ import Lane
from ctxaudit.model import Kind


class Index:
    """Which conversations hold a prompt item, system text aside."""

    def __init__(self) -> None:
        self.holders: dict[int, list[Lane]] = defaultdict(list)
        self.held: dict[Lane, tuple[list[Any], int, set[int]]] = {}
        self.stale: set[Lane] = set()

    def shared(self, items: list[Any]) -> Counter[Lane]:
        """How many of the items each conversation holds."""
        for lane in self.stale:
            self._update(lane)
        self.stale.clear()
        found: Counter[Lane] = Counter()
        for item in items:
            its = _mark(item)
            found.update({lane for lane in self.holders.get(its, ()) if its in self.held[lane][2]})
        return found

    def _update(self, lane: Lane) -> None:
        old, done, marks = self.held.get(lane, ([], 0, set()))
        if lane.items is not old and lane.items[:done] != old[:done]:
            done, marks = 0, set()
        for item, spans in zip(lane.items[done:], lane.spans[done:], strict=True):
            if any(span.kind is not Kind.SYSTEM for span in spans):
                marks.add(its := _mark(item))
                if lane not in self.holders[its]:
                    self.holders[its].append(lane)
        self.held[lane] = (lane.items, len(lane.items), marks)


def _mark(item: Any) -> int:
    try:
        return hash(orjson.dumps(item, option=orjson.OPT_SORT_KEYS))
    except TypeError:  # no JSON: a stand-in, or text that no encoding takes
        return hash(repr(item))
