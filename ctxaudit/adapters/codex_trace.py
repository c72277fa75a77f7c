"""Codex rollout traces: folders with the very requests that were sent, tools included.

    manifest.json           {"trace_id", "rollout_id", "root_thread_id"}
    trace.jsonl             {"seq", "thread_id", "payload": {"type": "inference_started",
                             "request_payload": {"path": "payloads/1.json"}, ...}}
    payloads/1.json         a request's body, or {"response_id", "output_items", "token_usage"}

A request that goes on from a response holds only what is new; ``request_input_mode`` tells. Every
thread is a session. ``compaction_installed`` says that the thread's next prompt was rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxaudit.adapters.envelopes import Exchange
from ctxaudit.adapters.exchanges import snapshot_of
from ctxaudit.adapters.openai_state import Chains
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Log, Record, Source, member
from ctxaudit.model import Aspect, Extent, Gap, Turn
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import turns

NAME = "codex-trace"
TITLE = "Codex rollout traces (folders with manifest.json, trace.jsonl and payloads)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

EVENTS, MANIFEST, PAYLOADS = "trace.jsonl", "manifest.json", "payloads"
#: What payloads that matter have; the others are outputs of tools and protocol events.
BODIES = ("input", "output_items")
ENDS = ("inference_completed", "inference_failed", "inference_cancelled")
LOST = Gap(
    Aspect.PROMPTS, Extent.PARTIAL, "the payloads of some requests are missing from the trace"
)
ACTOR = "codex compaction"


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names is a trace."""
    return {EVENTS, MANIFEST} <= names


def recognises(head: Sequence[Any]) -> bool:
    values = [member(data)[1] for data in head]
    return any(_is_manifest(value) or _is_event(value) for value in values)


def _is_manifest(data: Any) -> bool:
    return isinstance(data, dict) and {"trace_id", "rollout_id", "root_thread_id"} <= data.keys()


def _is_event(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and {"seq", "rollout_id", "payload"} <= data.keys()
        and isinstance(data["payload"], dict)
        and "type" in data["payload"]
    )


def read(source: Source) -> Iterator[Turn]:
    """The turns of all threads, in the order in which their requests were answered."""
    trace = Trace()

    def snapshots() -> Iterator[Snapshot]:
        yield from source.each(trace.take)
        for call in trace.open.values():
            try:
                yield trace.snapshot(call, None, None)
            except WRONG_SHAPE as error:
                source.damaged(call.record.path, call.record.line, error)

    yield from turns(snapshots(), source.damaged)


@dataclass(slots=True)
class Call:
    """A request while its answer is awaited; its body is None if it is missing."""

    record: Record
    thread: str
    body: dict[str, Any] | None
    stated: str | None


class Trace:
    """What a trace has told so far: payloads that were not yet asked for, and open requests."""

    def __init__(self) -> None:
        self.payloads: dict[str, Any] = {}
        self.open: dict[str, Call] = {}
        self.chains = Chains()
        self.compacted: set[str] = set()  # threads whose next prompt was rewritten

    def take(self, record: Record) -> Snapshot | None:
        """Read a record; the model call that it ends."""
        name, data = member(record.data)
        if name is not None and name.startswith(f"{PAYLOADS}/"):
            if isinstance(data, dict) and any(key in data for key in BODIES):
                self.payloads[name] = data
            return None
        if not (name or EVENTS).endswith(EVENTS) or not _is_event(data):
            return None
        event = data["payload"]
        if event["type"] == "inference_started":
            self._start(record, data)
        elif event["type"] == "compaction_installed":
            self.compacted.add(str(data.get("thread_id")))
        elif event["type"] in ENDS:
            return self._end(event)
        return None

    def _start(self, record: Record, event: dict[str, Any]) -> None:
        payload = event["payload"]
        thread = str(payload.get("thread_id") or event.get("thread_id"))
        body = self._payload(payload["request_payload"], record)
        if body is not None:
            body = self._whole(body, payload, record)
        stated = ACTOR if thread in self.compacted else None
        self.compacted.discard(thread)
        self.open[str(payload["inference_call_id"])] = Call(record, thread, body, stated)

    def _whole(
        self, body: dict[str, Any], payload: dict[str, Any], record: Record
    ) -> dict[str, Any]:
        """The body, with the response that it goes on from only if that is really so."""
        mode = payload.get("request_input_mode") or {}
        if mode.get("type") == "full_snapshot":
            return {**body, "previous_response_id": None}
        if mode.get("type") == "incremental_with_untraced_prefix":
            before = self._payload(mode["prefix_payload"], record)
            if before is not None:
                told = [*before["input"], *body["input"]]
                return {**body, "input": told, "previous_response_id": None}
        return body

    def _end(self, event: dict[str, Any]) -> Snapshot | None:
        call = self.open.pop(str(event["inference_call_id"]), None)
        if call is None:
            return None
        reference = event.get("response_payload") or event.get("partial_response_payload")
        answer = self._payload(reference, call.record) if reference else None
        if answer is None and event["type"] != "inference_completed":
            answer = {"output_items": []}  # nothing had come before it was over
        response = answer and {
            "id": event.get("response_id") or answer.get("response_id"),
            "object": "response",
            "output": answer["output_items"],
            "usage": answer.get("token_usage"),
        }
        return self.snapshot(call, response, event.get("error"))

    def snapshot(self, call: Call, response: dict[str, Any] | None, error: Any) -> Snapshot:
        """A request and its answer, which is None if it is not in the trace."""
        body = call.body if call.body is not None else {"input": []}
        told = str(error) if error else None
        made = snapshot_of(
            Exchange(body, response, call.thread, None, told), call.record, self.chains
        )
        made.stated = call.stated
        if call.body is None:
            made.partial, made.gaps = True, (LOST,)
        return made

    def _payload(self, reference: dict[str, Any], record: Record) -> dict[str, Any] | None:
        """What a payload holds: it came before, or lies beside the events if these are alone."""
        path = str(reference["path"])
        found = self.payloads.pop(path) if path in self.payloads else _beside(record.path, path)
        return found if isinstance(found, dict) else None


def _beside(events: str, path: str) -> Any:
    file = Path(events).parent / path
    if Path(path).is_absolute() or ".." in Path(path).parts or not file.is_file():
        return None
    return next((record.data for record in Log(str(file))), None)
