"""Turns of a session whose log states what was pruned: messages in, turns out.

An adapter says what came into the prompt, what the model answered and what was taken away, in the
order of the log; here a turn is made of each answer, and every span gets an id of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

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
    ToolSchema,
    Turn,
    result_id,
)

#: The prompt's tokens have fallen by so much that something was pruned which no record tells of.
FALL, LARGE = 0.6, 20_000
UNTOLD = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "the prompt's tokens fell with no record of what was pruned: what it still held is unknown",
)


class Conversation:
    """One session. ``tools`` are what is known of the offered ones, None if nothing is."""

    def __init__(self, name: str, path: str, gaps: Iterable[Gap] = ()) -> None:
        self.name, self.path = name, path
        self.count = 0
        self.resident: dict[str, Span] = {}  # in the prompt, in order
        self._arrived: list[str] = []  # the spans that ever came, in order
        self.tools: dict[str, ToolSchema] | None = None
        self.complete = True
        self._gaps = list(gaps)
        self._added: list[Span] = []
        self._decisions: list[PruningDecision] = []
        self._withdrawn: list[str] = []
        self._ids: dict[str, str] = {}  # span ids of calls by the runtime's own, the last one
        self._times: Counter[str] = Counter()
        self._tools: dict[str, str] = {}
        self._tokens = 0
        self._last: Location | None = None

    def _where(self, line: int, turn: int | None = None) -> Location:
        return Location(self.path, line, self.name, self.count + 1 if turn is None else turn)

    def _unique(self, base: str) -> str:
        self._times[base] += 1
        times = self._times[base]
        return base if times == 1 else f"{base}#{times}"

    def mark(self) -> int:
        """A point in the session, for ``since``."""
        return len(self._arrived)

    def since(self, mark: int) -> list[str]:
        """The ids of what has come since a mark and is still there, in order."""
        return [span_id for span_id in self._arrived[mark:] if span_id in self.resident]

    def paired(self, spans: Iterable[str]) -> list[str]:
        """Spans with the results of the calls among them, and the calls of the results: some
        runtimes send neither without the other."""
        gone = dict.fromkeys(spans)
        for span in self.resident.values():
            if span.kind is Kind.RESULT and (span.id in gone or span.call in gone):
                gone |= dict.fromkeys((span.call or span.id, span.id))
        return list(gone)

    # -- what comes into the prompt -------------------------------------------------------------

    def says(self, kind: Kind, text: str, line: int, name: str | None = None) -> str | None:
        """A message, if it says anything; returns its span's id."""
        if not text:
            return None
        span = Span(self._unique(name or f"line:{line}"), kind, text, self._where(line))
        self._add(span)
        return span.id

    def result(self, call: str, text: str, line: int, failed: bool | None = None) -> str:
        """The result of the last call of that id; returns its span's id."""
        own = self._ids.get(call, call)
        span = Span(
            self._unique(result_id(own)),
            Kind.RESULT,
            text,
            self._where(line),
            own,
            self._tools.get(own),
            failed,
        )
        self._add(span)
        return span.id

    def carried(self, call: str, tool: str, arguments: Any, line: int) -> str:
        """A call that comes with a history that was had elsewhere; returns its span's id."""
        made = self._call(call, tool, arguments, self._where(line))
        self._add(made.span())
        return made.id

    def _add(self, span: Span) -> None:
        self._added.append(span)
        self._keep(span)

    def _keep(self, span: Span) -> None:
        self.resident[span.id] = span
        self._arrived.append(span.id)

    # -- what is taken away ---------------------------------------------------------------------

    def prune(
        self,
        kind: DecisionKind,
        spans: Iterable[str],
        line: int,
        *,
        stubs: dict[str, str] | None = None,
        actor: str | None = None,
        reason: str | None = None,
        opaque: bool = False,
        explicit: bool = True,
    ) -> None:
        """A decision that the log states, or that two of its states differ by (then it is not
        ``explicit``); what never was in a prompt is no part of it."""
        told = [span_id for span_id in dict.fromkeys(spans) if span_id in self.resident]
        added = {span.id for span in self._added}
        unseen = [span_id for span_id in told if span_id in added]
        if stubs:  # what the model never saw in full it sees as it is now
            self._shorten({i: text for i, text in stubs.items() if i in unseen})
        else:
            self._added = [span for span in self._added if span.id not in unseen]
        for span_id in told:
            if not stubs or span_id not in stubs:
                del self.resident[span_id]
        seen = tuple(span_id for span_id in told if span_id not in unseen)
        if not seen:
            return
        decision = PruningDecision(
            kind,
            self._where(line),
            spans=seen,
            order=len(self._decisions),
            actor=actor,
            reason=reason,
            explicit=explicit,
            opaque=opaque,
            stubs={i: text for i, text in (stubs or {}).items() if i in seen},
        )
        self._decisions.append(decision)

    def unrecorded(self, reason: str, line: int) -> None:
        """Something was taken away, and the log does not tell what."""
        decision = PruningDecision(
            DecisionKind.UNRECORDED,
            self._where(line),
            order=len(self._decisions),
            reason=reason,
            explicit=True,
            exact=False,
            opaque=True,
        )
        self._decisions.append(decision)

    def _shorten(self, texts: dict[str, str]) -> None:
        self._added = [
            replace(span, text=texts[span.id]) if span.id in texts else span for span in self._added
        ]
        self.resident |= {span.id: span for span in self._added if span.id in texts}

    def rewind(self, spans: Iterable[str]) -> None:
        """Spans that left because somebody went back: no pruner is to blame."""
        gone = [span_id for span_id in spans if span_id in self.resident]
        added = {span.id for span in self._added}
        self._added = [span for span in self._added if span.id not in gone]
        for span_id in gone:
            del self.resident[span_id]
        self._withdrawn += [span_id for span_id in gone if span_id not in added]

    # -- what the model answers -----------------------------------------------------------------

    def answer(
        self,
        line: int,
        *,
        text: str = "",
        reasoning: str = "",
        calls: Iterable[tuple[str, str, Any]] = (),
        tokens: int | None = None,
        error: str | None = None,
        name: str | None = None,
    ) -> Turn:
        """A model call with its answer; ``calls`` are (id, tool, arguments)."""
        where = self._where(line)
        self.count += 1
        if tokens is not None:
            self._fallen(tokens, where)
        told = ((Kind.REASONING, reasoning), (Kind.ASSISTANT, text))
        base = name or f"line:{line}"
        reply = [Span(self._unique(base), kind, said, where) for kind, said in told if said]
        made = [self._call(call, tool, arguments, where) for call, tool, arguments in calls]
        turn = Turn(
            where,
            decisions=tuple(self._decisions),
            added=tuple(self._added),
            tools=self.tools,
            reply=tuple(reply),
            calls=tuple(made),
            complete=self.complete,
            error=error,
            prompt_tokens=tokens,
            gaps=tuple(self._gaps),
            withdrawn=tuple(self._withdrawn),
        )
        self._added, self._decisions, self._withdrawn, self._gaps = [], [], [], []
        for span in (*reply, *(call.span() for call in made)):
            self._keep(span)
        self._last = where
        return turn

    def _call(self, call: str, tool: str, arguments: Any, where: Location) -> ToolCall:
        own = self._unique(call or f"call:{where.line}")
        self._ids[call] = own
        self._tools[own] = tool
        return ToolCall(own, tool, arguments, where)

    def _fallen(self, tokens: int, where: Location) -> None:
        fallen = self._tokens > LARGE and tokens < FALL * self._tokens
        if fallen and not self._decisions and not self._withdrawn and tokens:
            decision = PruningDecision(
                DecisionKind.UNRECORDED, where, exact=False, opaque=True, reason="tokens fell"
            )
            self._decisions.append(decision)
            self._gaps.append(UNTOLD)
        self._tokens = tokens or self._tokens

    def gap(self, gap: Gap) -> None:
        """Something that the log does not show; told with the next turn."""
        self._gaps.append(gap)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        if self._last is not None and (self._added or self._decisions):
            where = self._last
            yield Turn(
                where,
                decisions=tuple(replace(d, where=where) for d in self._decisions),
                added=tuple(self._added),
                final=True,
                gaps=tuple(self._gaps),
                withdrawn=tuple(self._withdrawn),
            )
