"""Responses that were logged as they streamed: a list of chunks, or the text of server-sent
events."""

from __future__ import annotations

from typing import Any

import orjson

from ctxaudit.adapters import anthropic_messages, gemini_contents, openai_chat, openai_responses

DATA = "data:"


def assembled(streamed: str | list[Any]) -> dict[str, Any] | None:
    """The response that the chunks make up, None if they are of no known kind.

    Raises: ValueError if a text begins like JSON and is none.
    """
    chunks = _chunks(streamed)
    first = next((c for c in chunks if isinstance(c, dict)), None)
    if first is None:
        return None
    known = [c for c in chunks if isinstance(c, dict)]
    if len(known) == 1 and not _partial(first):
        return first
    if "choices" in first:
        return openai_chat.message_of(known)
    if "candidates" in first:
        return gemini_contents.message_of(known)
    if str(first.get("type")).startswith("response."):
        return openai_responses.message_of(known)
    if first.get("type") in ("message_start", "ping", "error", "content_block_start"):
        return anthropic_messages.message_of(known)
    blocks = [c for c in known if isinstance(c.get("type"), str)]
    return {"role": "assistant", "content": blocks, "output": blocks} if blocks else None


def _partial(chunk: dict[str, Any]) -> bool:
    """Whether a chunk is part of a response, not a whole one."""
    kind = str(chunk.get("object") or chunk.get("type") or "")
    return "chunk" in kind or kind.startswith(("response.", "message_start"))


def _chunks(streamed: str | list[Any]) -> list[Any]:
    if isinstance(streamed, list):
        return [_parsed(chunk) for chunk in streamed]
    if streamed.lstrip()[:1] in ("{", "["):
        whole = orjson.loads(streamed)
        return whole if isinstance(whole, list) else [whole]
    lines = (line.strip() for line in streamed.splitlines() if line.startswith(DATA))
    return [_parsed(line[len(DATA) :].strip()) for line in lines]


def _parsed(chunk: Any) -> Any:
    if not isinstance(chunk, str):
        return chunk
    text = chunk.strip().removeprefix(DATA).strip()
    return orjson.loads(text) if text.startswith("{") else None
