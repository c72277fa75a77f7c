"""Agents of AutoGen: what each of them was told, said and called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.model import DecisionKind, Gap, Kind, Turn, dumps

Message = dict[str, Any]


class Context:
    """The model context of an agent, as its states hold it."""

    def __init__(self, name: str, path: str, gaps: Iterable[Gap]) -> None:
        self.talk = Conversation(name, path, gaps)
        self.spans: dict[str, list[str]] = {}  # of the messages by what they say

    def state(self, messages: list[Any], line: int) -> Iterator[Turn]:
        """A state: what it lacks of the last one was taken out."""
        times: Counter[str] = Counter()
        keyed: dict[str, Message] = {}
        for message in messages:
            if not isinstance(message, dict):
                raise TypeError("a message is no object")
            told = dumps(message)
            times[told] += 1
            keyed[f"{told}#{times[told]}"] = message
        missing = [key for key in self.spans if key not in keyed]
        gone = [span_id for key in missing for span_id in self.spans.pop(key)]
        self.talk.prune(DecisionKind.SPAN_EVICTED, gone, line, actor="context", explicit=False)
        for key, message in keyed.items():
            if key not in self.spans:
                mark = self.talk.mark()
                yield from self._read(message, line)
                self.spans[key] = self.talk.since(mark)

    def _read(self, message: Message, line: int) -> Iterator[Turn]:
        sort, told = message.get("type"), message.get("content")
        if sort == "AssistantMessage":
            thought = str(message.get("thought") or "")
            if isinstance(told, list):
                yield self.talk.answer(line, reasoning=thought, calls=_calls(told))
            else:
                yield self.talk.answer(line, text=content.text(told), reasoning=thought)
        elif sort == "FunctionExecutionResultMessage":
            _results(self.talk, told, line)
        else:
            kind = Kind.SYSTEM if sort == "SystemMessage" else Kind.USER
            self.talk.says(kind, content.text(told), line)


class Team:
    """Agents that talk to each other: each sees what all say, and its own calls."""

    def __init__(self, name: str, path: str, gaps: Iterable[Gap]) -> None:
        self.name, self.path, self.gaps = name, path, tuple(gaps)
        self.messages: list[tuple[int, Message]] = []

    def add(self, message: Any, line: int) -> None:
        """Add a message, or an event of an agent."""
        if not isinstance(message, dict):
            raise TypeError("a message is no object")
        self.messages.append((line, message))

    def turns(self, damaged: Callable[[str, int, Exception], None]) -> Iterator[Turn]:
        """The turns of all agents."""
        agents = list(dict.fromkeys(_source(m) for _, m in self.messages if _answers(m)))
        talks = {
            agent: Conversation(
                self.name if len(agents) == 1 else f"{self.name}/{agent}", self.path, self.gaps
            )
            for agent in agents
        }
        for line, message in self.messages:
            try:
                yield from _tell(talks, message, line)
            except WRONG_SHAPE as error:
                damaged(self.path, line, error)
        for talk in talks.values():
            yield from talk.end()


def _tell(talks: dict[str, Conversation], message: Message, line: int) -> Iterator[Turn]:
    sort, told, source = message.get("type"), message.get("content"), _source(message)
    own = talks.get(source)
    if sort == "ToolCallRequestEvent":
        if own is not None:
            yield own.answer(line, calls=_calls(told), tokens=_tokens(message))
    elif sort == "ToolCallExecutionEvent":
        if own is not None:
            _results(own, told, line)
    elif sort in ("ThoughtEvent", "ModelClientStreamingChunkEvent", "UserInputRequestedEvent"):
        return
    elif sort == "MemoryQueryEvent":
        if own is not None:
            own.says(Kind.SYSTEM, content.text(told), line)
    else:
        text = content.text(told)
        if own is not None and _answers(message):
            yield own.answer(line, text=text, tokens=_tokens(message))
        for agent, talk in talks.items():
            if agent != source:
                talk.says(Kind.USER, text, line)


def _source(message: Message) -> str:
    return str(message.get("source") or "")


def _answers(message: Message) -> bool:
    """Whether a model was asked for a message."""
    return message.get("type") == "ToolCallRequestEvent" or bool(message.get("models_usage"))


def _tokens(message: Message) -> int | None:
    usage = message.get("models_usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count else None


def _calls(told: Any) -> list[tuple[str, str, Any]]:
    if not isinstance(told, list) or not all(isinstance(call, dict) for call in told):
        raise TypeError("calls are no list of objects")
    return [
        (str(c.get("id") or ""), str(c.get("name") or ""), content.arguments(c.get("arguments")))
        for c in told
    ]


def _results(talk: Conversation, told: Any, line: int) -> None:
    if not isinstance(told, list) or not all(isinstance(result, dict) for result in told):
        raise TypeError("results are no list of objects")
    for result in told:
        failed = True if result.get("is_error") is True else None
        text = content.text(result.get("content"))
        talk.result(str(result.get("call_id") or ""), text, line, failed)


def old_messages(message: Any) -> Iterator[Message]:
    """A message of version 0.2 as the chat API has it: one a result."""
    if not isinstance(message, dict):
        raise TypeError("a message is no object")
    answers = message.get("tool_responses")
    if not isinstance(answers, list) or not answers:
        yield message
        return
    for answer in answers:
        if not isinstance(answer, dict):
            raise TypeError("a result is no object")
        call, told = answer.get("tool_call_id"), answer.get("content")
        yield {"role": "tool", "tool_call_id": call, "content": told}
