"""Where a prompt differs from the last one of its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.matching import key_of
from ctxaudit.model import Kind, Span
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.span_names import SpanNames

WRITTEN = frozenset({Kind.ASSISTANT, Kind.REASONING, Kind.CALL})  #: by the model
Said = list[tuple[Any, list[Piece]]]


@dataclass(slots=True)
class Change:
    """A prompt beside the last one: how many items are the same, and the pieces of the others.

    ``heads`` are system texts among the same that were rewritten in place.
    """

    same: int
    heads: dict[int, list[Piece]] = field(default_factory=dict)
    fresh: list[list[Piece]] = field(default_factory=list)


def compare(
    old: list[Any], spans: list[list[Span]], snapshot: Snapshot, same: int, said: Said
) -> Change:
    """The change from the last prompt, of which ``spans`` are the spans of each item.

    ``same`` items are known to be the same; ``said`` is the last answer.
    """
    new = snapshot.items
    change = Change(_common(old, new, same))
    while change.same < min(len(old), len(new)) and only_system(spans[: change.same + 1]):
        pieces = snapshot.read(new[change.same])
        if not spans[change.same] or any(p.kind is not Kind.SYSTEM for p in pieces):
            break
        change.heads[change.same] = pieces
        change.same = _common(old, new, change.same + 1)
    change.fresh = list(_read(snapshot, new[change.same :], said))
    return change


def _read(snapshot: Snapshot, items: list[Any], said: Said) -> Iterator[list[Piece]]:
    """The pieces of new items; those that the model said are known already."""
    for n, item in enumerate(items):
        echo = said[n] if n < len(said) else None
        yield echo[1] if echo and echo[0] == item else snapshot.read(item)


def _common(old: list[Any], new: list[Any], start: int) -> int:
    """How far two prompts are the same from ``start`` on."""
    if start == len(old) or new[start : len(old)] == old[start:]:
        return len(old)
    n = start
    for a, b in zip(old[start:], new[start:], strict=False):
        if a != b:
            break
        n += 1
    return n


def answer_in(change: Change, old: list[Span], names: SpanNames) -> list[Piece]:
    """What the model wrote first in a prompt that is new: its answer to the last one.

    ``old`` are the spans of the last prompt that do not stand at its beginning.
    """
    pieces = [p for group in change.fresh for p in group]
    if old:
        known = {names.keys[span.id] for span in old}
        last = [
            n
            for n, p in enumerate(pieces)
            if key_of(p) in known or (p.kind is Kind.RESULT and p.call in names.calls)
        ]
        pieces = pieces[last[-1] + 1 :] if last else pieces
    first = next((n for n, p in enumerate(pieces) if p.kind in WRITTEN), len(pieces))
    if any(p.kind is Kind.RESULT for p in pieces[:first]):
        return []
    return list(takewhile(lambda p: p.kind in WRITTEN, pieces[first:]))


def rewound(spans: list[list[Span]], change: Change) -> bool:
    """Whether a user message was replaced by another one, or the end cut off to try again.

    At least one kept item must be conversation: a window of one message looks alike otherwise.
    """
    tail, fresh = spans[change.same :], change.fresh
    if not tail or only_system(spans[: change.same]):
        return False
    first = next((row[0] for row in tail if row), None)
    return not fresh or (
        first is not None
        and first.kind is Kind.USER
        and all(p.kind is Kind.USER and not is_summary(p.text) for row in fresh for p in row)
    )


def only_system(spans: Iterable[list[Span]]) -> bool:
    """Whether nothing but system text is in a prompt."""
    return all(span.kind is Kind.SYSTEM for row in spans for span in row)
