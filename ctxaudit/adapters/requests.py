"""Request logs: one model call a line, with its whole prompt.

Bodies of OpenAI Chat Completions and Responses, Anthropic Messages and Gemini, bare or wrapped with
their responses (envelopes.py); a log may mix them. Pruning is inferred: what the last prompt of the
conversation had and this one lacks was pruned. Where the log has no responses, what the model
answered is taken from the next prompt.

    {"session_id": "s1", "request": {"messages": [...], "tools": [...]}, "response": {...}}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from ctxaudit.adapters.envelopes import Exchange, beside, opened
from ctxaudit.adapters.openai_state import UNSEEN, Chains
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, Turn
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import WRONG_SHAPE, turns

NAME = "requests"
TITLE = "Request logs of OpenAI, Anthropic and Gemini calls, one JSON line a call"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

#: Keys of other formats' records, of which some hold messages too.
FOREIGN = frozenset(
    {"uuid", "parentUuid", "payload", "resourceSpans", "span_kind", "run_type", "trajectory"}
    | {"samples", "eval", "steps", "events", "history", "session_format", "turn", "projectHash"}
)
#: Addresses, and names of models, of calls that are no chat.
OTHER_CALLS = ("embed", "moderation", "rerank", "count_tokens", "/compact", "transcri", "speech")
REDACTED = Gap(Aspect.PROMPTS, Extent.PARTIAL, "the logger has redacted some of the prompts")
Dialect = Any  # a module: tools, pieces, said, tokens


def recognises(head: Sequence[Any]) -> bool:
    """Whether any of the records is a request, wrapped or bare, and no other format's."""
    return any(isinstance(data, dict) and _is_request(data) for data in head)


def _is_request(data: dict[str, Any]) -> bool:
    if FOREIGN & data.keys():
        return False
    try:
        exchange = opened(data)
    except WRONG_SHAPE:
        return False
    if exchange is None or _other_call(exchange):
        return False
    body = exchange.body
    wrapped = body is not data or exchange.response is not None or exchange.error is not None
    return wrapped and _plausible(body) if wrapped else _bare(body)


def _plausible(body: dict[str, Any]) -> bool:
    """Whether the prompt is made of what prompts are made of."""
    if "contents" in body:
        first = body["contents"]
        first = first[0] if isinstance(first, list) and first else first
        return isinstance(first, str) or (isinstance(first, dict) and "parts" in first)
    prompt = body.get("messages", body.get("input"))
    if isinstance(prompt, str):
        return True
    return isinstance(prompt, list) and any(
        isinstance(item, dict) and ("role" in item or "type" in item) for item in prompt[:4]
    )


def _bare(body: dict[str, Any]) -> bool:
    """Whether a lone body is a request and no whole conversation, which ends with an answer."""
    if not _plausible(body) or "version" in body:
        return False
    if "contents" in body or "input" in body:
        return True
    last = body["messages"][-1] if isinstance(body["messages"], list) else {}
    answered = isinstance(last, dict) and last.get("role") == "assistant"
    return "model" in body or "anthropic_version" in body or not answered


def read(source: Source) -> Iterator[Turn]:
    """The turns of all conversations. A line of another shape is told as damaged; one that is no
    chat call is passed over."""
    chains = Chains()
    logs = {log.name: log for log in source.logs}
    return turns(
        source.each(lambda record: snapshot(record, chains)),
        lambda path, line, reason: logs[path].damaged(line, reason),
    )


def snapshot(record: Record, chains: Chains) -> Snapshot | None:
    """The model call of a record, None if it is none.

    Raises: TypeError, ValueError, KeyError, AttributeError if its shape is wrong.
    """
    if not isinstance(record.data, dict):
        raise TypeError("no JSON object")
    exchange = opened(record.data)
    if exchange is None or _other_call(exchange):
        return None
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
        made.raw_tools = beside(record.data)
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


def _other_call(exchange: Exchange) -> bool:
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
