"""OTLP JSON lines with the OpenTelemetry GenAI conventions.

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat ...", "attributes": [...]}]}]}]}

Inference spans carry the whole prompt in ``gen_ai.input.messages`` (a JSON text), or in an event
``gen_ai.client.inference.operation.details``; older instrumentation in indexed attributes
``gen_ai.prompt.0.role``. Content may be cut: then nothing is inferred from what is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters.spans import CUT, CutError, in_order, lenient, loads, schemas, traced
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Kind, Turn, dumps
from ctxaudit.patterns import regex
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "otel-genai"
TITLE = "OTLP JSON lines with OpenTelemetry GenAI spans"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

INFERENCE = frozenset({"chat", "text_completion", "generate_content"})
ROLES = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "model": Kind.ASSISTANT,
}
INDEXED = regex(r"^(gen_ai\.prompt|gen_ai\.completion|llm\.request\.functions)\.(\d+)\.(.+)$")


def recognises(head: Sequence[Any]) -> bool:
    return any(
        isinstance(data, dict) and ("resourceSpans" in data or "resourceLogs" in data)
        for data in head
    )


def read(source: Source) -> Iterator[Turn]:
    return turns(in_order(source, _calls))


def _calls(record: Record) -> Iterator[tuple[Any, Snapshot]]:
    if not isinstance(record.data, dict):
        return
    for resource in record.data.get("resourceSpans") or ():
        for scope in resource.get("scopeSpans") or ():
            for span in scope.get("spans") or ():
                snapshot = _snapshot(span, record)
                if snapshot is not None:
                    yield str(span.get("startTimeUnixNano", "")).zfill(20), snapshot


def _snapshot(span: dict[str, Any], record: Record) -> Snapshot | None:
    found = attributes(span.get("attributes") or ())
    for event in span.get("events") or ():
        inner = attributes(event.get("attributes") or ())
        found.update({k: v for k, v in inner.items() if k.startswith("gen_ai.")})
    operation = found.get("gen_ai.operation.name") or found.get("llm.request.type")
    indexed = _indexed(found)
    messages = found.get("gen_ai.input.messages")
    if operation not in INFERENCE or (messages is None and not indexed["gen_ai.prompt"]):
        return None
    cut = bool(span.get("droppedAttributesCount"))
    try:
        items = loads(messages) if messages is not None else indexed["gen_ai.prompt"]
        system = loads(found.get("gen_ai.system_instructions")) or []
    except CutError:
        items, system, cut = [], [], True
    try:
        tools = loads(found.get("gen_ai.tool.definitions"))
    except CutError:
        tools = None
    if tools is None and indexed["llm.request.functions"]:
        tools = indexed["llm.request.functions"]
    head = [{"role": "system", "parts": system}] if system else []
    status = span.get("status") or {}
    refused = status.get("code") in (2, "STATUS_CODE_ERROR") or "error.type" in found
    return Snapshot(
        record.path,
        record.line,
        _session(found, span),
        [*head, *(items if isinstance(items, list) else [])],
        pieces,
        schemas,
        tools if isinstance(tools, list) else None,
        reply=_reply(found, indexed),
        lane=found.get("gen_ai.agent.id") or found.get("gen_ai.agent.name"),
        error=str(status.get("message") or found.get("error.type")) if refused else None,
        prompt_tokens=_number(found.get("gen_ai.usage.input_tokens")),
        partial=cut,
        gaps=(CUT,) if cut else (),
        trace=traced(span.get("traceId"), span.get("spanId")),
    )


def _session(found: dict[str, Any], span: dict[str, Any]) -> str | None:
    session = found.get("gen_ai.conversation.id") or found.get("session.id") or span.get("traceId")
    return str(session) if session else None


def _reply(found: dict[str, Any], indexed: dict[str, list[dict[str, Any]]]) -> list[Piece]:
    answer = lenient(found.get("gen_ai.output.messages"))
    if not isinstance(answer, list):
        answer = indexed["gen_ai.completion"]
    return [piece for message in answer for piece in pieces(message)]


def pieces(message: Any) -> list[Piece]:
    """A message's parts, as pieces."""
    if not isinstance(message, dict):
        return []
    kind = ROLES.get(str(message.get("role")), Kind.USER)
    parts = message.get("parts")
    if parts is None:
        return _old_message(message, kind)
    return [piece for part in parts if (piece := _piece(part, kind)) is not None]


def _piece(part: Any, kind: Kind) -> Piece | None:
    if not isinstance(part, dict):
        return Piece(kind, str(part))
    sort = part.get("type")
    if sort in ("tool_call", "server_tool_call"):
        arguments = lenient(part.get("arguments", part.get("server_tool_call")))
        name = str(part.get("name") or "")
        return Piece(Kind.CALL, f"{name} {dumps(arguments)}", part.get("id"), name, None, arguments)
    if sort in ("tool_call_response", "server_tool_call_response"):
        answer = part.get("response", part.get("result", part.get("server_tool_call_response")))
        text = answer if isinstance(answer, str) else dumps(answer)
        return Piece(Kind.RESULT, text, part.get("id"), part.get("name"))
    if sort == "reasoning":
        return Piece(Kind.REASONING, str(part.get("content") or ""))
    content = part.get("content")
    if sort == "compaction":
        return Piece(Kind.SUMMARY, content or "", opaque="" if content else str(part.get("id")))
    return Piece(kind, content if isinstance(content, str) else dumps(content or part))


def _old_message(message: dict[str, Any], kind: Kind) -> list[Piece]:
    """A message of the conventions before parts: content, and tool calls beside it."""
    content = message.get("content")
    text = content if isinstance(content, str) else dumps(content) if content else ""
    if message.get("role") == "tool":
        return [Piece(Kind.RESULT, text, message.get("tool_call_id") or message.get("id"))]
    found = [Piece(kind, text)] if text else []
    for call in message.get("tool_calls") or ():
        inner = call.get("function", call)
        arguments = lenient(inner.get("arguments"))
        name = str(inner.get("name") or "")
        told = f"{name} {dumps(arguments)}"
        found.append(Piece(Kind.CALL, told, call.get("id"), name, None, arguments))
    return found


def attributes(listed: Any) -> dict[str, Any]:
    """OTLP's list of typed values as a plain dict."""
    return {item["key"]: _value(item.get("value") or {}) for item in listed}


def _value(value: dict[str, Any]) -> Any:
    if "arrayValue" in value:
        return [_value(item) for item in value["arrayValue"].get("values") or ()]
    if "kvlistValue" in value:
        return attributes(value["kvlistValue"].get("values") or ())
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def _indexed(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Messages and functions that are spread over numbered attributes."""
    groups: dict[str, dict[int, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for key, value in found.items():
        if match := INDEXED.match(key):
            group, number, rest = match.groups()
            _put(groups[group][int(number)], rest.split("."), value)
    out: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for group, numbered in groups.items():
        out[group] = [_listed(numbered[number]) for number in sorted(numbered)]
    return out


def _put(target: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        target = target.setdefault(step, {})
    target[path[-1]] = value


def _listed(value: Any) -> Any:
    """Dicts whose keys are all numbers become lists."""
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [_listed(value[key]) for key in sorted(value, key=int)]
    return {key: _listed(inner) for key, inner in value.items()}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
