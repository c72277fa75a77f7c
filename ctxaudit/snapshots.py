"""Logs whose records carry whole prompts: turns by the difference of consecutive prompts.

An adapter turns each record into a ``Snapshot``; ``turns`` finds the conversation that it belongs
to, compares its prompt with the one before, and infers what was pruned. Prompts that repeat their
predecessor's beginning are compared there, not read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from ctxaudit.knowledge.placeholders import stub
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.model import (
    DecisionKind,
    Gap,
    Kind,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    ToolSchema,
    Turn,
    dumps,
    result_id,
)

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A span before it is known which one. ``call`` is the runtime's own id, None where it has
    none.

    ``loads`` are schemas that the piece brings into the prompt (a tool search's result, an
    addition in mid-conversation), ``removes`` names of tools that it takes out.
    """

    kind: Kind
    text: str
    call: str | None = None
    tool: str | None = None
    failed: bool | None = None
    arguments: Any = None
    loads: tuple[ToolSchema, ...] = ()
    removes: tuple[str, ...] = ()


@dataclass(slots=True)
class Snapshot:
    """One model call with its whole prompt.

    ``items`` are raw prompt items, compared by equality and read by ``pieces`` only when new;
    ``raw_tools`` likewise by ``schemas`` (None: not logged). ``lane`` tells agents of one session
    apart where the log does. ``partial``: the record was cut, so nothing is inferred from what it
    lacks. ``stated`` is the pruner's name where the log itself says that this prompt was edited.
    """

    path: str
    line: int
    session: str | None
    items: list[Any]
    pieces: Callable[[Any], list[Piece]]
    schemas: Callable[[Any], dict[str, ToolSchema]]
    raw_tools: Any = None
    reply: list[Piece] = field(default_factory=list)
    lane: str | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    partial: bool = False
    stated: str | None = None
    gaps: tuple[Gap, ...] = ()


def turns(snapshots: Iterable[Snapshot]) -> Iterator[Turn]:
    """Turns of all conversations in the order of the log."""
    lanes = Lanes()
    for snapshot in snapshots:
        yield lanes.choose(snapshot).turn(snapshot)


class Lanes:
    """The conversations of a log, and which of them a prompt continues."""

    def __init__(self) -> None:
        self.of: dict[str | None, list[Lane]] = defaultdict(list)
        self.named = 0

    def choose(self, snapshot: Snapshot) -> Lane:
        """The conversation that the prompt continues, a new one if there is none."""
        known = self.of[snapshot.session]
        if snapshot.lane is not None:
            known = [lane for lane in known if lane.hint == snapshot.lane]
        for lane in reversed(known):
            if lane.extended_by(snapshot):
                return lane
        best = max(reversed(known), key=lambda lane: lane.overlap(snapshot), default=None)
        if best is not None and self._continues(best, snapshot):
            return best
        return self._open(snapshot)

    def _continues(self, lane: Lane, snapshot: Snapshot) -> bool:
        if lane.overlap(snapshot):
            # Without a session id, a prompt that is all old is another conversation's beginning.
            return snapshot.session is not None or not lane.begins_with(snapshot)
        if snapshot.session is None:
            return snapshot.raw_tools == lane.raw_tools and lane.summarised_by(snapshot)
        return snapshot.lane is not None or lane.akin(snapshot)

    def _open(self, snapshot: Snapshot) -> Lane:
        known = self.of[snapshot.session]
        if snapshot.session is None:
            self.named += 1
            name = f"conversation-{self.named}"
        elif snapshot.lane:
            name = f"{snapshot.session}/{snapshot.lane}"
        else:
            name = f"{snapshot.session}/agent-{len(known) + 1}" if known else snapshot.session
        lane = Lane(name, snapshot.lane)
        known.append(lane)
        return lane


@dataclass(slots=True)
class Difference:
    """What one prompt has done to the one before it."""

    dropped: list[Span] = field(default_factory=list)
    cleared: dict[str, str] = field(default_factory=dict)
    emptied: dict[str, str] = field(default_factory=dict)
    withdrawn: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    added: list[Span] = field(default_factory=list)


