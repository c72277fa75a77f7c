"""Sessions of Gemini CLI: the record of a conversation, its lines, or a saved chat.

    {"sessionId", "projectHash", "messages": [{"id", "type": "user" | "gemini", "content",
        "toolCalls": [{"id", "name", "args", "result", "status"}]}]}            a document
    {"sessionId", ...}  {"id", "type", ...}  {"$set": {...}}  {"$rewindTo": id}       its lines
    [{"role": "user" | "model", "parts": [...]}]                              a saved chat

A ``$set`` of the messages is a checkpoint: what is not in it was taken out by a compression, and
a tool's result that has changed was masked. A saved chat is the history as it was at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn, dumps, result_id

NAME = "gemini-cli"
TITLE = "Gemini CLI sessions and saved chats"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
AT_THE_END = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "only the last state of the history is saved: what was compressed before is unknown",
)
SNAPSHOT = "<state_snapshot>"


def recognises(head: Sequence[Any]) -> bool:
    if head and all(_is_chat(data) for data in head):
        return True
    return any(_is_session(data) or _is_change(data) for data in head)


def _is_session(data: Any) -> bool:
    return isinstance(data, dict) and "sessionId" in data and "projectHash" in data


def _is_change(data: Any) -> bool:
    return isinstance(data, dict) and bool({"$set", "$rewindTo"} & data.keys())


def _is_chat(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and data.get("role") in ("user", "model")
        and isinstance(data.get("parts"), list)
    )


def read(source: Source) -> Iterator[Turn]:
    """The turns of the session, in the order of the log."""
    reader = Reader()
    yield from source.through(_row, reader.take)
    yield from reader.talk.end() if reader.talk else ()


def _row(record: Record) -> Record:
    if not isinstance(record.data, dict):
        raise TypeError("no JSON object")
    return record


class Reader:
    """One session while it is read."""

    def __init__(self) -> None:
        self.talk: Conversation | None = None
        self.spans: dict[str, list[str]] = {}  # of each message
        self.results: dict[str, str] = {}  # texts, by span
        self.open: list[str] = []  # calls of a saved chat that wait for their results
        self.calls = 0

    def take(self, record: Record) -> Iterator[Turn]:
        """Read a document, a line, or an item of a saved chat."""
        data, line = record.data, record.line
        if self.talk is None:
            name = data.get("sessionId") or PurePath(record.path).name.split(".")[0]
            gaps = (AT_THE_END,) if _is_chat(data) else ()
            self.talk = Conversation(str(name), record.path, gaps)
        if _is_chat(data):
            yield from self._item(self.talk, data, line)
        elif "$rewindTo" in data:
            self._rewind(self.talk, data["$rewindTo"])
        elif "$set" in data:
            messages = data["$set"].get("messages")
            if isinstance(messages, list):
                yield from self._checkpoint(self.talk, messages, line)
        elif isinstance(data.get("messages"), list):
            for message in data["messages"]:
                yield from self._message(self.talk, message, line)
        elif "type" in data and "id" in data:
            yield from self._message(self.talk, data, line)

    # -- records --------------------------------------------------------------------------------

    def _message(self, talk: Conversation, message: dict[str, Any], line: int) -> Iterator[Turn]:
        ident, kind = str(message.get("id") or f"line:{line}"), message.get("type")
        if kind not in ("user", "gemini"):
            return  # shown to the user only
        mark = talk.mark()
        if ident in self.spans and message.get("id"):
            self._results(talk, message, line)
            self.spans[ident] += talk.since(mark)
            return
        text = _text(message.get("content"))
        if kind == "user":
            what = Kind.SUMMARY if SNAPSHOT in text else Kind.USER
            talk.says(what, text, line, ident)
        else:
            yield self._answer(talk, message, text, line, ident)
            self._results(talk, message, line)
        self.spans[ident] = talk.since(mark)

    @staticmethod
    def _answer(
        talk: Conversation, message: dict[str, Any], text: str, line: int, ident: str
    ) -> Turn:
        calls = [
            (str(c.get("id") or ""), str(c.get("name") or ""), c.get("args"))
            for c in message.get("toolCalls") or ()
        ]
        tokens = message.get("tokens")
        count = tokens.get("input") if isinstance(tokens, dict) else None
        return talk.answer(
            line,
            text=text,
            calls=calls,
            tokens=count if isinstance(count, int) and count else None,
            name=ident,
        )

    def _results(self, talk: Conversation, message: dict[str, Any], line: int) -> None:
        """Results that have come since a message was told last."""
        for call in message.get("toolCalls") or ():
            ident, told = str(call.get("id") or ""), call.get("result")
            if told is None or call.get("status") not in ("success", "error", "cancelled"):
                continue
            text, span_id = _result(told), result_id(ident)
            if span_id in self.results:
                self._masked(talk, span_id, text, line)
                continue
            failed = True if call.get("status") == "error" else None
            self.results[talk.result(ident, text, line, failed)] = text

    def _masked(self, talk: Conversation, span_id: str, text: str, line: int) -> None:
        if text != self.results[span_id]:
            self.results[span_id] = text
            stubs = {span_id: text}
            talk.prune(DecisionKind.RESULT_CLEARED, [span_id], line, stubs=stubs, actor="masking")

    def _checkpoint(
        self, talk: Conversation, messages: list[dict[str, Any]], line: int
    ) -> Iterator[Turn]:
        kept = {str(message.get("id")) for message in messages}
        gone = [span_id for m, ids in self.spans.items() if m not in kept for span_id in ids]
        summarised = any(SNAPSHOT in _text(m.get("content")) for m in messages)
        kind = DecisionKind.SPAN_SUMMARIZED if summarised else DecisionKind.SPAN_EVICTED
        talk.prune(kind, gone, line, actor="compression")
        self.spans = {m: ids for m, ids in self.spans.items() if m in kept}
        for message in messages:
            ident = str(message.get("id") or "")
            if ident in self.spans:
                self._results(talk, message, line)
            elif message.get("type") == "user":
                yield from self._message(talk, message, line)
            else:  # the model's acknowledgement of a summary: nobody asked it
                said = talk.says(Kind.ASSISTANT, _text(message.get("content")), line, ident)
                self.spans[ident] = [said] if said else []

    def _rewind(self, talk: Conversation, ident: Any) -> None:
        names = list(self.spans)
        at = names.index(str(ident)) if str(ident) in self.spans else 0
        talk.rewind(span_id for name in names[at:] for span_id in self.spans.pop(name))

    # -- saved chats ----------------------------------------------------------------------------

    def _item(self, talk: Conversation, item: dict[str, Any], line: int) -> Iterator[Turn]:
        parts = [part for part in item["parts"] if isinstance(part, dict)]
        text = "\n".join(p["text"] for p in parts if isinstance(p.get("text"), str))
        if item["role"] == "model":
            calls = [p["functionCall"] for p in parts if isinstance(p.get("functionCall"), dict)]
            names = [str(c.get("id") or f"call:{self.calls + n}") for n, c in enumerate(calls, 1)]
            self.calls += len(calls)
            self.open = names
            made = [
                (n, str(c.get("name") or ""), c.get("args"))
                for n, c in zip(names, calls, strict=True)
            ]
            yield talk.answer(line, text=text, calls=made)
            return
        for part in parts:
            told = part.get("functionResponse")
            if isinstance(told, dict):
                known = str(told.get("id") or "")
                call = known if known in self.open else self.open[0] if self.open else known
                self.open = [name for name in self.open if name != call]
                body = told.get("response")
                failed = True if isinstance(body, dict) and "error" in body else None
                talk.result(call, _result([part]), line, failed)
        talk.says(Kind.SUMMARY if SNAPSHOT in text[:400] else Kind.USER, text, line)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    texts = [
        p if isinstance(p, str) else p.get("text") for p in parts if isinstance(p, (str, dict))
    ]
    return "\n".join(text for text in texts if isinstance(text, str))


def _result(told: Any) -> str:
    """The text of a result: of its parts, the outputs or errors."""
    if isinstance(told, str):
        return told
    texts = []
    for part in told if isinstance(told, list) else [told]:
        inner = part.get("functionResponse") if isinstance(part, dict) else None
        body = inner.get("response") if isinstance(inner, dict) else part
        if isinstance(body, dict):
            body = body.get("output", body.get("error", body.get("text", body)))
        texts.append(body if isinstance(body, str) else dumps(body))
    return "\n".join(texts)
