"""OpenInference spans: the SDK's JSON lines, Phoenix exports, nested trees of spans.

    {"name": ..., "context": {"trace_id", "span_id"}, "parent_id", "start_time", "attributes": {
        "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "system", ...}}

A span keeps at most so many attributes (128 by default), and drops the first: then the messages do
not begin at 0, and the second copy of the prompt in ``input.value`` is read instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import langchain
from ctxaudit.adapters.otel_genai import _listed, _put
from ctxaudit.adapters.spans import CUT, in_order, lenient, schemas, traced
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Kind, Turn, dumps
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "openinference"
TITLE = "OpenInference spans (Phoenix and SDK exports)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

ROLES = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "human": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "ai": Kind.ASSISTANT,
    "model": Kind.ASSISTANT,
}


def recognises(head: Sequence[Any]) -> bool:
    return any(
        "openinference.span.kind" in _attributes(span) for data in head for span in _all(data)
    )


def read(source: Source) -> Iterator[Turn]:
    return turns(in_order(source, _calls))


def _calls(record: Record) -> Iterator[tuple[Any, Snapshot]]:
    for span in _all(record.data):
        snapshot = _snapshot(span, record)
        if snapshot is not None:
            yield span.get("start_time", ""), snapshot


def _all(data: Any) -> Iterator[dict[str, Any]]:
    """A span, a list of spans, or a tree of them."""
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += reversed(item)
        elif isinstance(item, dict):
            if "attributes" in item or "span_attributes" in item:
                yield item
            stack += reversed([*(item.get("child_spans") or ()), *(item.get("spans") or ())])


def _attributes(span: dict[str, Any]) -> dict[str, Any]:
    found = span.get("attributes") or span.get("span_attributes")
    if not isinstance(found, dict):
        return {}
    return found if "openinference" not in found else _flat(found)


def _flat(value: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Attributes that an export nested, under their dotted names again."""
    out: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{path}.{key}" if path else key
        if isinstance(inner, dict):
            out.update(_flat(inner, name))
        elif isinstance(inner, list) and inner and all(isinstance(item, dict) for item in inner):
            for n, item in enumerate(inner):
                out.update(_flat(item, f"{name}.{n}"))
        else:
            out[name] = inner
    return out


def _snapshot(span: dict[str, Any], record: Record) -> Snapshot | None:
    found = _attributes(span)
    if str(found.get("openinference.span.kind", span.get("span_kind"))).upper() != "LLM":
        return None
    messages, first = _messages(found, "llm.input_messages.")
    cut = first != 0
    read_piece = pieces
    if cut and (copy := langchain.prompt(lenient(found.get("input.value")))) is not None:
        messages, cut, read_piece = copy, False, langchain.pieces
    answer, _ = _messages(found, "llm.output_messages.")
    if not answer:
        reply = langchain.reply(lenient(found.get("output.value")))
    else:
        reply = [piece for message in answer for piece in pieces(message)]
    status = span.get("status")
    code = status.get("status_code") if isinstance(status, dict) else span.get("status_code")
    told = status.get("description") if isinstance(status, dict) else span.get("status_message")
    return Snapshot(
        record.path,
        record.line,
        _session(found, span),
        messages,
        read_piece,
        schemas,
        _tools(found),
        reply=reply,
        error=str(told or "error") if code == "ERROR" else None,
        prompt_tokens=_number(found.get("llm.token_count.prompt")),
        partial=cut,
        gaps=(CUT,) if cut else (),
        trace=traced(*_ids(span)),
    )


def _ids(span: dict[str, Any]) -> tuple[Any, Any]:
    context = span.get("context")
    told = context if isinstance(context, dict) else span
    return told.get("trace_id"), told.get("span_id")


def _messages(found: dict[str, Any], prefix: str) -> tuple[list[Any], int]:
    """The messages under a prefix, and the number of the first one (-1: there is none)."""
    numbered: dict[int, dict[str, Any]] = {}
    for key, value in found.items():
        if key.startswith(prefix):
            number, _, rest = key[len(prefix) :].partition(".")
            if number.isdigit():
                _put(numbered.setdefault(int(number), {}), rest.split("."), value)
    order = sorted(numbered)
    whole = [_listed(numbered[n]).get("message", {}) for n in order]
    first = order[0] if order else -1
    if order and ("role" not in whole[0] or order != list(range(first, first + len(order)))):
        first = max(first, 1)
    return whole, first


def pieces(message: Any) -> list[Piece]:
    """A message of flattened attributes, as pieces."""
    role = str(message.get("role"))
    text = _text(message)
    if role in ("tool", "function"):
        return [Piece(Kind.RESULT, text, message.get("tool_call_id"), message.get("name"))]
    found = [Piece(ROLES.get(role, Kind.USER), text)] if text else []
    for item in message.get("tool_calls") or ():
        call = item.get("tool_call", {})
        function = call.get("function", {})
        arguments = lenient(function.get("arguments"))
        name = str(function.get("name") or "")
        told = f"{name} {dumps(arguments)}"
        found.append(Piece(Kind.CALL, told, call.get("id"), name, None, arguments))
    return found


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [c.get("message_content", {}).get("text") for c in message.get("contents") or ()]
    return "\n".join(part for part in parts if isinstance(part, str))


def _tools(found: dict[str, Any]) -> list[Any] | None:
    listed: dict[int, Any] = {}
    for key, value in found.items():
        if key.startswith("llm.tools.") and (number := key.split(".")[2]).isdigit():
            listed[int(number)] = lenient(value)
    if listed:
        return [listed[n] for n in sorted(listed)]
    invocation = lenient(found.get("llm.invocation_parameters"))
    tools = invocation.get("tools") if isinstance(invocation, dict) else None
    return tools if isinstance(tools, list) else None


def _session(found: dict[str, Any], span: dict[str, Any]) -> str | None:
    context = span.get("context")
    trace = context.get("trace_id") if isinstance(context, dict) else span.get("trace_id")
    session = found.get("session.id") or trace
    return str(session) if session else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
