"""Which spans of the last prompt the pieces of the next one are.

Calls and results are known by their ids, text by itself. Runtimes reuse ids, make new ones for
the same call, or have none: then text and order decide. Of equal spans the last ones are taken
for those that are left, because pruners take the oldest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ctxaudit.knowledge.placeholders import stub
from ctxaudit.model import Kind, Span, dumps
from ctxaudit.pieces import Piece

Key = tuple[str, ...]
LIGHT = frozenset({Kind.SYSTEM, Kind.REASONING})  #: leaves the prompt without being pruned
GIVEN = frozenset({Kind.SYSTEM, Kind.USER, Kind.RESULT})  #: comes from outside the model


@dataclass(slots=True, eq=False)
class Fresh:
    """A piece of the new prompt. ``asks`` is the call that it answers, if it is a result."""

    piece: Piece
    asks: Fresh | None = None
    span: Span | None = None
    new: bool = False


def paired(
    groups: Iterable[list[Piece]], before: Iterable[tuple[str | None, Span]]
) -> list[list[Fresh]]:
    """Pieces with every result joined to its call: by id, or by tool and order where it has none.

    ``before`` are the calls that stand unanswered in front of the pieces, with their ids: the same
    id may have stood for another call.
    """
    named: dict[str, Fresh] = {}
    waiting: dict[str, list[Fresh]] = defaultdict(list)
    for runtime_id, span in before:
        call = Fresh(Piece(Kind.CALL, span.text), span=span)
        if runtime_id is None:
            waiting[span.tool or ""].append(call)
        else:
            named[runtime_id] = call
    out = []
    turned = False  # whether others have spoken since the model did
    for group in groups:
        out.append(row := [Fresh(piece) for piece in group])
        calling = any(piece.kind is Kind.CALL for piece in group)
        for fresh in row:
            piece, tool = fresh.piece, fresh.piece.tool or ""
            if piece.kind not in GIVEN and (turned or not calling):
                waiting.clear()  # what was not answered until now never will be
            turned = piece.kind in GIVEN
            if piece.kind is Kind.CALL and piece.call:
                named[piece.call] = fresh
            elif piece.kind is Kind.CALL:
                waiting[tool].append(fresh)
            elif piece.kind is Kind.RESULT and piece.call:
                fresh.asks = named.get(piece.call)
            elif piece.kind is Kind.RESULT and waiting[tool]:
                fresh.asks = waiting[tool].pop(0)
    return out


class Pool:
    """Old spans by key, taken from the end and, where that is possible, in order."""

    def __init__(self, spans: Iterable[Span], key: Callable[[Span], Key | None]) -> None:
        self.spans = list(spans)
        self.bound = len(self.spans)
        self.taken: set[int] = set()
        self.at: dict[Key, list[int]] = defaultdict(list)
        for n, span in enumerate(self.spans):
            if (its := key(span)) is not None:
                self.at[its].append(n)

    def take(self, key: Key | None, text: str, exact: bool = False) -> Span | None:
        """The span of that key: with that text if there is one, before the last one taken."""
        places = self.at.get(key) if key else None
        if not places:
            return None
        same = [n for n in places if self.spans[n].text == text] or ([] if exact else places)
        if not same:
            return None
        n = next((n for n in reversed(same) if n < self.bound), same[-1])
        places.remove(n)
        self.taken.add(n)
        self.bound = min(self.bound, n)
        return self.spans[n]

    def left(self) -> list[Span]:
        """The spans that were not taken, in order."""
        return [span for n, span in enumerate(self.spans) if n not in self.taken]


def key_of(piece: Piece) -> Key:
    """What makes two pieces the same span. Results are known by their calls' spans instead."""
    if piece.kind is Kind.CALL:
        if piece.call:
            return ("call", piece.call)
        return ("call", piece.tool or "", dumps(piece.arguments))
    if piece.kind is Kind.RESULT:
        return ("orphan", piece.tool or "", piece.text)
    kind = Kind.USER if piece.kind is Kind.SUMMARY else piece.kind
    return (kind, piece.opaque or piece.text.strip())


def name_of(key: Key) -> str:
    """A short name for a key that is the same in every run."""
    *parts, text = key
    raw = text.encode("utf-8", "surrogatepass")
    return ":".join((*parts, blake2b(raw, digest_size=6).hexdigest()))


def likeness(thing: Piece | Span) -> Key | None:
    """What makes a call or a lone result the same when its id does not."""
    if thing.kind is Kind.CALL:
        return ("call", thing.tool or "", dumps(thing.arguments))
    return ("result", thing.text) if thing.kind is Kind.RESULT else None


def same_text(a: str, b: str) -> bool:
    """Whether two texts differ in white space only."""
    return a == b or "".join(a.split()) == "".join(b.split())


def emptied(span: Span, piece: Piece) -> bool:
    """Whether a call lost arguments; a client may tidy them, or repair what was no JSON."""
    if _keeps(span.arguments, piece.arguments):
        return False
    if isinstance(span.arguments, str) and not isinstance(piece.arguments, str):
        return False
    return len(piece.text) < len(span.text) or stub(str(piece.arguments)) is not None


def _keeps(old: Any, new: Any) -> bool:
    """Whether every value of the old arguments that is not null is in the new ones."""
    if isinstance(old, Mapping):
        return isinstance(new, Mapping) and all(
            _keeps(value, new.get(name)) for name, value in old.items()
        )
    if isinstance(old, list):
        return isinstance(new, list) and len(new) >= len(old) and all(map(_keeps, old, new))
    return old is None or bool(old == new)
