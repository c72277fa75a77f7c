"""A chat of UI messages: each has the parts of one or several steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import DecisionKind, Gap, Kind, Turn, dumps

Message = dict[str, Any]
Part = dict[str, Any]
TOOL, DYNAMIC, OLD, STEP = "tool-", "dynamic-tool", "tool-invocation", "step-start"


def is_message(data: Any) -> bool:
    """Whether a value is a UI message, of any version."""
    if not isinstance(data, dict) or data.get("role") not in ("system", "user", "assistant"):
        return False
    if isinstance(data.get("toolInvocations"), list):
        return True
    parts = data.get("parts")
    return isinstance(parts, list) and bool(parts) and all(map(_is_part, parts[:3]))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict) or not isinstance(sort := part.get("type"), str):
        return False
    # Other messages have parts of type text too, with their text under another name.
    return "text" in part if sort in ("text", "reasoning") else "content" not in part


class UIChat:
    """A chat while it is read."""

    def __init__(self, name: str, path: str, gaps: Iterable[Gap]) -> None:
        self.talk = Conversation(name, path, gaps)
        self.spans: dict[str, list[str]] = {}  # of the messages that are there, in order
        self.known: dict[str, list[Part]] = {}  # the parts that have been read of each
        self.count = 0

    def state(self, messages: list[Any], line: int) -> Iterator[Turn]:
        """All messages of the chat: what is missing was taken back, or out."""
        there = [self._key(message, n) for n, message in enumerate(messages)]
        missing = [key for key in self.spans if key not in there]
        keys = list(self.spans)
        # What is missing at the end was taken back, to be asked again.
        back = []
        while keys and keys[-1] in missing:
            back.append(keys.pop())
        out = [key for key in missing if key not in back]
        self.talk.rewind([span_id for key in reversed(back) for span_id in self.spans[key]])
        gone = [span_id for key in out for span_id in self.spans[key]]
        self.talk.prune(DecisionKind.SPAN_EVICTED, gone, line, actor="chat", explicit=False)
        for key in missing:
            del self.spans[key], self.known[key]
        for key, message in zip(there, messages, strict=True):
            yield from self._read(key, message, line)

    def update(self, message: Message, line: int) -> Iterator[Turn]:
        """A message: a new one, or one that has gone on."""
        yield from self._read(self._key(message, len(self.spans)), message, line)

    @staticmethod
    def _key(message: Any, n: int) -> str:
        if not is_message(message):
            raise TypeError("no message")
        return str(message.get("id") or f"message:{n}")

    def _read(self, key: str, message: Message, line: int) -> Iterator[Turn]:
        parts = _parts(message)
        known = self.known.get(key, [])
        if [_told(part) for part in parts[: len(known)]] == [_told(part) for part in known]:
            fresh = parts[len(known) :]
        else:
            fresh = []  # rewritten: what was read stays
        mark = self.talk.mark()
        if message["role"] == "assistant":
            for step in _steps(fresh):
                yield from self._step(step, line)
        else:
            kind = Kind.SYSTEM if message["role"] == "system" else Kind.USER
            told = [part for part in fresh if not str(part.get("type")).startswith("data-")]
            self.talk.says(kind, content.text(told), line, key)
        self.known[key] = parts if fresh else self.known.get(key, parts)
        self.spans[key] = [*self.spans.get(key, ()), *self.talk.since(mark)]

    def _step(self, step: list[Part], line: int) -> Iterator[Turn]:
        tools = [part for part in step if _tool(part) is not None]
        texts = [str(part.get("text") or "") for part in step if part.get("type") == "text"]
        thoughts = [_thought(part) for part in step if part.get("type") == "reasoning"]
        if not (tools or any(texts) or any(thoughts)):
            return
        calls = []
        for part in tools:
            self.count += 1
            ident = str(part.get("toolCallId") or f"call:{self.count}")
            calls.append((ident, _tool(part) or "", part.get("input", part.get("args"))))
        yield self.talk.answer(
            line,
            text="\n".join(filter(None, texts)),
            reasoning="\n".join(filter(None, thoughts)),
            calls=calls,
        )
        for part, (ident, _, _) in zip(tools, calls, strict=True):
            state = part.get("state")
            if state in ("output-error", "error") or part.get("errorText"):
                self.talk.result(ident, content.text(part.get("errorText")), line, True)
            elif state == "output-denied":
                self.talk.result(ident, "denied by the user", line, True)
            elif state in ("output-available", "result"):
                told = part.get("output", part.get("result"))
                self.talk.result(ident, told if isinstance(told, str) else dumps(told), line)


def _parts(message: Message) -> list[Part]:
    """The parts of a message; those of old have calls beside their text."""
    listed = message.get("parts")
    if not isinstance(listed, list):
        calls = [c for c in message.get("toolInvocations") or () if isinstance(c, dict)]
        text = {"type": "text", "text": str(message.get("content") or "")}
        return [*({**call, "type": DYNAMIC} for call in calls), text]
    parts = []
    for part in listed:
        if not isinstance(part, dict):
            raise TypeError("a part of a message is no object")
        inner = part.get("toolInvocation")
        if part.get("type") == OLD and isinstance(inner, dict):
            part = {**inner, "type": DYNAMIC}
        parts.append(part)
    return parts


def _tool(part: Part) -> str | None:
    """The tool that a part is a call of, None if it is none."""
    sort = str(part.get("type"))
    if sort == DYNAMIC:
        return str(part.get("toolName") or "")
    return sort.removeprefix(TOOL) if sort.startswith(TOOL) and "toolCallId" in part else None


def _told(part: Part) -> Any:
    """What stays the same of a part while a message goes on."""
    return part.get("type"), part.get("toolCallId"), part.get("text")


def _thought(part: Part) -> str:
    return str(part.get("text") or part.get("reasoning") or "")


def _steps(parts: list[Part]) -> Iterator[list[Part]]:
    """The steps of a message: each begins with its mark, or, without marks, with what is said
    after a call."""
    marked = any(part.get("type") == STEP for part in parts)
    step: list[Part] = []
    for part in parts:
        sort = part.get("type")
        spoken = sort in ("text", "reasoning") and any(_tool(p) is not None for p in step)
        if step and (sort == STEP if marked else spoken):
            yield step
            step = []
        step.append(part)
    if step:
        yield step
