"""Any log to native lines: what an adapter made of it, before any rule looks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from ctxaudit.adapters.native import VERSION
from ctxaudit.model import Kind, PruningDecision, Span, ToolSchema, Turn

Offer = tuple[Mapping[str, ToolSchema] | None, bool]


def dump(turns: Iterable[Turn]) -> Iterator[bytes]:
    """Native lines; what has its default is left out, tools only where they changed.

    Reading them back gives the same turns, each at its own line; ``source`` keeps the line that it
    stood at.
    """
    offered: dict[str, Offer] = {}
    head: dict[str, Any] = {"ctxaudit": VERSION}
    for turn in turns:
        where = turn.where
        data = head | {"session": where.session, "turn": where.turn}
        if where.line:
            data["source"] = {"line": where.line}
        offer = (turn.tools, turn.complete)
        if not _same(offered.get(where.session), offer):
            data |= _offer(offer)
            offered[where.session] = offer
        yield _line(data | _parts(turn))
        head = {}


def _same(before: Offer | None, now: Offer) -> bool:
    """Whether the same tools are offered; usually it is the very same mapping."""
    if before is None or before[1] != now[1]:
        return False
    return before[0] is now[0] or before[0] == now[0]


def _line(data: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError:
        # Half a surrogate pair, an integer beyond 64 bits, or nesting that orjson does not write.
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def _offer(offer: Offer) -> dict[str, Any]:
    tools, complete = offer
    schemas = None if tools is None else [_schema(tool) for tool in tools.values()]
    data: dict[str, Any] = {"tools": schemas}
    return data if complete else data | {"tools_complete": False}


def _parts(turn: Turn) -> dict[str, Any]:
    calls = [{"id": c.id, "tool": c.tool, "arguments": c.arguments} for c in turn.calls]
    gaps = [
        {"aspect": g.aspect.value, "extent": g.extent.label, "reason": g.reason} for g in turn.gaps
    ]
    return _without_defaults(
        {
            "decisions": [_decision(d, order) for order, d in enumerate(turn.decisions)],
            "withdrawn": list(turn.withdrawn),
            "restored": list(turn.restored),
            "add": [_span(span) for span in turn.added],
            "reply": [_span(span) for span in turn.reply],
            "calls": calls,
            "final": turn.final or None,
            "error": turn.error,
            "prompt_tokens": turn.prompt_tokens,
            "gaps": gaps,
        }
    )


def _decision(decision: PruningDecision, order: int) -> dict[str, Any]:
    data = _without_defaults(
        {
            "kind": decision.kind.value,
            "spans": list(decision.spans),
            "tools": list(decision.tools),
            "order": None if decision.order == order else decision.order,
            "actor": decision.actor,
            "reason": decision.reason,
            "score": decision.score,
            "opaque": decision.opaque or None,
            "external": decision.external or None,
            "stubs": dict(decision.stubs) or None,
        }
    )
    if decision.stubs and not decision.spans:
        data["spans"] = []
    if not decision.explicit:
        data["explicit"] = False
    if not decision.exact:
        data["exact"] = False
    return data


def _span(span: Span) -> dict[str, Any]:
    data: dict[str, Any] = {"id": span.id, "kind": span.kind.value, "text": span.text}
    # A null says what its absence would leave to the reader to fill in.
    if span.call is not None or span.kind is Kind.CALL:
        data |= {"call": span.call, "tool": span.tool}
    told = {"tool": span.tool, "failed": span.failed, "arguments": span.arguments}
    return data | {key: value for key, value in told.items() if value is not None}


def _schema(schema: ToolSchema) -> dict[str, Any]:
    return {"name": schema.name} | _without_defaults(
        {
            "parameters": schema.parameters,
            "description": schema.description or None,
            "deferred": schema.deferred or None,
            "annotations": schema.annotations,
        }
    )


def _without_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """Without what is None or an empty list; a False or an empty object says something."""
    return {key: value for key, value in data.items() if value is not None and value != []}
