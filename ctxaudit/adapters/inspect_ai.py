"""Inspect AI logs: ``.json`` documents and ``.eval`` archives of samples.

    {"version", "eval", "samples": [{"id", "epoch", "events": [...], "events_data": {"messages"}}]}

Each ``model`` event has the prompt that it was given, whole or as ranges of a pool of messages;
long texts are attachments. A ``compaction`` event says that the next prompt was edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.adapters.langchain import content_text
from ctxaudit.adapters.spans import schemas
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Gap, Kind, Turn, dumps
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "inspect"
TITLE = "Inspect AI logs (.json and .eval)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

ROLES = {"system": Kind.SYSTEM, "user": Kind.USER, "assistant": Kind.ASSISTANT}
ATTACHMENT = "attachment://"
NO_EVENTS = Gap(
    Aspect.PROMPTS,
    Extent.NONE,
    "the sample has no model events, only its final messages: what each prompt held is unknown",
)


def recognises(head: Sequence[Any]) -> bool:
    return any(_samples(data) or _is_header(data) for data in head)


def _is_header(data: Any) -> bool:
    _, inner = member(data)
    return isinstance(inner, dict) and isinstance(inner.get("eval"), dict) and "plan" in inner


def _samples(data: Any) -> list[dict[str, Any]]:
    """The samples of a document, or of one member of an archive."""
    if not isinstance(data, dict):
        return []
    name, inner = member(data)
    if name is not None:
        return [inner] if name.startswith("samples/") and isinstance(inner, dict) else []
    samples = data.get("samples") if _is_header(data) else None
    return [s for s in samples if isinstance(s, dict)] if isinstance(samples, list) else []


def read(source: Source) -> Iterator[Turn]:
    final: list[tuple[dict[str, Any], Record]] = []

    def snapshots() -> Iterator[Snapshot]:
        for group in source.each(
            lambda r: [s for sample in _samples(r.data) for s in _all(sample, r, final)]
        ):
            yield from group

    yield from turns(snapshots(), source.damaged)
    for sample, record in final:
        yield from _final(sample, record, source)


def _all(
    sample: dict[str, Any], record: Record, final: list[tuple[dict[str, Any], Record]]
) -> Iterator[Snapshot]:
    """The model calls of a sample; one of which only the last state is logged goes to ``final``."""
    session = _session(sample)
    events = [e for e in sample.get("events") or () if isinstance(e, dict)]
    attached = sample.get("attachments") or {}
    if not any(e.get("event") == "model" for e in events):
        final.append((sample, record))
        return
    pool = (sample.get("events_data") or {}).get("messages") or []
    whole = [_plain(message, attached) for message in pool]
    edited: dict[Any, str] = {}  # by the span of the agent whose next prompt it is
    for event in events:
        if event.get("event") == "compaction":
            told = (event.get("metadata") or {}).get("strategy") or event.get("type")
            edited[event.get("span_id")] = str(told)
        elif event.get("event") == "model":
            by = edited.pop(event.get("span_id"), None)
            yield _snapshot(event, whole, attached, session, by, record)


def _snapshot(
    event: dict[str, Any],
    pool: list[Any],
    attached: dict[str, str],
    session: str,
    edited: str | None,
    record: Record,
) -> Snapshot:
    refs = event.get("input_refs")
    if refs:
        items = [message for start, end in refs for message in pool[start:end]]
    else:
        items = [_plain(message, attached) for message in event.get("input") or ()]
    choices = (event.get("output") or {}).get("choices") or ()
    usage = (event.get("output") or {}).get("usage") or {}
    cached = (usage.get("input_tokens_cache_read") or 0) + (
        usage.get("input_tokens_cache_write") or 0
    )
    tokens = usage.get("input_tokens")
    return Snapshot(
        record.path,
        record.line,
        session,
        items,
        pieces,
        schemas,
        _resolved(event.get("tools"), attached),
        reply=[p for c in choices[:1] for p in pieces(_plain(c.get("message"), attached))],
        error=str(event["error"]) if event.get("error") else None,
        prompt_tokens=tokens + cached if isinstance(tokens, int) else None,
        stated=f"inspect {edited}" if edited else None,
    )


def _session(sample: dict[str, Any]) -> str:
    return f"{sample.get('id')}/{sample.get('epoch', 1)}"


def _final(sample: dict[str, Any], record: Record, source: Source) -> Iterator[Turn]:
    """A sample of which only the last state is logged: one turn an answer, nothing pruned in it."""
    attached = sample.get("attachments") or {}
    chat = Chat(_session(sample), record.path, (NO_EVENTS,), pieces)
    for message in sample.get("messages") or ():
        try:
            yield from chat.take(_plain(message, attached), record.line)
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)
    yield from chat.talk.end()


def _plain(message: Any, attached: dict[str, str]) -> Any:
    """A message without its id: an edited copy gets a new one."""
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    error = message.get("error")
    return {
        "role": message.get("role"),
        "content": _resolved(content, attached),
        "tool_calls": message.get("tool_calls") or [],
        "tool_call_id": message.get("tool_call_id"),
        "function": message.get("function"),
        "error": error.get("message") if isinstance(error, dict) else error,
    }


def _resolved(value: Any, attached: dict[str, str]) -> Any:
    if isinstance(value, str):
        key = value.removeprefix(ATTACHMENT)
        return attached.get(key, value) if key != value else value
    if isinstance(value, list):
        return [_resolved(item, attached) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(inner, attached) for key, inner in value.items()}
    return value


def pieces(message: Any) -> list[Piece]:
    """A plain message, as pieces."""
    if not isinstance(message, dict):
        return []
    role, text = str(message.get("role")), content_text(message.get("content"))
    if role == "tool":
        error = message.get("error")
        told = text or str(error or "")
        failed = True if error else None
        return [
            Piece(Kind.RESULT, told, message.get("tool_call_id"), message.get("function"), failed)
        ]
    found = [Piece(Kind.REASONING, thought) for thought in _thoughts(message.get("content"))]
    found += [Piece(ROLES.get(role, Kind.USER), text)] if text else []
    for call in message.get("tool_calls") or ():
        name, arguments = str(call.get("function") or ""), call.get("arguments")
        told = f"{name} {dumps(arguments)}"
        found.append(Piece(Kind.CALL, told, call.get("id"), name, None, arguments))
    return found


def _thoughts(content: Any) -> list[str]:
    """What the model thought, where it can be read."""
    blocks = content if isinstance(content, list) else ()
    found = [b.get("reasoning") for b in blocks if isinstance(b, dict) and not b.get("redacted")]
    return [thought for thought in found if isinstance(thought, str) and thought]
