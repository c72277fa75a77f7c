"""One task of Cline or Roo Code: its messages, and when which of them were taken out.

The history holds what was said in order; what was pruned is marked in it, but not when. That is
told by what was shown to the user (``ui_messages.json``), which also counts tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from ctxaudit.adapters.cline_messages import Message, Talk, text_of
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn

BASE = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the system prompt is not part of a task's files")
WHEN = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "when messages were taken out is told by ui_messages.json, which is missing or does not say",
)
REMOVED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "messages that were condensed are no longer in the history: what they said is unknown",
)
#: Edits that no history of messages shows: the task's context_history.json.
EDIT = "context editing"


@dataclass(slots=True)
class Task:
    """The files of a task, as lists and objects; ``shown`` is what the user saw."""

    name: str
    path: str
    line: int = 1
    history: list[Message] = field(default_factory=list)
    shown: list[Message] = field(default_factory=list)
    edits: list[Any] = field(default_factory=list)
    item: Message = field(default_factory=dict)

    def turns(self) -> Iterator[Turn]:
        """The turns of the task."""
        replay = Replay(self)
        yield from replay.turns()


class Replay:
    """A task while it is replayed: before which answers what was done."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.read = Talk(task.name, task.path)
        self.read.talk.gap(BASE)
        self.history = task.history
        self.answers = [
            n for n, m in enumerate(self.history) if m.get("role") == "assistant" and not _aside(m)
        ]
        self.due: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self.requests = _requests(task.shown)
        self.summaries: list[str] = []  # spans of summaries that are in the prompt

    def turns(self) -> Iterator[Turn]:
        """All turns, and what was done before each."""
        self._plan()
        for at, message in enumerate(self.history):
            if _aside(message):
                continue
            for act in self.due[at]:
                act()
            after = self.history[at + 1] if at + 1 < len(self.history) else None
            tokens = self._tokens(message) if message.get("role") == "assistant" else None
            yield from self.read.take(at, message, after, self.task.line, tokens)
        for act in self.due[len(self.history)]:
            act()
        yield from self.read.talk.end()

    def _tokens(self, message: Message) -> int | None:
        """The tokens of the prompt: of the last request that began before the answer."""
        moment = message.get("ts")
        if not isinstance(moment, (int, float)):
            return None
        at = bisect_left(self.requests, (moment,)) - 1
        return self.requests[at][1] if at >= 0 else None

    # -- what was done, and when ----------------------------------------------------------------

    def _plan(self) -> None:
        told = [m for m in self.task.shown if isinstance(m.get("contextCondense"), dict)]
        for at, message in enumerate(self.history):
            if message.get("isSummary"):
                self._condensed(at, message, told)
            elif message.get("isTruncationMarker"):
                self._truncated(at, message)
        self._hidden()
        self._edited()

    def _condensed(self, at: int, message: Message, told: list[Message]) -> None:
        ident, text = message.get("condenseId"), text_of(message)
        moment = next(
            (
                m.get("ts")
                for m in told
                if (ident and m["contextCondense"].get("condenseId") == ident)
                or m["contextCondense"].get("summary") == text
            ),
            None,
        )
        if moment is None:
            moment = self._own_moment(at)
        earlier = range(at) if ident else ()

        def act() -> None:
            gone = [span_id for n in earlier for span_id in self.read.spans.get(n, ())]
            self._summarise([*self.summaries, *gone], text, known=bool(ident))

        self._put(moment, act)

    def _own_moment(self, at: int) -> float | None:
        """When a summary was made by its own time: it is made up where messages were kept."""
        own = self.history[at].get("ts")
        after = self.history[at + 1].get("ts") if at + 1 < len(self.history) else None
        if not isinstance(own, (int, float)):
            return None
        return own if not isinstance(after, (int, float)) or after - own > 1 else None

    def _summarise(self, gone: list[str], text: str, *, known: bool) -> None:
        talk, line = self.read.talk, self.task.line
        if known:
            self.read.prune(DecisionKind.SPAN_SUMMARIZED, gone, line, "condensing")
        else:
            talk.unrecorded("condensed messages were removed from the history", line)
            talk.gap(REMOVED)
        span = talk.says(Kind.SUMMARY, text, line)
        self.summaries = [span] if span else []

    def _truncated(self, at: int, message: Message) -> None:
        ident, text = message.get("truncationId"), text_of(message)
        moment = next(
            (
                m.get("ts")
                for m in self.task.shown
                if m.get("say") == "sliding_window_truncation" and _truncation(m) in (ident, None)
            ),
            None,
        )
        hidden = [n for n, m in enumerate(self.history) if m.get("truncationParent") == ident]

        def act() -> None:
            gone = [span_id for n in hidden for span_id in self.read.spans.get(n, ())]
            self._evict(gone)
            self.read.talk.says(Kind.USER, text, self.task.line)

        self._put(moment, act)

    def _evict(self, gone: list[str]) -> None:
        self.read.prune(DecisionKind.SPAN_EVICTED, gone, self.task.line, "truncation")

    def _hidden(self) -> None:
        """Ranges of the history that Cline leaves out of its prompts."""
        seen: tuple[int, int] | None = None
        for message in self.task.shown:
            found = _range(message)
            if found is not None and found != seen:
                seen = found
                index = message.get("conversationHistoryIndex")
                self._hide(found, index if isinstance(index, int) else None, message.get("ts"))
        last = _range(self.task.item)
        if last is not None and last != seen:
            self._hide(last, None, None)

    def _hide(self, hidden: tuple[int, int], index: int | None, moment: Any) -> None:
        first, last = hidden

        def act() -> None:
            spans = self.read.spans
            self._evict([s for n in range(first, last + 1) for s in spans.get(n, ())])

        if index is not None:
            self.due[self._answer_after(index)].append(act)
        else:
            self._put(moment, act)

    def _edited(self) -> None:
        """Blocks whose text Cline replaces in its prompts from some moment on."""
        for at, inner in _entries(self.task.edits):
            for place, changes in _entries(inner[1] if len(inner) > 1 else None):
                for change in changes:
                    moment, texts = change[0], change[2]
                    told = texts[0] if isinstance(texts, list) and texts else ""
                    self._edit(at, place, moment, str(told))

    def _edit(self, at: int, place: int, moment: Any, told: str) -> None:
        def act() -> None:
            talk = self.read.talk
            spans = [s for s in self.read.blocks.get((at, place), ()) if s in talk.resident]
            stubs = dict.fromkeys(spans, told)
            kind = DecisionKind.RESULT_CLEARED
            if any(talk.resident[s].kind is not Kind.RESULT for s in spans):
                kind = DecisionKind.SPAN_EVICTED
            talk.prune(kind, spans, self.task.line, stubs=stubs, actor=EDIT)

        self._put(moment, act)

    def _put(self, moment: Any, act: Callable[[], None]) -> None:
        """Do something before the first answer after a moment; at the end if that is unknown."""
        at = self._answer_since(moment) if isinstance(moment, (int, float)) else None
        if at is None:
            self.read.talk.gap(WHEN)
            at = len(self.history)
        self.due[at].append(act)

    def _answer_since(self, moment: float) -> int | None:
        times = [self.history[n].get("ts") for n in self.answers]
        if not all(isinstance(time, (int, float)) for time in times):
            return self._answer_by_shown(moment)
        return next(
            (n for n, time in zip(self.answers, times, strict=True) if time > moment),  # type: ignore[operator]
            len(self.history),
        )

    def _answer_by_shown(self, moment: float) -> int | None:
        """The first answer after a moment in a history without times."""
        indexes = [
            m["conversationHistoryIndex"]
            for m in self.task.shown
            if isinstance(m.get("conversationHistoryIndex"), int)
            and isinstance(m.get("ts"), (int, float))
            and m["ts"] <= moment
        ]
        return self._answer_after(max(indexes)) if indexes else None

    def _answer_after(self, index: int) -> int:
        at = bisect_left(self.answers, index + 1)
        return self.answers[at] if at < len(self.answers) else len(self.history)


