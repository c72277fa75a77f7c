"""Which conversation of a log a prompt continues.

A log may interleave sessions, agents of one session, and conversations that nothing tells apart but
what they say. A prompt continues the conversation whose last prompt it repeats; else the one with
which it shares most; else the one that it summarises; else it begins a new one. When in doubt it
begins a new one: nothing is pruned by that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson

from ctxaudit.differ import Lane, named
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.matching import key_of
from ctxaudit.model import Kind, Span, Turn
from ctxaudit.offers import Catalogue
from ctxaudit.pieces import Piece, Snapshot

FEW, MANY = 8, 64  # of the last used conversations, tried where no index helps
SCAN = 8_000  # characters of a text that are looked at for words
HEAD = 200  # characters of a system text that tell its author
_IDENTIFIER = re.compile(r"[A-Za-z0-9]{0,40}[0-9_./-][A-Za-z0-9_./-]{3,80}")
_WORD = re.compile(r"[^\W\d_]{6,40}")


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
            if lane.extended_by(snapshot) and not _another(lane, snapshot):
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
            if _answers(lane, snapshot):
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
            return not _another(lane, snapshot)
        if snapshot.session is not None:
            # A call for a title or a topic repeats the first message under other instructions.
            return shared > 1 or akin(lane, snapshot)
        # Without a session id, a prompt that is all old begins another conversation, and so does
        # one that leaves a common beginning: a rewind looks the same.
        if lane.begins_with(snapshot) or _forks(lane, snapshot, shared):
            return False
        return akin(lane, snapshot) and (
            shared > 1 or _answers(lane, snapshot) or any(map(_is_summary, _pieces(snapshot, 4)))
        )

    @staticmethod
    def _summarised(lane: Lane, snapshot: Snapshot) -> bool:
        """Whether the prompt stands for all of the conversation that was before."""
        first = next((p for p in _pieces(snapshot, 4) if p.kind is not Kind.SYSTEM), None)
        if first is None or not akin(lane, snapshot):
            return False
        text = first.text
        if _is_summary(first):
            return True
        return snapshot.session is not None and restates(lane, text) and not _ordered(lane, text)


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


def akin(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether the prompt could be the same agent's: its system text or, where it has none, its
    tools."""
    mine = next((s.text for s in _spans(lane) if s.kind is Kind.SYSTEM), None)
    its = next((p.text for p in _pieces(snapshot, 3) if p.kind is Kind.SYSTEM), None)
    if mine is not None and its is not None and mine[:HEAD] == its[:HEAD]:
        return True
    same_tools = bool(snapshot.raw_tools == lane.ledger.offers.raw)
    return same_tools and (snapshot.raw_tools is not None or mine is its)


def restates(lane: Lane, text: str) -> bool:
    """Whether a text repeats what only the agent or its tools have said: identifiers, or most of
    its long words."""
    text = text[:SCAN]
    theirs = (Kind.SYSTEM, Kind.USER)
    said = "\n".join(s.text[:SCAN] for s in _spans(lane) if s.kind not in theirs)
    asked = "\n".join(s.text[:SCAN] for s in _spans(lane) if s.kind in theirs)
    if any(name in said and name not in asked for name in set(_IDENTIFIER.findall(text))):
        return True
    words = set(_WORD.findall(text.lower()))
    lowered = said.lower()
    known = sum(word in lowered for word in words)
    return len(words) >= 4 and 2 * known >= len(words)


def _ordered(lane: Lane, text: str) -> bool:
    """Whether the text was handed over in a call: the task of a sub-agent."""
    core = orjson.dumps(text.strip()[:HEAD]).decode()[1:-1]
    return any(s.kind is Kind.CALL and core in s.text for s in _spans(lane))


def _answers(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether the prompt holds the conversation's last answer, or the results of its calls."""
    calls = {span.call for span in lane.replied if span.call}
    keys = {
        lane.ledger.keys[span.id]
        for span in lane.replied
        if span.kind is Kind.CALL or (snapshot.session and span.kind is Kind.ASSISTANT)
    }
    return bool(keys) and any(
        (p.call and p.call in calls) or key_of(p) in keys for p in _pieces(snapshot, None)
    )


def _another(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether a prompt that was answered comes again without a session id: another conversation
    that begins alike. The very same answer is the same call, logged twice."""
    if snapshot.session is not None or len(snapshot.items) != len(lane.items) or not lane.answer:
        return False
    return snapshot.reply != lane.answer or not named(lane.answer)


def _forks(lane: Lane, snapshot: Snapshot, shared: int) -> bool:
    """Whether the prompt has a beginning in common, then another message of the user, and nothing
    of what followed."""
    before = 0
    for old, new, spans in zip(lane.items, snapshot.items, lane.spans, strict=False):
        pieces = snapshot.pieces(new) if old != new else []
        if old == new or [p.text for p in pieces] == [s.text for s in spans]:
            before += any(s.kind is not Kind.SYSTEM for s in spans)
            continue
        if all(s.kind is Kind.SYSTEM for s in spans):
            continue
        other = any(p.kind is Kind.USER for p in pieces) and not any(map(_is_summary, pieces))
        return other and 0 < before >= shared and any(s.kind is Kind.USER for s in spans)
    return False


def _is_summary(piece: Piece) -> bool:
    return piece.kind is Kind.SUMMARY or (piece.kind is not Kind.SYSTEM and is_summary(piece.text))


def _spans(lane: Lane) -> Iterable[Span]:
    return (*(span for row in lane.spans for span in row), *lane.replied)


def _pieces(snapshot: Snapshot, count: int | None) -> Iterator[Piece]:
    for item in snapshot.items[:count]:
        yield from snapshot.pieces(item)


def _mark(item: Any) -> int:
    try:
        return hash(orjson.dumps(item, option=orjson.OPT_SORT_KEYS))
    except TypeError:  # no JSON: a stand-in, or text that no encoding takes
        return hash(repr(item))
