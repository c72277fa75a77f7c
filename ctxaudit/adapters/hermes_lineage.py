"""One conversation of Hermes, over the sessions that compressions have cut it into."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.adapters.hermes_files import Message, Segment
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn, dumps

Damaged = Callable[[str, int, Exception], None]
#: How a summary begins that stands for what a compression took out.
PREFIXES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
MARK = "_compressed_summary"
BEFORE = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "the session goes on with another one, which is not part of this log: what was compressed is "
    "unknown",
)
NAMES_ONLY = Gap(Aspect.SCHEMAS, Extent.PARTIAL, "of the tools only the names are stored")


class Lineage:
    """A conversation while it is read. ``before`` are the messages of the session that it has
    branched off, or that has delegated to it."""

    def __init__(self, first: Segment, before: Iterable[Message]) -> None:
        name = f"{first.parent}/{first.name}" if first.parent and first.own else first.name
        self.chat = Chat(name, first.path)
        self.before = {_key(message) for message in before}
        self.copied = False  # some of them are in it, too
        self.known: dict[str, int] = {}  # places of messages by what tells them
        self.told: list[Message] = []
        self.compacted: list[str] = []  # spans that a compression within the session took out

    def read(self, segment: Segment, damaged: Damaged) -> Iterator[Turn]:
        """Read one session: the first, or the one that it goes on in. ``damaged`` is told of the
        messages that cannot be read."""
        talk = self.chat.talk
        talk.path = segment.path
        if segment.tools:
            talk.tools = content.schemas(segment.tools)
            if not any(tool.parameters for tool in talk.tools.values()):
                talk.gap(NAMES_ONLY)
        if not self.told and segment.system:
            talk.says(Kind.SYSTEM, segment.system, segment.line)
        messages = [m for m in segment.messages if _told(m)]
        if self.told:
            messages = self._go_on(messages, segment.line)
        else:
            messages = self._carry(messages, segment.line)
        for message in messages:
            try:
                yield from self._message(message, segment.line)
            except WRONG_SHAPE as error:
                damaged(segment.path, segment.line, error)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        return self.chat.talk.end()

    def _carry(self, messages: list[Message], line: int) -> list[Message]:
        """Enter what was copied from the parent; returns the other messages."""
        count = 0
        while count < len(messages) and _key(messages[count]) in self.before:
            deque(self._message(messages[count], line, Kind.ASSISTANT), maxlen=0)
            count += 1
        self.copied = count > 0
        return messages[count:]

    def _go_on(self, messages: list[Message], line: int) -> list[Message]:
        """Take out what the next session lacks; returns the messages that are new in it."""
        kept: set[int] = set()
        fresh: list[Message] = []
        shortened: dict[str, str] = {}
        for message in messages:
            at = self.known.get(_key(message))
            if at is None or at in kept:
                fresh.append(message)
                continue
            kept.add(at)
            if message.get("role") == "tool" and message.get("content") != self.told[at].get(
                "content"
            ):
                text = content.text(message.get("content"))
                shortened |= dict.fromkeys(self.chat.spans[at], text)
        talk = self.chat.talk
        system = [i for i, span in talk.resident.items() if span.kind is Kind.SYSTEM]
        stay = {span_id for at in kept for span_id in self.chat.spans[at]} | set(system)
        gone = [span_id for span_id in talk.resident if span_id not in stay]
        summed = any(map(_sums_up, fresh))
        kind = DecisionKind.SPAN_SUMMARIZED if summed else DecisionKind.SPAN_EVICTED
        talk.prune(kind, gone, line, actor="compression")
        if shortened:
            talk.prune(
                DecisionKind.RESULT_CLEARED, shortened, line, stubs=shortened, actor="compression"
            )
        return fresh

    def _message(self, message: Message, line: int, carried: Kind | None = None) -> Iterator[Turn]:
        """Read a message; ``carried`` is what an answer is that was given elsewhere."""
        talk, summary = self.chat.talk, _sums_up(message)
        if summary and not talk.count and not self.compacted:
            talk.unrecorded("a compression before the beginning of the log", line)
            talk.gap(BEFORE)
        elif summary and self.compacted:
            talk.prune(DecisionKind.SPAN_SUMMARIZED, self.compacted, line, actor="compression")
            self.compacted = []
        kind = Kind.SUMMARY if summary else None
        if message.get("role") == "assistant":
            kind = kind or carried
        yield from self.chat.take(message, line, kind=kind)
        self.known[_key(message)] = len(self.told)
        self.told.append(message)
        if message.get("compacted"):
            self.compacted += self.chat.spans[-1]


def _told(message: Message) -> bool:
    """Whether a message is part of the conversation, and was not taken back."""
    if message.get("role") not in ("system", "user", "assistant", "tool"):
        return False
    return bool(message.get("active", 1)) or bool(message.get("compacted"))


def _sums_up(message: Message) -> bool:
    if message.get("role") not in ("user", "assistant"):
        return False
    told = content.text(message.get("content"))
    return bool(message.get(MARK)) or told.lstrip().startswith(PREFIXES)


def _key(message: Message) -> str:
    """What tells a message in the next session: its call, its calls, or what it says."""
    role = message.get("role")
    if role == "tool" and message.get("tool_call_id"):
        return f"tool {message['tool_call_id']}"
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        calls = []
    idents = [str(c.get("id")) for c in calls if isinstance(c, dict) and c.get("id")]
    return f"{role} {' '.join(idents) or dumps(message.get('content'))}"