def _aside(message: Message) -> bool:
    """Whether a message stands for what was done: it is read when that is done."""
    return bool(message.get("isSummary") or message.get("isTruncationMarker"))


def _truncation(message: Message) -> Any:
    told = message.get("contextTruncation")
    return told.get("truncationId") if isinstance(told, dict) else None


def _range(message: Message) -> tuple[int, int] | None:
    told = message.get("conversationHistoryDeletedRange")
    if not isinstance(told, list) or len(told) != 2:
        return None
    first, last = told
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None


def _entries(pairs: Any) -> Iterator[tuple[int, Any]]:
    """The entries of a map that is written as pairs."""
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int):
            yield pair[0], pair[1]


def _requests(shown: list[Message]) -> list[tuple[float, int]]:
    """Start and prompt tokens of the requests that tell them, by their start."""
    found = []
    for message in shown:
        moment, text = message.get("ts"), message.get("text")
        if message.get("say") != "api_req_started" or not isinstance(moment, (int, float)):
            continue
        try:
            told = orjson.loads(str(text))
        except orjson.JSONDecodeError:
            continue
        if isinstance(told, dict) and isinstance(told.get("tokensIn"), int):
            found.append((float(moment), _prompt_tokens(told)))
    return sorted(found)


def _prompt_tokens(told: Message) -> int:
    """Of a provider that counts what it had cached apart, all of it together."""
    cached = [told.get(key) for key in ("cacheWrites", "cacheReads")]
    own: int = told["tokensIn"]
    if told.get("apiProtocol") == "openai":
        return own
    return own + sum(count for count in cached if isinstance(count, int))
