"""One lane of a Claude Code session: its records in the order of time, as turns.

A turn is one API message. What comes before it and after the one before enters its prompt; a
compaction or a clearing in between is its decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ctxaudit.adapters.claude_code_events import (
    Announced,
    Answer,
    Block,
    Boundary,
    Cleared,
    Instructions,
    Line,
    Offered,
    Pinned,
    Reset,
    Result,
    Said,
)
from ctxaudit.adapters.claude_code_gaps import MIDWAY, Version, by_version
from ctxaudit.adapters.claude_code_lanes import arrange
from ctxaudit.adapters.claude_code_prompt import Prompt
from ctxaudit.adapters.claude_code_tools import Tools
from ctxaudit.adapters.claude_code_turns import Message, Turns
from ctxaudit.model import (
    DecisionKind,
    Gap,
    Kind,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    Turn,
    result_id,
)

CLEARED = "[Old tool result content cleared]"
MICRO, SERVER = "microcompact", "mcp server"


def turns(lines: Iterable[Line], gaps: Iterable[Gap] = ()) -> Iterator[Turn]:
    """The turns of all lanes, each when its last record is read; every lane has the ``gaps``."""
    arranged = arrange(lines)
    lanes: dict[str, Lane] = {}
    for position, (name, line) in enumerate(arranged.steps, 1):
        lane = lanes.get(name)
        if lane is None:
            lane = lanes[name] = Lane(name, arranged.answered, gaps)
        yield from lane.take(line, position)
    for lane in lanes.values():
        yield from lane.end()


class Lane:
    """The state of one lane. ``take`` gives the turns that a record completes, ``end`` the rest."""

    def __init__(self, name: str, answered: set[tuple[str, str]], gaps: Iterable[Gap]) -> None:
        self.name = name
        self.answered = answered  # calls that have a result anywhere in the log
        self.prompt = Prompt()
        self.tools = Tools()
        self.turns = Turns(name, self.tools)
        self.turns.pending.gaps += gaps
        self.line = Line("", 0, None, None, False, "", None, False, None, None)
        self.position = 0
        self.ids: set[str] = set()  # of spans
        self.calls: dict[str, str] = {}  # tool of each call
        self.prompted: dict[str, int] = {}  # the first human prompt under each record
        self.pinned: str | None = None  # the record that the user went back to
        self.linked = False  # records name their parents
        self.waiting: frozenset[str] = frozenset()  # servers that are connecting again
        self.servers: dict[str, str] = {}  # span of each server's instructions
        self.version: Version | None = None

    def take(self, line: Line, position: int) -> Iterator[Turn]:
        """One record; positions start with 1."""
        self._link(line, first=self.position == 0)
        self.line, self.position = line, position
        self.prompt.record(line.uuid, position)
        event = line.event
        if isinstance(event, Answer):
            yield from self._answer(event)
        elif isinstance(event, Said):
            yield from self._said(event)
        elif isinstance(event, Boundary):
            yield from self._compact(event)
        elif isinstance(event, Cleared):
            yield from self._clear(event)
        elif isinstance(event, Reset):
            yield from self._reset()
        elif isinstance(event, Pinned):
            self.pinned = event.leaf
        elif isinstance(event, Announced):
            self._announce(event)
        elif isinstance(event, Instructions):
            self._instruct(event)
        elif isinstance(event, Offered):
            self._offer(event)

    def end(self) -> Iterator[Turn]:
        """The log has no more records of this lane."""
        yield from self.turns.end()

    def _link(self, line: Line, *, first: bool) -> None:
        known = line.parent is not None and self.prompt.place(line.parent) is not None
        if first and line.parent:
            self.turns.pending.gaps.append(MIDWAY)
        self.linked = self.linked or known
        if line.version and line.version != self.version:
            self.version = line.version
            self.turns.pending.gaps += by_version(line.version)

    # -- answers --------------------------------------------------------------------------------

    def _answer(self, answer: Answer) -> Iterator[Turn]:
        key = answer.message or self.line.uuid
        message = self.turns.open
        if message is None or message.key != key:
            if key in self.turns.done:
                self._late(answer)
                return
            yield from self.turns.close()
            message = self.turns.begin(self.line, key, answer.model)
        message.tokens = answer.tokens or message.tokens
        message.cleared = answer.cleared or message.cleared
        message.hidden = answer.hidden or message.hidden
        where = replace(message.turn.where, path=self.line.path, line=self.line.number)
        for block in answer.blocks:
            self._block(block, where, message)

    def _block(self, block: Block, where: Location, message: Message) -> None:
        if block.call is not None and block.tool is not None:
            if block.call not in self.calls:
                self.calls[block.call] = block.tool
                message.calls.append(ToolCall(block.call, block.tool, block.arguments, where))
                self.prompt.enter(block.call, self.line.uuid, self.position)
            return
        span = Span(self._id(), block.kind, block.text, where)
        message.reply.append(span)
        self.prompt.enter(span.id, self.line.uuid, self.position)
        self.tools.load(span.id, block.loads)

    def _late(self, answer: Answer) -> None:
        """A line of a message that another has followed: written again, or a call of history."""
        for block in answer.blocks:
            if block.call and block.tool is not None and block.call not in self.calls:
                self.calls[block.call] = block.tool
                where = self.turns.next(self.line)
                self._enter(ToolCall(block.call, block.tool, block.arguments, where).span())

    # -- what enters the prompt -----------------------------------------------------------------

    def _id(self) -> str:
        """A name for the next span of this record."""
        name, n = self.line.uuid, 2
        while name in self.ids:
            name, n = f"{self.line.uuid}:{n}", n + 1
        self.ids.add(name)
        return name

    def _enter(self, span: Span) -> None:
        self.turns.pending.added.append(span)
        self.prompt.enter(span.id, self.line.uuid, self.position)

    def _tell(self, kind: Kind, text: str) -> str:
        """Text enters the prompt; returns the id of its span."""
        span = Span(self._id(), kind, text, self.turns.next(self.line))
        self._enter(span)
        return span.id

    def _said(self, said: Said) -> Iterator[Turn]:
        summary = said.kind is Kind.SUMMARY
        if summary and not self.turns.pending.compacted and self.prompt.resident:
            # Old versions write no boundary before the summary.
            yield from self._compact(Boundary("compact", None))
        if said.human:
            yield from self._prompted()
        for result in said.results:
            self._result(result)
        if said.text:
            self._tell(said.kind, said.text)
        if summary:
            self.turns.pending.unread = False

    def _result(self, result: Result) -> None:
        """A result whose call the log does not hold belongs to no call: nothing rests on it."""
        name = result_id(result.call)
        if name in self.ids:
            return
        self.ids.add(name)
        tool = self.calls.get(result.call)
        if tool is None:
            self.turns.pending.gaps.append(MIDWAY)
        call = result.call if tool is not None else None
        where = self.turns.next(self.line)
        self._enter(Span(name, Kind.RESULT, result.text, where, call, tool, result.failed))
        self.tools.load(name, result.loads)

    # -- what leaves it -------------------------------------------------------------------------

    def _compact(self, boundary: Boundary) -> Iterator[Turn]:
        yield from self.turns.flush()
        kept = self.prompt.spans_of(boundary.kept)
        if boundary.ends:
            kept |= self.prompt.between(*boundary.ends)
        kept = self.prompt.paired(kept) | self.prompt.fixed | self._unanswered()
        gone = tuple(span for span in self.prompt.resident if span not in kept)
        lost = self.tools.compact(gone, boundary.discovered, self.version)
        self.prompt.evict(gone, self.position, lost)
        self.servers.clear()
        self.turns.pending.unread = True
        self._decide(DecisionKind.SPAN_SUMMARIZED, gone, boundary.actor, boundary.reason)
        self._unload(lost, boundary.actor)

    def _unanswered(self) -> set[str]:
        """Calls whose result comes after this record: they are still to be answered."""
        return {
            span
            for span in self.prompt.resident
            if span in self.calls
            and (self.name, span) in self.answered
            and result_id(span) not in self.ids
        }

    def _clear(self, cleared: Cleared) -> Iterator[Turn]:
        yield from self.turns.flush()
        results = dict.fromkeys(result_id(call) for call in cleared.calls)
        emptied = tuple(span for span in results if span in self.prompt.resident)
        lost = self.tools.drop(emptied)
        self.prompt.clear(emptied, self.position, lost)
        stubs = dict.fromkeys(emptied, CLEARED)
        self._decide(DecisionKind.RESULT_CLEARED, emptied, MICRO, cleared.reason, stubs)
        self._unload(lost, MICRO)
        gone = tuple(sorted(self.prompt.spans_of(cleared.attachments) & set(self.prompt.resident)))
        if gone:
            self.prompt.evict(gone, self.position, ())
            self._decide(DecisionKind.SPAN_EVICTED, gone, MICRO)

    def _decide(
        self,
        kind: DecisionKind,
        spans: tuple[str, ...],
        actor: str,
        reason: str | None = None,
        stubs: Mapping[str, str] | None = None,
    ) -> None:
        decision = PruningDecision(
            kind,
            self.turns.next(self.line),
            spans,
            actor=actor,
            reason=reason,
            explicit=True,
            stubs=stubs or {},
        )
        self.turns.pending.decisions.append(decision)

    def _unload(self, tools: tuple[str, ...], actor: str) -> None:
        """Schemas left with the results that had loaded them; the log does not say so itself."""
        if tools:
            decision = PruningDecision(
                DecisionKind.SCHEMA_PRUNED,
                self.turns.next(self.line),
                tools=tools,
                actor=actor,
                reason="the tool search result that had loaded it left the prompt",
            )
            self.turns.pending.decisions.append(decision)

    def _reset(self) -> Iterator[Turn]:
        """The context is emptied, and no pruner is to blame for it."""
        if self.turns.count == 0:
            return
        yield from self.turns.flush()
        pending = self.turns.pending
        pending.withdrawn += self.prompt.empty()
        pending.decisions.clear()
        pending.unread = False
        self.prompted.clear()
        self.servers.clear()

    def _prompted(self) -> Iterator[Turn]:
        """A person's prompt: under a record that had one already, it leaves a branch behind."""
        parent = self.line.parent
        pinned, self.pinned = self.pinned, None
        if parent is None:
            if self.line.root and self.linked and not self.turns.pending.compacted:
                yield from self._reset()
            return
        since = self.prompted.setdefault(parent, self.position)
        place = self.prompt.place(parent)
        if since == self.position and pinned == parent and place is not None:
            since = place + 1
        if since < self.position:
            yield from self.turns.flush()
            rewound = self.prompt.rewind(since)
            self.turns.pending.withdrawn += rewound.withdrawn
            self.turns.pending.restored += rewound.restored
            self.tools.carry(rewound.tools)

    # -- tools ----------------------------------------------------------------------------------

    def _announce(self, announced: Announced) -> None:
        self.waiting = frozenset(announced.pending)
        self._disconnect(announced.removed)
        self.tools.announce(announced.added)
        if announced.text:
            self._tell(Kind.SYSTEM, announced.text)

    def _disconnect(self, names: tuple[str, ...]) -> None:
        if not names:
            return
        self.tools.remove(names)
        server = any(name.startswith("mcp__") for name in names)
        decision = PruningDecision(
            DecisionKind.SCHEMA_PRUNED,
            self.turns.next(self.line),
            tools=tuple(dict.fromkeys(names)),
            actor=SERVER if server else None,
            reason="the server disconnected" if server else "no longer available",
            explicit=True,
            external=True,
        )
        self.turns.pending.decisions.append(decision)

    def _instruct(self, instructions: Instructions) -> None:
        for server in instructions.removed:
            if span := self.servers.pop(server, None):
                self._withdraw(span)
            if server in self.waiting:
                mine = f"mcp__{server}__"
                self._disconnect(tuple(n for n in self.tools.names() if n.startswith(mine)))
        for server, text in instructions.added:
            self.servers[server] = self._tell(Kind.SYSTEM, text)

    def _withdraw(self, span: str) -> None:
        self.prompt.remove(span)
        pending = self.turns.pending
        unseen = [s for s in pending.added if s.id == span]
        if unseen:
            pending.added.remove(unseen[0])
        else:
            pending.withdrawn.append(span)

    def _offer(self, offered: Offered) -> None:
        known = (n for n in self.tools.names() if n not in offered.schemas)
        self._disconnect(tuple(n for n in known if n.startswith(offered.dead)))
        self.tools.offer(offered)
        if offered.system is None:
            return
        for span in self.prompt.fixed:
            self._withdraw(span)
        self.turns.system_known = True
        self.prompt.fixed = {self._tell(Kind.SYSTEM, offered.system)}
