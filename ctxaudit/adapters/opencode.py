"""Exports of opencode: ``{"info": {...}, "messages": [{"info", "parts": [...]}]}``.

A tool's call and its result are one part; ``time.compacted`` on it says that its output is cleared
from then on. A user message with a ``compaction`` part, answered by an assistant message that is a
``summary`` and has finished, puts that summary in the place of what stood before it. The plugin
for dynamic pruning leaves its decisions in a file beside, ``dcp/<session>.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Log, Record, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn, dumps

NAME = "opencode"
TITLE = "opencode session exports"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
PLUGINS = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "what a plugin prunes for a single request is not in the export",
)
WHEN = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "results are marked as cleared or pruned, but not from which turn on",
)
CLEARED = "[Old tool result content cleared]"
PRUNED = "[Output removed to save context - information superseded or no longer needed]"
INTERRUPTED = "[Tool execution was interrupted]"


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_export(data) for data in head)


def _is_export(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("messages"), list):
        return False
    info = data.get("info")
    return isinstance(info, dict) and all(
        isinstance(m, dict) and "info" in m and "parts" in m for m in data["messages"][:3]
    )


def read(source: Source) -> Iterator[Turn]:
    for turns in source.each(_session):
        yield from turns


def _session(record: Record) -> list[Turn]:
    data = record.data
    if not _is_export(data):
        raise TypeError("no export of a session")
    name = str(data["info"].get("id") or Path(record.path).stem)
    return list(Session(name, record, _pruned(record.path, name)).turns(data["messages"]))


def _pruned(path: str, session: str) -> set[str]:
    """The calls whose output the plugin has pruned, from its file beside the export."""
    for folder in (Path(path).parent, Path(path).parent / "dcp"):
        beside = folder / f"{session}.json"
        if beside.is_file() and beside != Path(path):
            for record in Log(str(beside)):
                prune = record.data.get("prune") if isinstance(record.data, dict) else None
                tools = prune.get("tools") if isinstance(prune, dict) else None
                if isinstance(tools, (dict, list)):
                    return {str(call) for call in tools}
    return set()


class Session:
    """One session while it is read. All its records have one line: an export is one document."""

    def __init__(self, name: str, record: Record, pruned: set[str]) -> None:
        self.talk = Conversation(name, record.path, (PLUGINS,))
        self.line = record.line
        self.pruned = pruned
        self.spans: dict[str, list[str]] = {}  # of each message
        self.compaction: dict[str, Any] | None = None
        self.clearing: list[tuple[float, str]] = []  # when each result is cleared
        self.untimed: list[str] = []  # results that the plugin has pruned, it does not tell when

    def turns(self, messages: list[dict[str, Any]]) -> Iterator[Turn]:
        """The turns of all messages, in their order."""
        for message in messages:
            info, parts = message["info"], [p for p in message["parts"] if isinstance(p, dict)]
            mark = self.talk.mark()
            if info.get("role") == "assistant":
                yield from self._answer(info, parts)
            else:
                self._user(info, parts)
            self.spans[str(info.get("id"))] = self.talk.since(mark)
        if self.untimed:
            self.talk.gap(WHEN)
            stubs = dict.fromkeys(self.untimed, PRUNED)
            self.talk.prune(
                DecisionKind.RESULT_CLEARED, self.untimed, self.line, stubs=stubs, actor="plugin"
            )
        yield from self.talk.end()

    def _user(self, info: dict[str, Any], parts: list[dict[str, Any]]) -> None:
        for part in parts:
            if part.get("type") == "compaction":
                self.compaction = part
            elif part.get("type") == "text" and not part.get("ignored"):
                self.talk.says(Kind.USER, str(part.get("text") or ""), self.line, part.get("id"))

    def _answer(self, info: dict[str, Any], parts: list[dict[str, Any]]) -> Iterator[Turn]:
        text = _joined(parts, "text")
        if info.get("summary") is True:
            if info.get("finish") and not info.get("error"):
                self._compact(text)
            self.compaction = None
            return
        error = info.get("error")
        tools = [part for part in parts if part.get("type") == "tool"]
        if error and not text and not tools:
            return  # never sent again, and nothing was answered
        self._clear(_time(info))
        # One message may be several model calls: each begins with a step.
        for n, step in enumerate(_steps(parts)):
            yield from self._step(info, step, n)

    def _step(self, info: dict[str, Any], step: list[dict[str, Any]], n: int) -> Iterator[Turn]:
        tools = [part for part in step if part.get("type") == "tool"]
        text, reasoning = _joined(step, "text"), _joined(step, "reasoning")
        if not (tools or text or reasoning):
            return
        calls = [
            (str(t.get("callID") or ""), str(t.get("tool") or ""), _state(t).get("input"))
            for t in tools
        ]
        usage = next((p.get("tokens") for p in step if p.get("type") == "step-finish"), None)
        name = f"{info.get('id')}" if n == 0 else f"{info.get('id')}.{n}"
        yield self.talk.answer(
            self.line,
            text=text,
            reasoning=reasoning,
            calls=calls,
            tokens=_tokens(usage or info.get("tokens")),
            name=name,
        )
        for tool in tools:
            self._result(tool)

    def _result(self, tool: dict[str, Any]) -> None:
        state, call = _state(tool), str(tool.get("callID") or "")
        status = state.get("status")
        told = state.get("error") if status == "error" else state.get("output")
        text = told if isinstance(told, str) else dumps(told) if told is not None else INTERRUPTED
        failed = True if status == "error" else None
        span_id = self.talk.result(call, text, self.line, failed)
        times = state.get("time")
        when = times.get("compacted") if isinstance(times, dict) else None
        if isinstance(when, (int, float)):
            self.clearing.append((float(when), span_id))
        elif call in self.pruned:
            self.untimed.append(span_id)

    def _clear(self, now: float | None) -> None:
        """Clear the results whose time has come before this call was made."""
        if now is None:
            return
        due = [span_id for when, span_id in self.clearing if when <= now]
        self.clearing = [item for item in self.clearing if item[0] > now]
        if due:
            stubs = dict.fromkeys(due, CLEARED)
            self.talk.prune(DecisionKind.RESULT_CLEARED, due, self.line, stubs=stubs, actor="prune")

    def _compact(self, summary: str) -> None:
        tail = (self.compaction or {}).get("tail_start_id")
        gone: list[str] = []
        for message, ids in self.spans.items():
            if message == tail:
                break
            gone += ids
        # A summary takes the place of the one before, wherever that stands.
        gone += [i for i, s in self.talk.resident.items() if s.kind is Kind.SUMMARY]
        self.talk.prune(
            DecisionKind.SPAN_SUMMARIZED,
            gone,
            self.line,
            actor="compaction",
            opaque=not summary,
        )
        self.talk.says(Kind.SUMMARY, summary, self.line)


def _state(tool: dict[str, Any]) -> dict[str, Any]:
    state = tool.get("state")
    return state if isinstance(state, dict) else {}


def _joined(parts: list[dict[str, Any]], kind: str) -> str:
    texts = [p.get("text") for p in parts if p.get("type") == kind and not p.get("ignored")]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _steps(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    steps: list[list[dict[str, Any]]] = [[]]
    for part in parts:
        if part.get("type") == "step-start" and steps[-1]:
            steps.append([])
        steps[-1].append(part)
    return steps


def _tokens(usage: Any) -> int | None:
    if not isinstance(usage, dict):
        return None
    told = usage.get("cache")
    cache: dict[str, Any] = told if isinstance(told, dict) else {}
    counts = [usage.get("input"), cache.get("read"), cache.get("write")]
    return sum(count for count in counts if isinstance(count, int)) or None


def _time(info: dict[str, Any]) -> float | None:
    times = info.get("time")
    created = times.get("created") if isinstance(times, dict) else None
    return float(created) if isinstance(created, (int, float)) else None
