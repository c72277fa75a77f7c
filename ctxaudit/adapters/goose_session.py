"""One session of Goose: its messages as they stand at the end, replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn

Message = dict[str, Any]
BASE = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the system prompt is not part of a session")
#: Parts that only the user sees.
HIDDEN = frozenset({"systemNotification", "toolConfirmationRequest", "actionRequired"})


@dataclass(slots=True)
class Session:
    """The messages of a session with their lines."""

    name: str
    path: str
    line: int = 1
    messages: list[tuple[int, Message]] = field(default_factory=list)

    def add(self, line: int, message: Message) -> None:
        """Add a message: they come in their order."""
        self.messages.append((line, message))

    def turns(self) -> Iterator[Turn]:
        """The turns of the session."""
        replay = Replay(self)
        for at, (line, message) in enumerate(self.messages):
            self.line = line
            after = self.messages[at + 1][1] if at + 1 < len(self.messages) else None
            yield from replay.take(line, message, after)
        yield from replay.end()


class Replay:
    """A session while it is replayed."""

    def __init__(self, session: Session) -> None:
        self.talk = Conversation(session.name, session.path, (BASE,))
        self.leaving: list[str] = []  # spans that the agent does not see at the end
        self.answer: list[tuple[int, Message]] = []  # parts of an answer that may have others
        self.spans: dict[str, str] = {}

    def take(self, line: int, message: Message, after: Message | None) -> Iterator[Turn]:
        """Read a message; ``after`` is the one behind it."""
        seen = _visible(message, "agentVisible")
        alone = not _visible(message, "userVisible")
        assistant = message.get("role") == "assistant"
        if self.answer and not (assistant and _same(self.answer[-1][1], message)):
            yield from self._answered()
        if assistant and not alone:
            self.answer.append((line, message))
            return
        mark = self.talk.mark()
        if alone and not assistant and not _replaced(message, after):
            self._summarise(message, line)
        elif assistant:
            self.talk.says(Kind.ASSISTANT, _text(message), line)
        else:
            self._enter(message, line)
        if not seen:
            self.leaving += self.talk.since(mark)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        yield from self._answered()
        yield from self.talk.end()

    def _answered(self) -> Iterator[Turn]:
        """The answer that the last messages are."""
        parts, self.answer = self.answer, []
        if not parts:
            return
        mark, line = self.talk.mark(), parts[0][0]
        told = [part for _, message in parts for part in _parts(message)]
        turn = self.talk.answer(
            line,
            text="\n".join(filter(None, (_text(message) for _, message in parts))),
            reasoning="\n".join(filter(None, map(_thought, told))),
            calls=[call for part in told if (call := _call(part)) is not None],
        )
        if not all(_visible(message, "agentVisible") for _, message in parts):
            self.leaving += self.talk.since(mark)
        yield turn

    def _enter(self, message: Message, line: int) -> None:
        for part in _parts(message):
            if part.get("type") == "toolResponse":
                text, failed = _outcome(part.get("toolResult"))
                self.talk.result(str(part.get("id") or ""), text, line, failed)
            elif part.get("type") not in HIDDEN:
                self.talk.says(Kind.USER, content.text([part]), line)

    def _summarise(self, message: Message, line: int) -> None:
        gone, self.leaving = self.leaving, []
        self.talk.prune(DecisionKind.SPAN_SUMMARIZED, gone, line, actor="compaction")
        self.talk.says(Kind.SUMMARY, _text(message), line)


def _visible(message: Message, to: str) -> bool:
    metadata = message.get("metadata")
    return not isinstance(metadata, dict) or metadata.get(to) is not False


def _replaced(message: Message, after: Message | None) -> bool:
    """Whether nobody sees a message because a copy of it follows the summary behind it."""
    if _visible(message, "agentVisible") or after is None:
        return False
    return after.get("role") == "user" and not _visible(after, "userVisible")


def _same(one: Message, other: Message) -> bool:
    return one.get("id") is not None and one.get("id") == other.get("id")


def _parts(message: Message) -> list[Message]:
    if not all(isinstance(part, dict) for part in message["content"]):
        raise TypeError("a part of a message is no object")
    return list(message["content"])


def _text(message: Message) -> str:
    texts = [part.get("text") for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _thought(part: Message) -> str:
    if part.get("type") not in ("thinking", "reasoning"):
        return ""
    told = part.get("thinking") or part.get("text") or part.get("content")
    return told if isinstance(told, str) else ""


def _call(part: Message) -> tuple[str, str, Any] | None:
    if part.get("type") not in ("toolRequest", "frontendToolRequest"):
        return None
    told = part.get("toolCall")
    value = told.get("value", told) if isinstance(told, dict) else None
    inner = value if isinstance(value, dict) else {}
    return str(part.get("id") or ""), str(inner.get("name") or ""), inner.get("arguments")


def _outcome(told: Any) -> tuple[str, bool | None]:
    """Text and failure of a result."""
    if not isinstance(told, dict):
        return content.text(told), None
    if told.get("status") == "error":
        return content.text(told.get("error")), True
    value = told.get("value", told)
    if isinstance(value, dict):
        failed = True if value.get("isError") is True else None
        return content.text(value.get("content")), failed
    return content.text(value), None
