"""OTLP JSON lines with the OpenTelemetry GenAI conventions.

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat ...", "attributes": [...]}]}]}]}
    {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName", "traceId", "spanId"}]}]}]}

Inference spans carry the whole prompt in ``gen_ai.input.messages`` (a JSON text), or their events
do (otel_events.py); older instrumentation has indexed attributes ``gen_ai.prompt.0.role``. Spans of
OpenInference may stand among them. Content may be cut: then nothing is inferred from what is
missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import openinference
from ctxaudit.adapters.otel_attributes import attributes, numbered
from ctxaudit.adapters.otel_events import merged
from ctxaudit.adapters.otel_messages import pieces
from ctxaudit.adapters.spans import (
    CUT,
    CutError,
    count,
    lenient,
    loads,
    moment,
    schemas,
    traced,
    whole,
)
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "otel-genai"
TITLE = "OTLP JSON lines with OpenTelemetry GenAI or OpenInference spans"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

INFERENCE = frozenset({"chat", "text_completion", "generate_content"})
COMPACTED = "gen_ai.conversation.compacted"
Span = dict[str, Any]
Call = tuple[Record, Span, list[Span]]  # a span with its events in the log


def recognises(head: Sequence[Any]) -> bool:
    return any(
        isinstance(data, dict) and ("resourceSpans" in data or "resourceLogs" in data)
        for data in head
    )


def read(source: Source) -> Iterator[Turn]:
    """The turns of all conversations, by the start of their calls.

    Spans are logged when they end, and events may stand before or after the span that they are of.
    """
    trace = Trace()
    for _ in source.each(trace.take):
        pass

    def snapshots() -> Iterator[Snapshot]:
        compacted: set[tuple[str | None, str | None]] = set()
        for record, span, events in trace.calls():
            try:
                made, told = _snapshot(span, events, record)
            except WRONG_SHAPE as error:
                source.damaged(record.path, record.line, error)
                continue
            if made is None:
                continue
            who = (made.session, made.lane)
            if told and who not in compacted:
                made.stated = COMPACTED  # and true ever after
            (compacted.add if told else compacted.discard)(who)
            yield made

    return turns(snapshots(), source.damaged)


class Trace:
    """The spans and events of a log."""

    def __init__(self) -> None:
        self.spans: list[tuple[Record, Span]] = []
        self.events: dict[tuple[str, str], list[tuple[Record, Span]]] = {}
        self.alone: list[tuple[Record, Span]] = []  # events of no span

    def take(self, record: Record) -> None:
        """Read a line."""
        data = record.data
        if not isinstance(data, dict):
            return
        for resource in data.get("resourceSpans") or ():
            for scope in resource.get("scopeSpans") or ():
                for span in scope.get("spans") or ():
                    if not isinstance(span, dict):
                        raise TypeError("a span is no object")
                    self.spans.append((record, span))
        for resource in data.get("resourceLogs") or ():
            for scope in resource.get("scopeLogs") or ():
                for event in scope.get("logRecords") or ():
                    self._event(record, event)

    def _event(self, record: Record, event: Span) -> None:
        key = (str(event.get("traceId") or ""), str(event.get("spanId") or ""))
        if key[1].strip("0"):
            self.events.setdefault(key, []).append((record, event))
        else:
            self.alone.append((record, event))

    def calls(self) -> list[Call]:
        """All spans, each with its events; events whose span is not in the log stand for it."""
        found: list[Call] = []
        for record, span in self.spans:
            key = (str(span.get("traceId") or ""), str(span.get("spanId") or ""))
            found.append((record, span, [event for _, event in self.events.pop(key, ())]))
        for group in (*self.events.values(), *([one] for one in self.alone)):
            record, last = group[-1]
            found.append((record, _stand_in(last), [event for _, event in group]))
        return sorted(found, key=lambda one: moment(str(one[1].get("startTimeUnixNano")).zfill(20)))


def _stand_in(event: Span) -> Span:
    """The span of events whose own is not in the log: they are all of model calls."""
    start = event.get("timeUnixNano") or event.get("observedTimeUnixNano")
    return {
        "traceId": event.get("traceId"),
        "spanId": event.get("spanId"),
        "startTimeUnixNano": start,
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}],
    }


def _snapshot(span: Span, events: list[Span], record: Record) -> tuple[Snapshot | None, bool]:
    """The model call that a span is, and whether it says that the conversation was compacted."""
    found = attributes(span.get("attributes"))
    if openinference.KIND in found:
        ids = {"trace_id": span.get("traceId"), "span_id": span.get("spanId")}
        return openinference.snapshot(found, {**span, **ids}, record), False
    cut = bool(span.get("droppedAttributesCount") or span.get("droppedEventsCount"))
    try:
        found = {**found, **merged([*(span.get("events") or ()), *events])}
    except CutError:
        cut = True
    operation = found.get("gen_ai.operation.name") or found.get("llm.request.type")
    indexed, unbroken = numbered(found, "gen_ai.prompt")
    messages = found.get("gen_ai.input.messages")
    if operation not in INFERENCE or (messages is None and not indexed):
        return None, False
    cut = cut or bool(found.get("cut")) or (messages is None and not unbroken)
    try:
        items = loads(messages) if messages is not None else indexed
        system = loads(found.get("gen_ai.system_instructions")) or []
    except CutError:
        items, system, cut = [], [], True
    head = [{"role": "system", "parts": _parts(system)}] if system else []
    status = span.get("status") or {}
    refused = status.get("code") in (2, "STATUS_CODE_ERROR") or "error.type" in found
    made = Snapshot(
        record.path,
        record.line,
        _session(found, span),
        [*head, *_from_compaction(items if isinstance(items, list) else [])],
        pieces,
        schemas,
        _tools(found),
        reply=_reply(found),
        lane=found.get("gen_ai.agent.id") or found.get("gen_ai.agent.name"),
        error=str(status.get("message") or found.get("error.type")) if refused else None,
        prompt_tokens=count(found.get("gen_ai.usage.input_tokens")),
        partial=cut,
        gaps=(CUT,) if cut else (),
        complete=whole,
        trace=traced(span.get("traceId"), span.get("spanId")),
    )
    return made, found.get(COMPACTED) is True


def _parts(system: Any) -> list[Any]:
    return system if isinstance(system, list) else [{"type": "text", "content": system}]


def _tools(found: dict[str, Any]) -> list[Any] | None:
    """The definitions that are offered, None where they are not logged, or were cut."""
    try:
        tools = loads(found.get("gen_ai.tool.definitions"))
    except CutError:
        return None
    if tools is None:
        listed, unbroken = numbered(found, "llm.request.functions")
        return listed if listed and unbroken else None
    return tools if isinstance(tools, list) else None


def _from_compaction(items: list[Any]) -> list[Any]:
    """What the model still sees of a prompt in which the provider has compacted what was before."""
    at = [n for n, item in enumerate(items) if isinstance(item, dict) and _compacts(item)]
    if not at:
        return items
    system = [i for i in items[: at[-1]] if isinstance(i, dict) and i.get("role") == "system"]
    return [*system, *items[at[-1] :]]


def _compacts(item: dict[str, Any]) -> bool:
    parts = item.get("parts")
    return isinstance(parts, list) and any(
        isinstance(part, dict) and part.get("type") == "compaction" for part in parts
    )


def _session(found: dict[str, Any], span: Span) -> str | None:
    session = found.get("gen_ai.conversation.id") or found.get("session.id") or span.get("traceId")
    return str(session) if session else None


def _reply(found: dict[str, Any]) -> list[Piece]:
    answer = lenient(found.get("gen_ai.output.messages"))
    if not isinstance(answer, list):
        answer, _ = numbered(found, "gen_ai.completion")
    told = [{"role": "assistant", **m} if isinstance(m, dict) else m for m in answer]
    return [piece for message in told for piece in pieces(message)]
