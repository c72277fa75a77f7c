"""A request and its response, as the model call that they are.

Every format that logs providers' bodies finds its way here: it digs an ``Exchange`` out of its
records, and the provider's own module reads the prompt in it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ctxaudit.adapters import (
    anthropic_edits,
    anthropic_messages,
    gemini_contents,
    openai_chat,
    openai_responses,
    provider_content,
)
from ctxaudit.adapters.envelopes import Exchange
from ctxaudit.adapters.openai_state import UNSEEN, Chains
from ctxaudit.log import Record
from ctxaudit.model import Aspect, Extent, Gap
from ctxaudit.pieces import Snapshot

#: Addresses, and names of models, of calls that are no chat.
OTHER_CALLS = ("embed", "moderation", "rerank", "count_tokens", "/compact", "transcri", "speech")
REDACTED = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the logger has redacted some of the prompts")
Dialect = Any  # a module: tools, pieces, said, tokens


def snapshot_of(exchange: Exchange, record: Record, chains: Chains, beside: Any = None) -> Snapshot:
    """The model call that an exchange is. ``beside`` are the tools that it offers outside of the
    request's body.

    Raises: TypeError, ValueError, KeyError, AttributeError if its shape is wrong.
    """
    response = exchange.response or {}
    dialect = dialect_of(exchange.body, response)
    made = Snapshot(
        record.path,
        record.line,
        exchange.session,
        [],
        dialect.pieces,
        provider_content.schemas,
        raw_tools=dialect.tools(exchange.body),
        reply=None,
        lane=exchange.agent,
        error=exchange.error,
        prompt_tokens=dialect.tokens(response),
        complete=provider_content.whole,
    )
    if made.raw_tools is None:
        made.raw_tools = beside
    _read_prompt(made, dialect, exchange.body, response, chains)
    items = dialect.said(response) if exchange.response is not None else None
    if items is not None:
        made.said = [(item, dialect.pieces(item)) for item in items]
        made.reply = [piece for _, pieces in made.said for piece in pieces]
    if made.error is not None and made.reply is None:
        made.reply = []
    return made


def _read_prompt(
    made: Snapshot, dialect: Dialect, body: dict[str, Any], response: dict[str, Any], chains: Chains
) -> None:
    if dialect is openai_responses:
        made.items, made.gaps = chains.prompt(body, response)
        made.partial = UNSEEN in made.gaps
        made.raw_tools = made.raw_tools or openai_responses.among(made.items)
        made.gaps += chains.truncated(body, made.session, made.items, made.prompt_tokens)
    elif isinstance(body.get("messages"), str):
        made.partial, made.gaps = True, (REDACTED,)
    elif dialect is anthropic_messages:
        made.items, made.stated = anthropic_edits.prompt(body, response)
    elif dialect is gemini_contents:
        made.items, made.gaps = gemini_contents.prompt(body), gemini_contents.gaps(body)
        made.partial = bool(made.gaps)
    else:
        made.items = openai_chat.prompt(body)


def dialect_of(body: dict[str, Any], response: dict[str, Any]) -> Dialect:
    """The provider's module that reads a request, by its prompt and what came back."""
    if "contents" in body:
        return gemini_contents
    if "messages" not in body:
        return openai_responses
    if "choices" in response:
        return openai_chat
    if response.get("type") == "message" or anthropic_messages.speaks(body):
        return anthropic_messages
    return openai_chat


@lru_cache(256)
def _no_chat(place: str) -> bool:
    return any(word in place.lower() for word in OTHER_CALLS)


def other_call(exchange: Exchange) -> bool:
    """Whether a request is no chat: embeddings, moderation, a count of tokens."""
    body, response = exchange.body, exchange.response
    if _no_chat(f"{exchange.address} {body.get('model', '')}"):
        return True
    if response is not None and (
        response.get("object") in ("list", "response.compaction")
        or ("input_tokens" in response and "content" not in response and "output" not in response)
    ):
        return True
    told_ = body.get("input")
    return isinstance(told_, list) and bool(told_) and not isinstance(told_[0], dict)
