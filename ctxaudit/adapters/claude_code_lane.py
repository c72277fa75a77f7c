"""One lane of a Claude Code session: its records in the order of time, as turns.

A turn is one API message. What comes before it and after the one before enters its prompt; a
compaction or a clearing in between is its decision.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
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
    Queue,
    Reset,
    Result,
    Said,
)
from ctxaudit.adapters.claude_code_gaps import ATTACHMENTS, MIDWAY, by_version
from ctxaudit.adapters.claude_code_lanes import arrange
from ctxaudit.adapters.claude_code_offers import announce, instruct, offer
from ctxaudit.adapters.claude_code_pruning import clear, compact, reset, rewind
from ctxaudit.adapters.claude_code_shapes import written_by_person
from ctxaudit.adapters.claude_code_state import State
from ctxaudit.adapters.claude_code_turns import Message
from ctxaudit.model import Gap, Kind, Location, Span, ToolCall, Turn, result_id


def turns(lines: Iterable[Line], gaps: Iterable[Gap] = ()) -> Iterator[Turn]:
    """The turns of all lanes, each when its last record is read; every lane has the ``gaps``."""
    arranged = arrange(lines)
    lanes: dict[str, Lane] = {}
    for position, (name, line) in enumerate(arranged.steps, 1):
        lane = lanes.get(name)
        if lane is None:
            lane = lanes[name] = Lane(State(name, arranged.answered, gaps))
        yield from lane.take(line, position)
    for lane in lanes.values():
        yield from lane.end()


class Lane:
    """Reads one lane. ``take`` gives the turns that a record completes, ``end`` the rest."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.queue: deque[str] = deque()  # what the user typed while the model worked
        self.pinned: str | None = None  # the record that the user went back to
        self.linked = False  # records name their parents

    def take(self, line: Line, position: int) -> Iterator[Turn]:
        """One record; positions start with 1."""
        self._link(line)
        self.state.at(line, position)
        match line.event:
            case Answer() as event:
                yield from self._answer(event)
            case Said() as event:
                yield from self._said(event)
            case Boundary() as event:
                yield from compact(self.state, event)
            case Cleared() as event:
                yield from clear(self.state, event)
            case Reset():
                yield from reset(self.state)
            case Queue() as event:
                self._queue(event)
            case Pinned() as event:
                self.pinned = event.leaf
            case Announced() as event:
                announce(self.state, event)
            case Instructions() as event:
                instruct(self.state, event)
            case Offered() as event:
                offer(self.state, event)

    def end(self) -> Iterator[Turn]:
        """The log has no more records of this lane."""
        yield from self.state.turns.end()

    def _link(self, line: Line) -> None:
        state, gaps = self.state, self.state.turns.pending.gaps
        self.linked = self.linked or bool(line.parent and state.prompt.place(line.parent))
        if state.position == 0 and line.parent and not (line.agent or line.side):
            gaps.append(MIDWAY)
        if line.version and line.version != state.version:
            state.version = line.version
            gaps += by_version(line.version)

    # -- answers --------------------------------------------------------------------------------

    def _answer(self, answer: Answer) -> Iterator[Turn]:
        turns, line = self.state.turns, self.state.line
        key = answer.message or line.uuid or f"{line.path}:{line.number}"
        message = turns.open
        if message is None or message.key != key:
            if key in turns.done:
                self._late(answer)
                return
            yield from turns.close()
            message = turns.begin(line, key, answer.model)
        message.tokens = answer.tokens or message.tokens
        message.cleared = answer.cleared or message.cleared
        message.hidden = answer.hidden or message.hidden
        where = replace(message.turn.where, path=line.path, line=line.number)
        for block in answer.blocks:
            self._block(block, where, message)

    def _block(self, block: Block, where: Location, message: Message) -> None:
        state = self.state
        if block.call is not None and block.tool is not None:
            if block.call not in state.calls:
                state.calls[block.call] = block.tool
                message.calls.append(ToolCall(block.call, block.tool, block.arguments, where))
                state.replied(block.call)
            return
        span = Span(state.fresh_id(), block.kind, block.text, where)
        message.reply.append(span)
        state.replied(span.id)
        state.tools.load(span.id, block.loads)

    def _late(self, answer: Answer) -> None:
        """A line of a message that another has followed: written again, or a call of history."""
        state = self.state
        for block in answer.blocks:
            if block.call and block.tool is not None and block.call not in state.calls:
                state.calls[block.call] = block.tool
                where = state.turns.next(state.line)
                state.enter(ToolCall(block.call, block.tool, block.arguments, where).span())

    # -- what enters the prompt -----------------------------------------------------------------

    def _said(self, said: Said) -> Iterator[Turn]:
        state = self.state
        summary = said.kind is Kind.SUMMARY
        if summary and not state.turns.pending.compacted and state.prompt.resident:
            # Old versions write no boundary before the summary.
            yield from compact(state, Boundary("compact", None))
        if said.human:
            yield from self._prompted()
        for result in said.results:
            self._result(result)
        if said.text:
            state.tell(said.kind, said.text)
        if summary:
            state.turns.pending.unread = False

    def _result(self, result: Result) -> None:
        """A result whose call the log does not hold belongs to no call: nothing rests on it."""
        state, name = self.state, result_id(result.call)
        if name in state.ids:
            return
        state.ids.add(name)
        tool = state.calls.get(result.call)
        if tool is None:
            state.turns.pending.gaps.append(MIDWAY)
        call = result.call if tool is not None else None
        where = state.turns.next(state.line)
        state.enter(Span(name, Kind.RESULT, result.text, where, call, tool, result.failed))
        state.tools.load(name, result.loads)

    def _queue(self, queue: Queue) -> None:
        """What is sent at once has a record of its own only since attachments are logged."""
        if queue.operation == "enqueue":
            self.queue.append(queue.text)
        elif queue.operation == "popAll":
            self.queue.clear()
        elif self.queue:
            text, version = self.queue.popleft(), self.state.version
            if queue.operation == "remove" and text and version and version < ATTACHMENTS:
                person = written_by_person(text, None)
                self.state.tell(Kind.USER if person else Kind.SYSTEM, text)

    def _prompted(self) -> Iterator[Turn]:
        """A person's prompt: under a record that had one already, it leaves a branch behind."""
        state, line = self.state, self.state.line
        pinned, self.pinned = self.pinned, None
        if line.parent is None:
            if line.root and self.linked and not state.turns.pending.compacted:
                yield from reset(state)
            return
        since = state.prompted.setdefault(line.parent, state.position)
        place = state.prompt.place(line.parent)
        if since == state.position and pinned == line.parent and place is not None:
            since = place + 1
        if since < state.position:
            yield from rewind(state, since)
