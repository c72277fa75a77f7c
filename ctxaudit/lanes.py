"""Which conversation of a log a prompt continues.

A log may interleave sessions, agents of one session, and conversations that nothing tells apart but
what they say. A prompt continues the conversation whose last prompt it repeats; else the one with
which it shares most; else the one that it summarises; else it begins a new one. When in doubt it
begins a new one: nothing is pruned by that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from ctxaudit.differ import Lane
from ctxaudit.item_index import Index
from ctxaudit.kinship import akin, another, answers, forks, ordered, pieces_of, restates, sums_up
from ctxaudit.model import Kind, Turn
from ctxaudit.offers import Catalogue
from ctxaudit.pieces import Snapshot

FEW, MANY = 8, 64  # of the last used conversations, tried where no index helps


class Lanes:
    """The conversations of a log."""

    def __init__(self) -> None:
        self.groups: dict[str | None, Group] = defaultdict(Group)
        self.catalogue = Catalogue()

    def advance(self, snapshot: Snapshot) -> list[Turn]:
        """The turns that a prompt completes, usually its own.

        Raises what the snapshot's ``pieces`` and ``schemas`` raise, and then leaves all as it was.
        """
        group = self.groups[snapshot.session]
        lane = group.choose(snapshot)
        if lane is None:
            lane = Lane(group.name(snapshot), snapshot.lane, self.catalogue)
        turns = lane.advance(snapshot)
        group.touch(lane)
        return turns

    def close(self) -> Iterator[Turn]:
        """The turns that waited for an answer to the end."""
        for group in self.groups.values():
            for lane in group.lanes:
                yield from lane.close()


class Group:
    """The conversations of one session, or those of no session; the last used one comes last."""

    def __init__(self) -> None:
        self.lanes: dict[Lane, int] = {}  # and when it was used
        self.clock = 0
        self.names: Counter[str] = Counter()
        self.index = Index()

    def name(self, snapshot: Snapshot) -> str:
        """A name for a new conversation."""
        if snapshot.session is None:
            base = "conversation"
        elif self.lanes:
            base = f"{snapshot.session}/{snapshot.lane or 'agent'}"
        else:
            return snapshot.session
        self.names[base] += 1
        n = self.names[base]
        if snapshot.session is None:
            return f"{base}-{n}"
        if snapshot.lane:
            return base if n == 1 else f"{base}-{n}"
        return f"{base}-{n + 1}"

    def touch(self, lane: Lane) -> None:
        """Take note that a conversation has gone on."""
        self.lanes.pop(lane, None)
        self.clock += 1
        self.lanes[lane] = self.clock
        self.index.stale.add(lane)

    def choose(self, snapshot: Snapshot) -> Lane | None:
        """The conversation that the prompt continues."""
        for lane in islice(self._of(snapshot.lane, reversed(self.lanes)), FEW):
            if lane.extended_by(snapshot) and not another(lane, snapshot):
                return lane
        recent = list(islice(self._of(snapshot.lane, reversed(self.lanes)), MANY))
        if not recent:
            return None
        shared = self.index.shared(snapshot.items)
        if most := max((shared[lane] for lane in self._of(snapshot.lane, shared)), default=0):
            equal = sorted(
                (lane for lane in self._of(snapshot.lane, shared) if shared[lane] == most),
                key=lambda lane: -self.lanes[lane],
            )
            best = next((lane for lane in equal if lane.extended_by(snapshot)), equal[0])
            return best if self._continues(best, snapshot, most) else None
        for lane in recent[:FEW]:
            if answers(lane, snapshot):
                return lane
        if snapshot.partial and snapshot.session is not None:
            return recent[0]
        return next((lane for lane in recent if self._summarised(lane, snapshot)), None)

    @staticmethod
    def _of(hint: str | None, lanes: Iterable[Lane]) -> Iterator[Lane]:
        return (lane for lane in lanes if hint is None or lane.hint in (hint, None))

    def _continues(self, lane: Lane, snapshot: Snapshot, shared: int) -> bool:
        if snapshot.partial:
            return True
        if lane.extended_by(snapshot):
            return not another(lane, snapshot)
        if snapshot.session is not None:
            # A call for a title or a topic repeats the first message under other instructions.
            return shared > 1 or akin(lane, snapshot)
        # Without a session id, a prompt that is all old begins another conversation, and so does
        # one that leaves a common beginning: a rewind looks the same.
        if lane.begins_with(snapshot) or forks(lane, snapshot, shared):
            return False
        return akin(lane, snapshot) and (
            shared > 1 or answers(lane, snapshot) or any(map(sums_up, pieces_of(snapshot, 4)))
        )

    @staticmethod
    def _summarised(lane: Lane, snapshot: Snapshot) -> bool:
        """Whether the prompt stands for all of the conversation that was before."""
        first = next((p for p in pieces_of(snapshot, 4) if p.kind is not Kind.SYSTEM), None)
        if first is None or not akin(lane, snapshot):
            return False
        text = first.text
        if sums_up(first):
            return True
        return snapshot.session is not None and restates(lane, text) and not ordered(lane, text)