class Lane:
    """One conversation: its last prompt, item by item, and the spans that each item became."""

    def __init__(self, name: str, hint: str | None) -> None:
        self.name = name
        self.hint = hint
        self.count = 0
        self.items: list[Any] = []
        self.spans: list[list[Span]] = []  # of each item
        self.replied: list[Span] = []  # the last answer: expected in the next prompt
        self.keys: dict[str, Key] = {}  # of each span that was ever seen
        self.pieces: dict[str, Piece] = {}  # those that load or remove tools
        self.gone: dict[Key, list[Span]] = defaultdict(list)
        self.ids: set[str] = set()
        self.raw_tools: Any = None
        self.base: dict[str, ToolSchema] | None = None
        self.tools: Mapping[str, ToolSchema] | None = None
        self.answered = False

    # -- which conversation ---------------------------------------------------------------------

    def extended_by(self, snapshot: Snapshot) -> bool:
        """Whether the prompt repeats all of the last one."""
        old = self.items
        return bool(old) and snapshot.items[: len(old)] == old and not _only_system(self.spans)

    def begins_with(self, snapshot: Snapshot) -> bool:
        """Whether the whole prompt is the beginning of the last one."""
        new = snapshot.items
        return self.items[: len(new)] == new

    def overlap(self, snapshot: Snapshot) -> int:
        """How many items that are not system text the prompt shares with the last one."""
        mine = [
            item
            for item, spans in zip(self.items, self.spans, strict=True)
            if any(span.kind is not Kind.SYSTEM for span in spans)
        ]
        shared = sum(item in mine for item in snapshot.items)
        if shared or not self.replied:
            return shared
        calls = {span.call for span in self.replied if span.call}
        return sum(
            1
            for item in snapshot.items
            for p in snapshot.pieces(item)
            if p.call and p.call in calls
        )

    def akin(self, snapshot: Snapshot) -> bool:
        """Whether the prompt could be the same agent's after everything else was replaced."""
        mine = [s.text for spans in self.spans for s in spans if s.kind is Kind.SYSTEM]
        its = [
            p.text
            for item in snapshot.items[:3]
            for p in snapshot.pieces(item)
            if p.kind is Kind.SYSTEM
        ]
        if mine[:1] == its[:1] or snapshot.raw_tools == self.raw_tools:
            return True
        return bool(mine and its and mine[0][:200] == its[0][:200])

    def summarised_by(self, snapshot: Snapshot) -> bool:
        """Whether the prompt begins with a summary, and the system text is this conversation's."""
        pieces = [p for item in snapshot.items[:4] for p in snapshot.pieces(item)]
        return self.akin(snapshot) and any(
            p.kind is not Kind.SYSTEM and is_summary(p.text) for p in pieces
        )

    # -- what changed ---------------------------------------------------------------------------

    def turn(self, snapshot: Snapshot) -> Turn:
        """The turn that a prompt makes."""
        retry = self.count > 0 and snapshot.items == self.items
        self.count += not retry
        where = Location(snapshot.path, snapshot.line, self.name, self.count)
        difference = self._difference(snapshot, where, retry)
        reply = [self._span(piece, where, {}) for piece in snapshot.reply]
        self.replied = reply
        return Turn(
            where,
            decisions=tuple(self._decisions(difference, snapshot, where)),
            added=tuple(difference.added),
            tools=self._offered(snapshot),
            reply=tuple(s for s in reply if s.kind is not Kind.CALL),
            calls=tuple(_call(s) for s in reply if s.kind is Kind.CALL),
            error=snapshot.error,
            prompt_tokens=snapshot.prompt_tokens,
            gaps=snapshot.gaps,
            restored=tuple(difference.restored),
            withdrawn=tuple(difference.withdrawn),
        )

    def _difference(self, snapshot: Snapshot, where: Location, retry: bool) -> Difference:
        out = Difference()
        if retry:
            out.withdrawn = [span.id for span in self.replied]
            return out
        same = _common(self.items, snapshot.items)
        old = [span for spans in self.spans[same:] for span in spans] + self.replied
        fresh = [snapshot.pieces(item) for item in snapshot.items[same:]]
        rewound = self._rewound(same, fresh)
        matched = self._match(old, fresh, where, out)
        kept = {span.id for spans in matched for span in spans}
        lost = [span for span in old if span.id not in kept]
        self._lose(lost, rewound or snapshot.partial, out)
        if snapshot.partial:
            # A cut record proves nothing: what it lacks, or holds only in part, stays as it was.
            out.withdrawn, out.cleared, out.emptied = [], {}, {}
            self.items, self.spans = [*self.items, object()], [*self.spans, list(out.added)]
            return out
        self.items = snapshot.items
        self.spans = self.spans[:same] + matched
        return out

    def _rewound(self, same: int, fresh: list[list[Piece]]) -> bool:
        """A user message was replaced by another one: a branch that was left, not a pruned one.

        At least one kept item must be conversation: a window of one message looks alike otherwise.
        """
        tail = self.spans[same:]
        return (
            bool(tail and fresh)
            and not _only_system(self.spans[:same])
            and bool(tail[0])
            and tail[0][0].kind is Kind.USER
            and all(p.kind is Kind.USER and not is_summary(p.text) for ps in fresh for p in ps)
        )

    def _match(
        self, old: list[Span], fresh: list[list[Piece]], where: Location, out: Difference
    ) -> list[list[Span]]:
        """The spans of the new items: old ones where they are the same, else new ones."""
        pool: dict[Key, list[Span]] = defaultdict(list)
        for span in old:
            pool[self.keys[span.id]].append(span)
        wanted: dict[Key, int] = defaultdict(int)
        keyed = list(_keyed(fresh))
        for group in keyed:
            for key, _ in group:
                wanted[key] += 1
        for key, spans in pool.items():
            # Pruners take the oldest: of equal spans the last ones are those that are left.
            if wanted[key] < len(spans):
                pool[key] = spans[len(spans) - wanted[key] :]
        by_text = {(s.tool, s.text): s for s in old if s.kind is Kind.RESULT}
        calls: dict[str, str] = {}
        return [
            [self._settle(key, piece, pool, by_text, calls, where, out) for key, piece in group]
            for group in keyed
        ]

    def _settle(
        self,
        key: Key,
        piece: Piece,
        pool: dict[Key, list[Span]],
        by_text: dict[tuple[str | None, str], Span],
        calls: dict[str, str],
        where: Location,
        out: Difference,
    ) -> Span:
        if pool[key]:
            span = pool[key].pop(0)
        elif key[0] == "orphan" and (piece.tool, piece.text) in by_text:
            span = by_text[(piece.tool, piece.text)]
        elif self.gone[key] and self._whole(self.gone[key][-1], piece):
            span = self.gone[key].pop()
            out.restored.append(span.id)
        else:
            span = self._span(piece, where, calls, key)
            out.added.append(span)
            return span
        if span.kind is Kind.CALL and span.call and piece.call:
            calls[piece.call] = span.id
        return self._shortened(span, piece, out)

    @staticmethod
    def _whole(span: Span, piece: Piece) -> bool:
        return span.text == piece.text or span.kind not in (Kind.CALL, Kind.RESULT)

    def _shortened(self, span: Span, piece: Piece, out: Difference) -> Span:
        """The same span with another text: cleared if it got shorter or became a stub."""
        if span.text == piece.text or span.kind not in (Kind.CALL, Kind.RESULT, Kind.TOMBSTONE):
            return span
        if span.kind is Kind.CALL:
            if span.arguments == piece.arguments:
                return span
            changed, sink = len(piece.text) < len(span.text), out.emptied
        else:
            changed = len(piece.text) < len(span.text) or (stub(piece.text) is not None)
            sink = out.cleared
        if changed and span.kind is not Kind.TOMBSTONE:
            sink[span.id] = piece.text
            kind = Kind.CALL if span.kind is Kind.CALL else Kind.TOMBSTONE
            return replace(span, text=piece.text, arguments=piece.arguments, kind=kind)
        return replace(span, text=piece.text, arguments=piece.arguments)

    def _lose(self, lost: list[Span], blameless: bool, out: Difference) -> None:
        replied = {span.id for span in self.replied}
        answered = {span.call for span in out.added if span.kind is Kind.RESULT}
        heavy = [
            span
            for span in lost
            if span.kind not in (Kind.SYSTEM, Kind.REASONING)
            and (span.id not in replied or (span.kind is Kind.CALL and span.call in answered))
        ]
        if blameless or not heavy:
            out.withdrawn += [span.id for span in lost]
            return
        for span in lost:
            if span.kind in (Kind.SYSTEM, Kind.REASONING):
                out.withdrawn.append(span.id)
            else:
                out.dropped.append(span)
                self.gone[self.keys[span.id]].append(span)

    def _span(
        self, piece: Piece, where: Location, calls: dict[str, str], key: Key | None = None
    ) -> Span:
        """A new span for a piece, under an id that the session has not used."""
        key = key or _key(piece)
        call = piece.call
        if piece.kind is Kind.CALL:
            call = span_id = self._unique(piece.call or ":".join(key[1:]))
            if piece.call:
                calls[piece.call] = span_id
        elif piece.kind is Kind.RESULT:
            call = self._answered(piece, key, calls)
            span_id = self._unique(result_id(call) if call else ":".join(key))
        else:
            span_id = self._unique(":".join(key))
        self.keys[span_id] = key
        if piece.loads or piece.removes:
            self.pieces[span_id] = piece
        return Span(
            span_id, piece.kind, piece.text, where, call, piece.tool, piece.failed, piece.arguments
        )

    def _answered(self, piece: Piece, key: Key, calls: dict[str, str]) -> str | None:
        """The call that a result answers, by the runtime's id or, where it has none, by order."""
        if piece.call is None:
            # "result", tool, digest of the arguments: the key of the call that it follows.
            base = ":".join(key[1:]) if key[0] == "result" else None
            return self._latest(base) if base else None
        return calls.get(piece.call) or self._latest(piece.call)

    def _latest(self, base: str) -> str:
        """The last call that was given an id made from ``base``."""
        name, n = base, 2
        while f"{base}#{n}" in self.ids:
            name, n = f"{base}#{n}", n + 1
        return name

    def _unique(self, base: str) -> str:
        name, n = base, 2
        while name in self.ids:
            name, n = f"{base}#{n}", n + 1
        self.ids.add(name)
        return name

    def _decisions(
        self, difference: Difference, snapshot: Snapshot, where: Location
    ) -> Iterator[PruningDecision]:
        told: dict[str, Any] = {
            "explicit": snapshot.stated is not None,
            "exact": snapshot.stated is None,
            "actor": snapshot.stated,
        }
        order = 0
        if difference.dropped:
            summary = self._mark_summary(difference)
            kind = DecisionKind.SPAN_SUMMARIZED if summary else DecisionKind.SPAN_EVICTED
            ids = tuple(span.id for span in difference.dropped)
            yield PruningDecision(kind, where, ids, order=order, **told)
            order += 1
        for kind, stubs in (
            (DecisionKind.ARGUMENTS_EVICTED, difference.emptied),
            (DecisionKind.RESULT_CLEARED, difference.cleared),
        ):
            if stubs:
                yield PruningDecision(kind, where, tuple(stubs), order=order, stubs=stubs, **told)
                order += 1
        for span in difference.added:
            piece = self.pieces.get(span.id)
            if piece is not None and piece.removes:
                yield PruningDecision(
                    DecisionKind.SCHEMA_PRUNED,
                    where,
                    tools=piece.removes,
                    order=order,
                    explicit=True,
                )
                order += 1

    @staticmethod
    def _mark_summary(difference: Difference) -> bool:
        """Turn the text that took the place of dropped spans into a summary; whether there is
        one.
        """
        found = False
        for i, span in enumerate(difference.added):
            if span.kind in (Kind.USER, Kind.SYSTEM, Kind.ASSISTANT) and is_summary(span.text):
                difference.added[i] = replace(span, kind=Kind.SUMMARY)
                found = True
        return found or any(span.kind is Kind.SUMMARY for span in difference.added)

    # -- tools ----------------------------------------------------------------------------------

    def _offered(self, snapshot: Snapshot) -> Mapping[str, ToolSchema] | None:
        """The tools that the model really sees: offered, loaded, added, and not removed."""
        raw = snapshot.raw_tools
        if raw is None:
            return None
        if self.base is None or raw != self.raw_tools:
            self.raw_tools, self.base = raw, snapshot.schemas(raw)
            self.tools = self.base
        if not self.pieces:
            return self.tools
        tools = dict(self.base)
        for spans in self.spans:
            for span in spans:
                piece = self.pieces.get(span.id)
                if piece is None or span.kind is Kind.TOMBSTONE:
                    continue
                for schema in piece.loads:
                    known = tools.get(schema.name)
                    whole = schema if schema.parameters is not None or known is None else known
                    tools[schema.name] = replace(whole, deferred=False)
                for name in piece.removes:
                    tools.pop(name, None)
        self.tools = tools
        return tools


