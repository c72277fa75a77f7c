"""OpenInference spans: the SDK's JSON lines, Phoenix exports, nested trees of spans.

    {"name": ..., "context": {"trace_id", "span_id"}, "parent_id", "start_time", "attributes": {
        "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "system", ...}}

A span keeps at most so many attributes (128 by default), and drops the first: then the messages do
not begin at 0, and the second copy of the prompt in ``input.value`` is read instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ctxaudit.adapters import otel_messages, unwrapped
from ctxaudit.adapters.envelopes import Exchange
from ctxaudit.adapters.exchanges import dialect_of, snapshot_of
from ctxaudit.adapters.openai_state import Chains
from ctxaudit.adapters.otel_attributes import flat, numbered
from ctxaudit.adapters.spans import CUT, count, in_order, lenient, schemas, traced, whole
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Kind, Turn, dumps
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "openinference"
TITLE = "OpenInference spans (Phoenix and SDK exports)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

KIND = "openinference.span.kind"
#: How many attributes a span keeps where nobody says how many: with so many, some may be missing.
LIMIT = 128
ROLES = {**otel_messages.ROLES, "human": Kind.USER, "ai": Kind.ASSISTANT}


def recognises(head: Sequence[Any]) -> bool:
    return any(KIND in _attributes(span) for data in head for span in _all(data))


def read(source: Source) -> Iterator[Turn]:
    return turns(in_order(source, _calls), source.damaged)


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
    return found if "openinference" not in found else flat(found)


def _snapshot(span: dict[str, Any], record: Record) -> Snapshot | None:
    found = _attributes(span)
    return snapshot({KIND: span.get("span_kind"), **found}, span, record)


def snapshot(found: dict[str, Any], span: dict[str, Any], record: Record) -> Snapshot | None:
    """The model call that a span with these attributes is, None if it is none."""
    if str(found.get(KIND)).upper() != "LLM":
        return None
    listed, unbroken = numbered(found, "llm.input_messages")
    messages = [item.get("message") or {} for item in listed]
    told = bool(messages) and "role" in messages[0]
    cut = not unbroken or not told or bool(_dropped(span)) or len(found) == LIMIT
    read_piece: Callable[[Any], list[Piece]] = pieces
    if cut and (copy := _copy(found.get("input.value"), record)) is not None:
        messages, cut, read_piece = copy.items, copy.partial, copy.pieces
    status = span.get("status")
    code = status.get("status_code", status.get("code")) if isinstance(status, dict) else None
    code = code or span.get("status_code")
    why = status.get("description", status.get("message")) if isinstance(status, dict) else None
    why = why or span.get("status_message")
    return Snapshot(
        record.path,
        record.line,
        _session(found, span),
        messages,
        read_piece,
        schemas,
        _tools(found),
        reply=_reply(found),
        error=str(why or "error") if code in ("ERROR", "STATUS_CODE_ERROR", 2) else None,
        prompt_tokens=count(found.get("llm.token_count.prompt")),
        partial=cut,
        gaps=(CUT,) if cut else (),
        complete=whole,
        trace=traced(*_ids(span)),
    )


def _copy(prompt: Any, record: Record) -> Snapshot | None:
    """The second copy of a prompt, None if that was cut too."""
    try:
        body = unwrapped.request(prompt)
        return snapshot_of(Exchange(body), record, Chains()) if body is not None else None
    except WRONG_SHAPE:
        return None


def _dropped(span: dict[str, Any]) -> Any:
    return span.get("dropped_attributes_count") or span.get("droppedAttributesCount")


def _reply(found: dict[str, Any]) -> list[Piece]:
    """The answer; its second copy where attributes of the first are missing."""
    listed, unbroken = numbered(found, "llm.output_messages")
    answer = [item.get("message") or {} for item in listed]
    if answer and unbroken and "role" in answer[0]:
        return [piece for message in answer for piece in pieces(message)]
    body: dict[str, Any] = {"messages": []}
    response = unwrapped.response(found.get("output.value"), body)
    if response is None:
        return []
    dialect = dialect_of(body, response)
    return [piece for item in dialect.said(response) or () for piece in dialect.pieces(item)]


def _ids(span: dict[str, Any]) -> tuple[Any, Any]:
    context = span.get("context")
    told = context if isinstance(context, dict) else span
    return told.get("trace_id"), told.get("span_id")


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
    """The definitions that are offered, None where they are not logged, or not all of them."""
    listed, unbroken = numbered(found, "llm.tools")
    if listed and unbroken:
        return [_schema(item) for item in listed]
    invocation = lenient(found.get("llm.invocation_parameters"))
    tools = invocation.get("tools") if isinstance(invocation, dict) else None
    return tools if isinstance(tools, list) else None


def _schema(item: Any) -> Any:
    """A definition: a JSON text, whole or spread over attributes."""
    tool = item.get("tool") if isinstance(item, dict) else None
    return lenient(tool.get("json_schema")) if isinstance(tool, dict) else tool


def _session(found: dict[str, Any], span: dict[str, Any]) -> str | None:
    context = span.get("context")
    trace = context.get("trace_id") if isinstance(context, dict) else span.get("trace_id")
    session = found.get("session.id") or trace
    return str(session) if session else None
