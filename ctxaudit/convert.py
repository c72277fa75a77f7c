"""Any log to native lines: what an adapter made of it, before any rule looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from ctxaudit.model import PruningDecision, Span, ToolSchema, Turn


def dump(turns: Iterable[Turn]) -> Iterator[bytes]:
    """Native lines; what has its default is left out, tools only where they changed."""
    offered: dict[str, tuple[Mapping[str, ToolSchema] | None, bool]] = {}
    for turn in turns:
        data: dict[str, Any] = {"session": turn.where.session, "turn": turn.where.turn}
        if turn.where.line:
            data["source"] = {"line": turn.where.line}
        before = offered.get(turn.where.session)
        if before is None or before[0] != turn.tools or before[1] != turn.complete:
            tools = turn.tools
            data["tools"] = None if tools is None else [_schema(t) for t in tools.values()]
            if not turn.complete:
                data["tools_complete"] = False
            offered[turn.where.session] = (turn.tools, turn.complete)
        data |= _parts(turn)
        yield orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)


def _parts(turn: Turn) -> dict[str, Any]:
    calls = [{"id": c.id, "tool": c.tool, "arguments": c.arguments} for c in turn.calls]
    gaps = [
        {"aspect": g.aspect.value, "extent": g.extent.label, "reason": g.reason} for g in turn.gaps
    ]
    return _without_defaults(
        {
            "decisions": [_decision(decision) for decision in turn.decisions],
            "add": [_span(span) for span in turn.added],
            "restored": list(turn.restored),
            "withdrawn": list(turn.withdrawn),
            "reply": [_span(span) for span in turn.reply],
            "calls": calls,
            "final": turn.final or None,
            "error": turn.error,
            "prompt_tokens": turn.prompt_tokens,
            "gaps": gaps,
        }
    )


def _decision(decision: PruningDecision) -> dict[str, Any]:
    data = _without_defaults(
        {
            "kind": decision.kind.value,
            "spans": list(decision.spans),
            "tools": list(decision.tools),
            "actor": decision.actor,
            "reason": decision.reason,
            "score": decision.score,
            "opaque": decision.opaque or None,
            "external": decision.external or None,
            "stubs": dict(decision.stubs) or None,
        }
    )
    if not decision.explicit:
        data["explicit"] = False
    if not decision.exact:
        data["exact"] = False
    return data


def _span(span: Span) -> dict[str, Any]:
    return {"id": span.id, "kind": span.kind.value, "text": span.text} | _without_defaults(
        {
            "call": span.call,
            "tool": span.tool,
            "failed": span.failed,
            "arguments": span.arguments,
        }
    )


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
