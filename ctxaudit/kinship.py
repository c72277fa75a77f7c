"""Whether a prompt may be the next one of a conversation: who is speaking, and what is repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from ctxaudit.differ import Lane, named
from ctxaudit.knowledge.placeholders import stub
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.matching import key_of
from ctxaudit.model import Kind, Span
from ctxaudit.patterns import regex
from ctxaudit.pieces import Piece, Snapshot

SCAN = 8_000  # characters of a text that are looked at for words
HEAD = 200  # characters of a system text that tell its author
_IDENTIFIER = regex(r"[A-Za-z0-9]{0,40}[0-9_./-][A-Za-z0-9_./-]{3,80}")
_WORD = regex(r"[^\W\d_]{6,40}")


def akin(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether the prompt could be the same agent's: its system text or, where it has none, its
    tools."""
    mine = next((s.text for s in _spans(lane) if s.kind is Kind.SYSTEM), None)
    its = next((p.text for p in pieces_of(snapshot, 3) if p.kind is Kind.SYSTEM), None)
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


def ordered(lane: Lane, text: str) -> bool:
    """Whether the text was handed over in a call: the task of a sub-agent."""
    core = orjson.dumps(text.strip()[:HEAD]).decode()[1:-1]
    return any(s.kind is Kind.CALL and core in s.text for s in _spans(lane))


def answers(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether the prompt holds the conversation's last answer, or the results of its calls."""
    calls = {span.call for span in lane.replied if span.call}
    keys = {
        lane.ledger.names.keys[span.id]
        for span in lane.replied
        if span.kind is Kind.CALL or (snapshot.session and span.kind is Kind.ASSISTANT)
    }
    return bool(keys) and any(
        (p.call and p.call in calls) or key_of(p) in keys for p in pieces_of(snapshot, None)
    )


def another(lane: Lane, snapshot: Snapshot) -> bool:
    """Whether a prompt that was answered comes again without a session id: another conversation
    that begins alike. The very same answer is the same call, logged twice."""
    if snapshot.session is not None or len(snapshot.items) != len(lane.items) or not lane.answer:
        return False
    return snapshot.reply != lane.answer or not named(lane.answer)


def forks(lane: Lane, snapshot: Snapshot, shared: int) -> bool:
    """Whether the prompt has a beginning in common, then another message of the user, and nothing
    of what followed."""
    before = 0
    for old, new, spans in zip(lane.items, snapshot.items, lane.spans, strict=False):
        pieces = snapshot.read(new) if old != new else []
        if old == new or [p.text for p in pieces] == [s.text for s in spans]:
            before += any(s.kind is not Kind.SYSTEM for s in spans)
            continue
        if all(s.kind is Kind.SYSTEM for s in spans):
            continue
        other = any(p.kind is Kind.USER for p in pieces) and not any(map(sums_up, pieces))
        return other and 0 < before >= shared and any(s.kind is Kind.USER for s in spans)
    return False


def sums_up(piece: Piece) -> bool:
    """Whether a piece stands for what was before: a summary, or a line that says it was removed."""
    if piece.kind is Kind.SYSTEM:
        return False
    return piece.kind is Kind.SUMMARY or is_summary(piece.text) or stub(piece.text) is not None


def _spans(lane: Lane) -> Iterable[Span]:
    return (*(span for row in lane.spans for span in row), *lane.replied)


def pieces_of(snapshot: Snapshot, count: int | None) -> Iterator[Piece]:
    """The pieces of the first items of a prompt, of all if no count is given."""
    for item in snapshot.items[:count]:
        yield from snapshot.read(item)
