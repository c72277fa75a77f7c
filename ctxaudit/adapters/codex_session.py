"""One Codex session: its records in order, as turns.

A turn is one response of the model. Items are appended to the history; a compaction replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ctxaudit.adapters import openai_responses as responses
from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.codex_history import ABORTED, Held, History, Replacement
from ctxaudit.adapters.codex_lines import Entry
from ctxaudit.adapters.codex_tools import Tools
from ctxaudit.adapters.codex_turns import Turns
from ctxaudit.model import (
    Aspect,
    DecisionKind,
    Extent,
    Gap,
    Kind,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    Turn,
    result_id,
)
from ctxaudit.pieces import Piece

ACTOR = "compaction"
ENCRYPTED = "Codex encrypts compaction summaries: whether an id survived in one is unknown"
ORPHAN = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the log holds results of calls that it does not hold")
REASONING = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the text of the reasoning is not in the log")
BASE = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the base instructions are not in the log")
#: The output of a tool search that names no call answers the last one.
SEARCH = "tool_search_output"
#: Where a header names sessions: its own, and those whose beginning is copied into the file.
NAMES = ("id", "session_id", "forked_from_id", "parent_thread_id")


class Session:
    """The state of one session. ``take`` gives the turns that a record completes, ``end`` the
    rest.
    """

    def __init__(self, name: str, note: Callable[[str], None]) -> None:
        self.note = note
        self.name = name
        self.ids = {name}  # of sessions whose headers may stand in this one
        self.tools = Tools()
        self.turns = Turns(name, self.tools)
        self.history = History()
        self.entry = Entry("", 0, "", {}, None, None)
        self.spans: set[str] = set()
        self.calls: dict[str, tuple[str, str]] = {}  # by the runtime's id: our id, the tool
        self.failed: set[str] = set()  # calls that an event says to have failed
        self.readable = False  # whether a summary could be read
        self.copied = -1  # ordinals before this one are another session's
        self.total: Any = None  # the last token total
        self.headed = False

    def take(self, entry: Entry) -> Iterator[Turn]:
        """One record."""
        self.entry, data = entry, entry.data
        if entry.kind == "response_item":
            yield from self._item(data)
        elif entry.kind == "compacted":
            yield from self._compact(data)
        elif entry.kind == "event_msg":
            yield from self._event(data)
        elif entry.kind == "session_meta":
            self._head(data)
        elif entry.kind == "turn_context":
            model = data.get("model")
            self.turns.model = model if isinstance(model, str) else self.turns.model
        elif entry.kind == "inter_agent_communication":
            self._heard()

    def end(self) -> Iterator[Turn]:
        """The log has no more records of this session."""
        yield from self.turns.end()

    def _head(self, meta: Mapping[str, Any]) -> None:
        self.ids |= {value for key in NAMES if isinstance(value := meta.get(key), str)}
        if self.headed:
            return
        self.headed = True
        if parent := meta.get("forked_from_id") or meta.get("parent_thread_id"):
            self.note(f"the session comes from another one ({parent})")
        start = meta.get("subagent_history_start_ordinal")
        self.copied = start if isinstance(start, int) else -1
        self.tools.announce(self.entry.tools)
        if not meta.get("base_instructions"):
            self.turns.pending.gaps.append(BASE)
        if told := content.text(meta.get("base_instructions") or meta.get("instructions")):
            where = self.turns.next(self.entry)
            span = Span(self._name("instructions"), Kind.SYSTEM, told, where)
            self.turns.pending.added.append(span)

    # -- items ----------------------------------------------------------------------------------

    def _item(self, item: Mapping[str, Any]) -> Iterator[Turn]:
        sort = str(item.get("type") or "message")
        if sort in responses.COMPACTIONS:
            self.turns.pending.unread = self.entry
            return
        answers = sort == "reasoning" or sort.endswith("_call") or item.get("role") == "assistant"
        if answers and not self._copied():
            if sort == "reasoning" and not self.entry.pieces:
                self.turns.pending.gaps.append(REASONING)
            yield from self.turns.answer(self.entry)
            for piece in self.entry.pieces:
                self._answer(piece)
        else:
            self._heard()

    def _heard(self) -> None:
        """Something came that is no answer."""
        if self.entry.pieces:
            self.turns.heard()
        for piece in self.entry.pieces:
            self._enter(piece)

    def _copied(self) -> bool:
        return self.entry.ordinal is not None and self.entry.ordinal < self.copied

    def _answer(self, piece: Piece) -> None:
        response = self.turns.open
        if response is None or piece.kind is Kind.RESULT:
            # What the provider ran itself comes with the answer, and is read in the next prompt.
            self._enter(piece)
        elif piece.kind is Kind.CALL:
            span = self._call(piece)
            where = replace(span.where, turn=response.turn.where.turn)
            response.calls.append(ToolCall(span.id, span.tool or "", span.arguments, where))
        else:
            span = self._span(piece)
            where = replace(span.where, turn=response.turn.where.turn)
            response.reply.append(replace(span, where=where))

    def _enter(self, piece: Piece) -> None:
        """A piece enters the next prompt."""
        if piece.kind is Kind.RESULT:
            self._result(piece)
        elif piece.kind is Kind.CALL:
            self.turns.pending.added.append(self._call(piece))
        elif piece.text:
            span = self._span(piece)
            self.turns.pending.added.append(span)
            self.turns.pending.said |= self._said(span)

    def _said(self, span: Span) -> bool:
        return Held(span.id, span.kind, span.text).said

    def _span(self, piece: Piece, place: int | None = None) -> Span:
        where = self.turns.next(self.entry)
        span = Span(self._name(f"line:{self.entry.line}"), piece.kind, piece.text, where)
        self.history.add(Held(span.id, piece.kind, piece.text), place)
        return span

    def _name(self, base: str) -> str:
        """A span id that is not in use."""
        name, n = base, 2
        while name in self.spans:
            name, n = f"{base}#{n}", n + 1
        self.spans.add(name)
        return name

    def _call(self, piece: Piece, place: int | None = None) -> Span:
        known = piece.call or f"line:{self.entry.line}"
        tool = self.tools.name(piece.tool or "", self.entry.data.get("namespace"))
        name = self._name(known)
        self.calls[known] = (name, tool)
        where = self.turns.next(self.entry)
        call = ToolCall(name, tool, piece.arguments, where)
        self.history.add(Held(name, Kind.CALL, "", known), place)
        return call.span()

    def _result(self, piece: Piece, place: int | None = None) -> None:
        known = piece.call or self._unnamed()
        call, tool = self.calls.get(known, (None, piece.tool))
        if call is None:
            self.turns.pending.gaps.append(ORPHAN)
        elif known not in self.history.calls:
            return  # Codex sends no output whose call has left the history
        failed = piece.failed
        if (
            known in self.failed
            or piece.text == ABORTED
            or _unsuccessful(self.entry.data.get("output"))
        ):
            failed = True
        where = self.turns.next(self.entry)
        name = self._name(result_id(call or known))
        span = Span(name, Kind.RESULT, piece.text, where, call, tool, failed)
        self.history.add(Held(name, Kind.RESULT, piece.text, known), place)
        self.turns.pending.added.append(span)
        self.tools.load(name, self.entry.tools)

    def _unnamed(self) -> str:
        """The call that an output without a call id answers: the last one that has none of its
        own.
        """
        last = next(reversed(self.calls), "")
        return last if last.startswith("line:") or self.entry.data.get("type") == SEARCH else ""

    # -- events ---------------------------------------------------------------------------------

    def _event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        sort = event.get("type")
        if sort == "token_count":
            self._count(event.get("info"))
        elif sort == "thread_rolled_back":
            yield from self._rollback(event.get("num_turns"))
        elif sort == "context_compacted":
            compacted = any(d.actor == ACTOR for d in self.turns.pending.decisions)
            if not compacted and not (self.turns.open and self.turns.open.turn.decisions):
                self.turns.heard()
                self.turns.pending.unread = self.entry
        elif _broken(event) and isinstance(call := event.get("call_id"), str):
            self.failed.add(call)

    def _count(self, info: Any) -> None:
        """The provider's count of the response that just ended; the same is told more than once."""
        if not isinstance(info, dict) or not isinstance(last := info.get("last_token_usage"), dict):
            return
        total, tokens = info.get("total_token_usage"), last.get("input_tokens")
        if (total is not None and total == self.total) or not isinstance(tokens, int) or not tokens:
            return
        self.total = total
        response = self.turns.open
        if response is not None and response.tokens is None:
            response.tokens, response.over = tokens, True
            thought = last.get("reasoning_output_tokens")
            response.reasoning = thought if isinstance(thought, int) else 0

    def _rollback(self, turns: Any) -> Iterator[Turn]:
        yield from self.turns.flush()
        gone = self.history.rollback(turns if isinstance(turns, int) else 1)
        self.tools.forget(gone)
        self.turns.pending.withdrawn += gone

    # -- compaction -----------------------------------------------------------------------------

    def _compact(self, data: Mapping[str, Any]) -> Iterator[Turn]:
        yield from self.turns.flush()
        pending = self.turns.pending
        pending.unread = None
        told = data.get("message")
        told = told if isinstance(told, str) else ""
        if isinstance(data.get("replacement_history"), list):
            done = self.history.replace(self.entry.pieces, told)
        else:
            done = self.history.keep(told)
        self.readable = self.readable or not done.opaque
        if done.opaque:
            extent = Extent.PARTIAL if self.readable else Extent.NONE
            pending.gaps.append(Gap(Aspect.SUMMARIES, extent, ENCRYPTED))
        self._decide(done)
        for place, piece in done.fresh:
            self._place(piece, place)

    def _decide(self, done: Replacement) -> None:
        where, decisions = self.turns.next(self.entry), self.turns.pending.decisions
        if done.stubs:
            decisions.append(
                PruningDecision(
                    DecisionKind.RESULT_CLEARED,
                    where,
                    tuple(done.stubs),
                    actor=ACTOR,
                    explicit=True,
                    stubs=done.stubs,
                )
            )
        decisions.append(
            PruningDecision(
                DecisionKind.SPAN_SUMMARIZED,
                where,
                done.gone,
                actor=ACTOR,
                explicit=True,
                opaque=done.opaque,
            )
        )
        self._unload(self.tools.drop((*done.gone, *done.stubs)), where)

    def _unload(self, tools: tuple[str, ...], where: Location) -> None:
        """Schemas left with the outputs that had brought them; the log does not say so itself."""
        if tools:
            decision = PruningDecision(
                DecisionKind.SCHEMA_PRUNED,
                where,
                tools=tools,
                actor=ACTOR,
                reason="the tool search output that had loaded it left the history",
            )
            self.turns.pending.decisions.append(decision)

    def _place(self, piece: Piece, place: int) -> None:
        """A piece that a compaction put into the history."""
        if piece.kind is Kind.RESULT:
            self._result(piece, place)
        elif piece.kind is Kind.CALL:
            self.turns.pending.added.append(self._call(piece, place))
        elif piece.text:
            self.turns.pending.added.append(self._span(piece, place))


def _unsuccessful(output: Any) -> bool:
    """Old outputs are ``{content, success}``."""
    return isinstance(output, dict) and output.get("success") is False


def _broken(event: Mapping[str, Any]) -> bool:
    """Whether the end of a patch or of an MCP call says that it failed."""
    if event.get("type") == "patch_apply_end":
        return event.get("success") is False
    result = event.get("result") if event.get("type") == "mcp_tool_call_end" else None
    if not isinstance(result, dict):
        return False
    answer = result.get("Ok")
    return "Err" in result or (isinstance(answer, dict) and answer.get("isError") is True)
