"""One session of ADK: events in, turns out; agents on a branch have prompts of their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ctxaudit.adapters import gemini_contents
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn
from ctxaudit.patterns import regex
from ctxaudit.pieces import Piece, sound

Event = dict[str, Any]
BASE = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "the instructions of the agents are not part of a session, and plugins may filter its events",
)
UNREAD = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "this database packs the events' actions: what was compacted is unknown (export the session)",
)
_HUMP = regex(r"(?<=[a-z])(?=[A-Z])")


def field(data: Any, name: str) -> Any:
    """A field by its name in camel case, or with underscores; None if it has neither."""
    if not isinstance(data, dict):
        return None
    value = data.get(name)
    return data.get(_HUMP.sub("_", name).lower()) if value is None else value


class Branch:
    """What the agents on one branch see."""

    def __init__(self, name: str, path: str) -> None:
        self.talk = Conversation(name, path, (BASE,))
        self.spans: list[tuple[str, float, list[str]]] = []  # invocation, time, spans of events
        self.open: dict[str, list[str]] = {}  # calls without an id, by their tool
        self.count = 0

    def begin(self, parent: Branch, line: int) -> None:
        """See what stands before the branch."""
        for invocation, moment, spans in parent.spans:
            mark = self.talk.mark()
            for span in (parent.talk.resident[s] for s in spans if s in parent.talk.resident):
                if span.kind is Kind.RESULT:
                    self.talk.result(span.call or "", span.text, line, span.failed)
                elif span.kind is Kind.CALL:
                    self.talk.carried(span.id, span.tool or "", span.arguments, line)
                else:
                    self.talk.says(span.kind, span.text, line)
            self.spans.append((invocation, moment, self.talk.since(mark)))


class Session:
    """A session while it is read."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path
        self.branches: dict[str, Branch] = {"": Branch(name, path)}
        self.unread = False  # actions of events could not be read

    def take(self, event: Event, line: int) -> Iterator[Turn]:
        """Read one event."""
        if event.get("partial"):
            return  # it comes whole later
        branch = self._branch(str(field(event, "branch") or ""), line)
        actions = field(event, "actions")
        if event.get("unread") and not self.unread:
            self.unread = True
            branch.talk.gap(UNREAD)
        invocation = str(field(event, "invocationId") or "")
        if back := field(actions, "rewindBeforeInvocationId"):
            for other in self.branches.values():
                _rewind(other, str(back))
        elif isinstance(compaction := field(actions, "compaction"), dict):
            for other in self.branches.values():
                _compact(other, compaction, line)
        else:
            mark = branch.talk.mark()
            yield from self._event(branch, event, line)
            branch.spans.append((invocation, _moment(event), branch.talk.since(mark)))

    def end(self) -> Iterator[Turn]:
        """What came after the last answers."""
        for branch in self.branches.values():
            yield from branch.talk.end()

    def _branch(self, name: str, line: int) -> Branch:
        if name not in self.branches:
            above = [other for other in self.branches if not other or name.startswith(f"{other}.")]
            made = Branch(f"{self.name}/{name}", self.path)
            made.begin(self.branches[max(above, key=len)], line)
            self.branches[name] = made
        return self.branches[name]

    def _event(self, branch: Branch, event: Event, line: int) -> Iterator[Turn]:
        talk, told = branch.talk, event.get("content")
        found = sound(gemini_contents.pieces(told)) if isinstance(told, dict) else []
        error = field(event, "errorMessage") or field(event, "errorCode")
        results = [piece for piece in found if piece.kind is Kind.RESULT]
        for piece in results:
            call = piece.call or next(iter(branch.open.get(piece.tool or "", ())), "")
            branch.open[piece.tool or ""] = branch.open.get(piece.tool or "", [])[1:]
            talk.result(call, piece.text, line, piece.failed)
        others = [piece for piece in found if piece.kind is not Kind.RESULT]
        if event.get("author") == "user":
            for piece in others:
                talk.says(Kind.USER, piece.text, line)
        elif others or (error and not results):
            yield self._answer(branch, event, others, line, str(error) if error else None)

    def _answer(
        self, branch: Branch, event: Event, found: list[Piece], line: int, error: str | None
    ) -> Turn:
        calls = []
        for piece in (p for p in found if p.kind is Kind.CALL):
            branch.count += 1
            name = piece.call or f"call:{branch.count}"
            if not piece.call:
                branch.open.setdefault(piece.tool or "", []).append(name)
            calls.append((name, piece.tool or "", piece.arguments))
        usage = field(event, "usageMetadata")
        tokens = field(usage, "promptTokenCount")
        return branch.talk.answer(
            line,
            text="\n".join(p.text for p in found if p.kind not in (Kind.CALL, Kind.REASONING)),
            reasoning="\n".join(p.text for p in found if p.kind is Kind.REASONING),
            calls=calls,
            tokens=tokens if isinstance(tokens, int) and tokens else None,
            error=error,
            name=f"event:{event['id']}" if event.get("id") else None,
        )


def _rewind(branch: Branch, invocation: str) -> None:
    """Take back an invocation and all after it."""
    at = next((n for n, (name, _, _) in enumerate(branch.spans) if name == invocation), None)
    if at is not None:
        branch.talk.rewind(span_id for _, _, spans in branch.spans[at:] for span_id in spans)
        branch.spans = branch.spans[:at]


def _compact(branch: Branch, compaction: Event, line: int) -> None:
    """Put a summary in the place of the events of a time. It stands there for good."""
    first, last = field(compaction, "startTimestamp"), field(compaction, "endTimestamp")
    if not isinstance(first, (int, float)) or not isinstance(last, (int, float)):
        raise TypeError("a compaction tells no times")
    gone = [s for _, moment, spans in branch.spans if first <= moment <= last for s in spans]
    told = field(compaction, "compactedContent")
    text = "\n".join(piece.text for piece in gemini_contents.pieces(told)) if told else ""
    kind = DecisionKind.SPAN_SUMMARIZED if text else DecisionKind.SPAN_EVICTED
    if any(span_id in branch.talk.resident for span_id in gone):
        branch.talk.prune(kind, gone, line, actor="compaction")
        branch.talk.says(Kind.SUMMARY, text, line)


def _moment(event: Event) -> float:
    """When an event happened, in seconds since 1970; it may be a text in the database."""
    told = event.get("timestamp")
    if isinstance(told, (int, float)):
        return float(told)
    try:
        return datetime.fromisoformat(str(told)).timestamp()
    except ValueError:
        return 0.0
