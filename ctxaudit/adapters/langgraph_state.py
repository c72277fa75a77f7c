"""One thread of LangGraph: its messages, and what is taken out of them.

Messages are known by their ids. One with a known id takes the place of the other; a message of type
``remove`` takes one out, or all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ctxaudit.adapters import langchain
from ctxaudit.adapters.stated import Conversation
from ctxaudit.knowledge.summaries import is_summary
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn, dumps

Message = dict[str, Any]
REQUESTS = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "what middleware takes out of a single request, tools among it, never reaches the state",
)
ALL = "__remove_all__"
#: What a summary is marked with by the middleware that makes it.
SUMMARISED = "summarization"


class Thread:
    """A thread while it is read. ``answered`` are the ids of answers of all threads of a log."""

    def __init__(self, name: str, path: str, answered: set[str]) -> None:
        self.talk = Conversation(name, path, (REQUESTS,))
        self.answered = answered
        self.own: set[str] = set()
        self.spans: dict[str, list[str]] = {}  # of the messages that are there, in order
        self.messages: dict[str, Message] = {}
        self.carried = False

    # -- what a record says ---------------------------------------------------------------------

    def state(self, listed: list[Any], line: int) -> Iterator[Turn]:
        """The whole state: what it lacks of the last one has been taken out."""
        messages = keyed(listed)
        gone = [key for key in self.spans if key not in messages]
        yield from self._go_on(gone, messages, line, explicit=False)

    def update(self, listed: list[Any], line: int) -> Iterator[Turn]:
        """Messages that are added, replaced and removed."""
        gone: dict[str, None] = {}
        fresh: dict[str, Message] = {}
        for key, message in keyed(listed).items():
            if langchain.plain(message)["type"] != "remove":
                fresh[key] = message
            elif key.partition("#")[0] == ALL:
                gone, fresh = dict.fromkeys(self.spans), {}
            else:
                gone[key] = None
        left = [key for key in gone if key not in fresh]
        yield from self._go_on(left, fresh, line, explicit=True)

    def _go_on(
        self, gone: list[str], fresh: dict[str, Message], line: int, *, explicit: bool
    ) -> Iterator[Turn]:
        new = [message for key, message in fresh.items() if key not in self.spans]
        spans = [span_id for key in gone for span_id in self.spans.pop(key, ())]
        summed = any(_sums_up(message) for message in new)
        kind = DecisionKind.SPAN_SUMMARIZED if summed else DecisionKind.SPAN_EVICTED
        self.talk.prune(kind, spans, line, actor="state", explicit=explicit)
        for key, message in fresh.items():
            if key not in self.spans:
                mark = self.talk.mark()
                yield from self._add(key, message, line)
                self.spans[key] = self.talk.since(mark)
            elif message != self.messages[key]:
                self._replace(key, message, line, explicit)
            self.messages[key] = message

    # -- messages -------------------------------------------------------------------------------

    def _add(self, key: str, message: Message, line: int) -> Iterator[Turn]:
        told = langchain.plain(message)
        role = langchain.ROLES.get(str(told["type"]), "user")
        text = langchain.content_text(told["content"])
        if role == "tool":
            failed = True if told["status"] == "error" else None
            self.talk.result(str(told["tool_call_id"] or ""), text, line, failed)
        elif role != "assistant":
            kind = Kind.SYSTEM if role == "system" else Kind.USER
            self.talk.says(Kind.SUMMARY if _sums_up(message) else kind, text, line, name(key))
        elif key in self.answered and key not in self.own:
            self._carry(key, told, text, line)
        else:
            self.answered.add(key)
            self.own.add(key)
            yield self.talk.answer(
                line,
                text=text,
                reasoning=_reasoning(told["content"]),
                calls=_calls(told),
                tokens=_tokens(message),
                name=name(key),
            )

    def _carry(self, key: str, told: Message, text: str, line: int) -> None:
        """An answer that another thread of the log has had."""
        self.carried = True
        self.talk.says(Kind.ASSISTANT, text, line, name(key))
        for ident, tool, arguments in _calls(told):
            self.talk.carried(ident, tool, arguments, line)

    def _replace(self, key: str, message: Message, line: int, explicit: bool) -> None:
        """A message that was rewritten: what of it can be told by one text is."""
        old, new = langchain.plain(self.messages[key]), langchain.plain(message)
        text = langchain.content_text(new["content"])
        if text == langchain.content_text(old["content"]):
            return
        kinds = (Kind.RESULT, Kind.USER, Kind.SYSTEM, Kind.ASSISTANT)
        spans = [
            span_id
            for span_id in self.spans[key]
            if span_id in self.talk.resident and self.talk.resident[span_id].kind in kinds
        ][:1]
        result = str(new["type"]) == "tool"
        kind = DecisionKind.RESULT_CLEARED if result else DecisionKind.SPAN_EVICTED
        stubs = dict.fromkeys(spans, text)
        self.talk.prune(kind, spans, line, stubs=stubs, actor="state", explicit=explicit)


def keyed(listed: list[Any]) -> dict[str, Message]:
    """Messages by their ids, or by what they say.

    Raises: TypeError if one is no message.
    """
    found: dict[str, Message] = {}
    times: Counter[str] = Counter()
    for message in listed:
        if not is_message(message):
            raise TypeError("no message of LangChain")
        ident = identity(message)
        base = ident or dumps(langchain.plain(message))
        times[base] += 1
        # The last one of an id counts, as it does in the state.
        key = base if ident and base != ALL else f"{base}#{times[base]}"
        found.pop(key, None)
        found[key] = message
    return found


def is_message(data: Any) -> bool:
    """Whether a value is a message of LangChain, in one of its three forms."""
    if not isinstance(data, dict):
        return False
    if data.get("type") == "constructor":
        where = data.get("id")
        return (
            isinstance(data.get("kwargs"), dict) and isinstance(where, list) and "messages" in where
        )
    if not isinstance(sort := data.get("type"), str) or sort not in (*langchain.ROLES, "remove"):
        return False
    inner = data.get("data")
    return isinstance(inner, dict) if "data" in data else sort == "remove" or "content" in data


def identity(message: Message) -> str | None:
    """The id of a message, None if it has none."""
    inner = message.get("kwargs") if message.get("type") == "constructor" else message.get("data")
    told = (inner if isinstance(inner, dict) else message).get("id")
    return told if isinstance(told, str) and told else None


def name(key: str) -> str | None:
    """The name of a message's spans: its id, where it has one."""
    return None if key.startswith("{") else key


def _sums_up(message: Message) -> bool:
    told = langchain.plain(message)
    if langchain.ROLES.get(str(told["type"])) not in ("user", "system"):
        return False
    inner = message.get("kwargs") if message.get("type") == "constructor" else message.get("data")
    more = (inner if isinstance(inner, dict) else message).get("additional_kwargs")
    marked = isinstance(more, dict) and more.get("lc_source") == SUMMARISED
    return marked or is_summary(langchain.content_text(told["content"]))


def _calls(told: Message) -> list[tuple[str, str, Any]]:
    listed = told["tool_calls"]
    if not isinstance(listed, list):
        raise TypeError("tool_calls is no list")
    calls = [call for call in listed if isinstance(call, dict)]
    return [(str(c.get("id") or ""), str(c.get("name") or ""), c.get("args")) for c in calls]


def _reasoning(content: Any) -> str:
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    texts = [b.get("thinking") or b.get("reasoning") for b in blocks]
    return "\n".join(text for text in texts if isinstance(text, str))


def _tokens(message: Message) -> int | None:
    inner = message.get("kwargs") if message.get("type") == "constructor" else message.get("data")
    usage = (inner if isinstance(inner, dict) else message).get("usage_metadata")
    count = usage.get("input_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count else None
