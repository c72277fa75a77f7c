"""Request logs: one model call a line, with its whole prompt.

Bodies of OpenAI Chat Completions and Responses, Anthropic Messages and Gemini, bare or wrapped with
their responses (envelopes.py); a log may mix them. Pruning is inferred: what the last prompt of the
conversation had and this one lacks was pruned. Where the log has no responses, what the model
answered is taken from the next prompt.

    {"session_id": "s1", "request": {"messages": [...], "tools": [...]}, "response": {...}}

A folder with one call a file, named after a moment, is one log: OpenHands, among others, writes
``<model>-<seconds since 1970>.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import ai_sdk
from ctxaudit.adapters.envelopes import beside, opened
from ctxaudit.adapters.exchanges import other_call, snapshot_of
from ctxaudit.adapters.openai_state import Chains
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, Extent, Turn
from ctxaudit.patterns import regex
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import turns

NAME = "requests"
TITLE = "Request logs of OpenAI, Anthropic and Gemini calls, one JSON line a call"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)
#: How the files of a folder end that holds one call in each.
_STAMPED = regex(r"-(\d{9,}(?:\.\d+)?)\.json\Z")

#: Keys of other formats' records, of which some hold messages too.
FOREIGN = frozenset(
    {"uuid", "parentUuid", "payload", "resourceSpans", "span_kind", "run_type", "trajectory"}
    | {"parentObservationId", "parent_observation_id", "op_name", "root_span_id"}
    | {"hidden_params", "litellm_call_id", "spend", "request_created_at"}
    | {"session_start", "end_reason"}
    | {"samples", "eval", "steps", "events", "history", "session_format", "turn", "projectHash"}
)
#: The type of AutoGen's events of model calls.
AUTOGEN = "LLMCall"


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names holds one call a file."""
    files = [name for name in names if name.endswith(".json")]
    return bool(files) and all(_STAMPED.search(name) for name in files)


def recognises(head: Sequence[Any]) -> bool:
    """Whether any of the records is a request, wrapped or bare, and no other format's."""
    found = [member(data) for data in head]
    return any(
        isinstance(data, dict) and (name is None or _STAMPED.search(name)) and _is_request(data)
        for name, data in found
    )


def _is_request(data: dict[str, Any]) -> bool:
    if FOREIGN & data.keys() or data.get("type") == AUTOGEN:
        return False
    try:
        exchange = opened(data)
    except WRONG_SHAPE:
        return False
    if exchange is None or other_call(exchange):
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
    if not _plausible(body) or "version" in body or _is_state(body):
        return False
    if "contents" in body or "input" in body:
        return True
    last = body["messages"][-1] if isinstance(body["messages"], list) else {}
    answered = isinstance(last, dict) and last.get("role") == "assistant"
    return "model" in body or "anthropic_version" in body or not answered


def _is_state(body: dict[str, Any]) -> bool:
    """Whether a lone body is what an agent or an application stores: its messages have a type and
    no role, or are of a library and not of a provider."""
    messages = body.get("messages")
    told = [m for m in messages[:8] if isinstance(m, dict)] if isinstance(messages, list) else []
    if "model" not in body and any("parts" in m or ai_sdk.speaks(m) for m in told):
        return True
    return bool(told) and "type" in told[0] and "role" not in told[0]


def read(source: Source) -> Iterator[Turn]:
    """The turns of all conversations. A line of another shape is told as damaged; one that is no
    chat call is passed over."""
    chains = Chains()
    order = _moment if source.is_folder else None
    return turns(source.each(lambda record: snapshot(record, chains), order), source.damaged)


def _moment(record: Record) -> float:
    """When a call of a folder was made, by the name of its file."""
    found = _STAMPED.search(member(record.data)[0] or "")
    return float(found[1]) if found else 0.0


def snapshot(record: Record, chains: Chains) -> Snapshot | None:
    """The model call of a record, None if it is none.

    Raises: TypeError, ValueError, KeyError, AttributeError if its shape is wrong.
    """
    name, data = member(record.data)
    if name is not None and not _STAMPED.search(name):
        return None  # what else is kept in a folder
    if not isinstance(data, dict):
        raise TypeError("no JSON object")
    exchange = opened(data)
    if exchange is None or other_call(exchange):
        return None
    return snapshot_of(exchange, record, chains, beside(data))
