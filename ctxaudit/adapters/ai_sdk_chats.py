"""Chats of the Vercel AI SDK, as applications store them and as they are sent to a server.

    {"id", "role", "parts": [{"type": "step-start"}, {"type": "text", "text"},
     {"type": "tool-<name>" | "dynamic-tool", "toolCallId", "state", "input", "output"}]}
    {"id", "role", "content", "toolInvocations": [{"toolCallId", "toolName", "args", "result"}]}
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId", "output"}]}

A log holds messages, one a line or in a list, or chats, ``{"id", "messages": [...]}``; lines of one
chat repeat what came before. Each step of a message is a turn. What a chat lacks at its end was
taken back by the user; what it lacks before that was taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters import ai_sdk
from ctxaudit.adapters.ai_sdk_ui import UIChat, is_message
from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, Turn

NAME = "ai-sdk"
TITLE = "Vercel AI SDK chats and messages"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
REQUESTS = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "what is taken out of a single request (pruneMessages, prepareStep) is not stored in a chat",
)
#: What other records have that hold messages.
FOREIGN = frozenset({"model", "request", "response", "inputs", "run_type", "traceId", "info"})


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_own(data) or _is_own_chat(data) for data in head)


def _is_own(data: Any) -> bool:
    """Whether a value is a message of the SDK and of nobody else."""
    if not isinstance(data, dict) or data.keys() & FOREIGN:
        return False
    return is_message(data) or ("role" in data and ai_sdk.speaks(data))


def _is_own_chat(data: Any) -> bool:
    messages = data.get("messages") if isinstance(data, dict) else None
    if not isinstance(messages, list) or data.keys() & FOREIGN:
        return False
    return any(map(_is_own, messages[:8]))


def read(source: Source) -> Iterator[Turn]:
    """The turns of all chats."""
    stored: dict[str, UIChat] = {}
    sent: dict[str, Chat] = {}

    def take(record: Record) -> Iterator[Turn]:
        data, own = record.data, PurePath(record.path).name.split(".")[0]
        if "messages" not in data:
            yield from one(own, data, record)
            return
        name = str(data.get("id") or data.get("chatId") or own)
        if any(is_message(message) for message in data["messages"]):
            yield from chat(name, record).state(data["messages"], record.line)
        else:
            for message in data["messages"]:
                yield from one(name, message, record)

    def chat(name: str, record: Record) -> UIChat:
        return stored.setdefault(name, UIChat(name, record.path, (REQUESTS,)))

    def one(name: str, message: Any, record: Record) -> Iterator[Turn]:
        if is_message(message):
            yield from chat(name, record).update(message, record.line)
            return
        if name not in sent:
            sent[name] = Chat(name, record.path, (REQUESTS,))
        for plain in ai_sdk.plain(message) if ai_sdk.speaks(message) else [message]:
            yield from sent[name].take(plain, record.line)

    yield from source.through(_record, take)
    for talk in [one.talk for one in stored.values()] + [one.talk for one in sent.values()]:
        yield from talk.end()


def _record(record: Record) -> Record:
    data = record.data
    if not isinstance(data, dict):
        raise TypeError("no message")
    if "messages" in data:
        if not isinstance(data["messages"], list):
            raise TypeError("messages is no list")
    elif "role" not in data:
        raise TypeError("no message")
    return record