def _call(span: Span) -> ToolCall:
    return ToolCall(span.id, span.tool or "", span.arguments, span.where)


def _common(old: list[Any], new: list[Any]) -> int:
    """The length of the common beginning."""
    if new[: len(old)] == old:
        return len(old)
    n = 0
    for a, b in zip(old, new, strict=False):
        if a != b:
            break
        n += 1
    return n


def _only_system(spans: list[list[Span]]) -> bool:
    return all(span.kind is Kind.SYSTEM for group in spans for span in group)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _key(piece: Piece) -> Key:
    """What makes two pieces the same span."""
    if piece.kind is Kind.CALL:
        if piece.call:
            return ("call", piece.call)
        return ("call", piece.tool or "", _digest(dumps(piece.arguments)))
    if piece.kind is Kind.RESULT:
        if piece.call:
            return ("result", piece.call)
        return ("orphan", piece.tool or "", _digest(piece.text))
    kind = Kind.USER if piece.kind is Kind.SUMMARY else piece.kind
    return (kind.value, _digest(piece.text.strip()))


def _keyed(fresh: list[list[Piece]]) -> Iterator[list[tuple[Key, Piece]]]:
    """Every piece with its key; a result without an id is paired with the call that it follows."""
    pending: dict[str, list[Key]] = defaultdict(list)
    for group in fresh:
        out: list[tuple[Key, Piece]] = []
        for piece in group:
            key = _key(piece)
            if piece.kind is Kind.CALL and not piece.call:
                pending[piece.tool or ""].append(key)
            elif piece.kind is Kind.RESULT and not piece.call and pending[piece.tool or ""]:
                key = ("result", *pending[piece.tool or ""].pop(0)[1:])
            out.append((key, piece))
        yield out
