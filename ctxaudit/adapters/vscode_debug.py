"""Debug logs of Copilot Chat in VS Code: ``debug-logs/<session>/``.

    main.jsonl            {"ts", "dur", "sid", "type": "llm_request", "name", "spanId",
                           "parentSpanId", "status", "attrs": {"inputMessages": "[...]",
                           "toolsFile": "tools_0.json", "systemPromptFile", "inputTokens"}}
                          {"type": "agent_response", "spanId": "agent-msg-<span>",
                           "attrs": {"response": "[...]"}}
    tools_0.json          {"content": "[...]"}: the tools that are offered from then on
    system_prompt_0.json  {"content": "..."}
    runSubagent-*.jsonl   the entries of a sub-agent that has a session of its own

Messages are those of the OpenTelemetry GenAI conventions. Logs of older versions hold no prompts.
The files that an entry names are looked for beside it, so that ``main.jsonl`` alone can be given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from ctxaudit.adapters import otel_messages
from ctxaudit.adapters.spans import CUT, CutError, count, lenient, loads, moment, schemas, whole
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Log, Record, Source, member
from ctxaudit.model import Aspect, Extent, Gap, Turn
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "vscode-debug"
TITLE = "Debug logs of Copilot Chat in VS Code"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)
UNLOGGED = tuple(
    Gap(aspect, Extent.NONE, "the log holds no prompts: newer versions of the extension write them")
    for aspect in (Aspect.PROMPTS, Aspect.RESULTS)
)
FIELDS = frozenset({"ts", "sid", "type", "spanId", "attrs"})
MAIN = "main.jsonl"
#: Files of model calls that serve the user interface only.
ASIDE = ("title-", "categorization-", "summarize-")
ANSWER = "agent-msg-"
Entry = dict[str, Any]


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names is that of one session."""
    beside = ("models.json", "tools_", "system_prompt_", "runSubagent-", *ASIDE)
    return MAIN in names and any(name.startswith(beside) for name in names)


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_entry(member(data)[1]) for data in head)


def _is_entry(data: Any) -> bool:
    return isinstance(data, dict) and data.keys() >= FIELDS and isinstance(data["attrs"], dict)


def read(source: Source) -> Iterator[Turn]:
    """The turns of all sessions, by the start of their model calls: each is logged at its end."""
    session = Debug()
    for record, entry in source.each(_entry):
        session.take(record, entry)
    return turns(session.snapshots(source), source.damaged)


def _entry(record: Record) -> tuple[Record, Entry] | None:
    name, data = member(record.data)
    if name is not None and (not name.endswith(".jsonl") or name.startswith(ASIDE)):
        return None
    if not _is_entry(data):
        raise TypeError("no entry of a debug log")
    return record, data


@dataclass(slots=True)
class Debug:
    """The entries of a session and its sub-agents, and the files that they name."""

    calls: list[tuple[Record, Entry]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)  # by the span of the call
    above: dict[str, str | None] = field(default_factory=dict)  # spans by the ones within them
    agents: dict[str, str] = field(default_factory=dict)  # names of sub-agents by their spans
    callers: dict[str, str] = field(default_factory=dict)  # sessions by those of sub-agents
    files: dict[str, Any] = field(default_factory=dict)
    said: dict[str, list[Any]] = field(default_factory=dict)  # by session and sub-agent

    def take(self, record: Record, entry: Entry) -> None:
        """Take note of an entry."""
        span, sort, attributes = str(entry["spanId"]), entry["type"], entry["attrs"]
        if sort == "llm_request":
            self.calls.append((record, entry))
        elif sort == "agent_response":
            self.answers[span.removeprefix(ANSWER)] = attributes.get("response")
        elif sort == "child_session_ref":
            self.callers[str(attributes.get("childSessionId"))] = str(entry["sid"])
        elif sort == "subagent":
            self.agents[span] = str(attributes.get("agentName") or entry.get("name") or "agent")
        self.above[span] = entry.get("parentSpanId")

    def snapshots(self, source: Source) -> Iterator[Snapshot]:
        """The model calls, by their start."""
        self.calls.sort(key=lambda call: moment(call[1]["ts"]))
        for record, entry in self.calls:
            try:
                yield self._snapshot(record, entry)
            except WRONG_SHAPE as error:
                source.damaged(record.path, record.line, error)

    def _snapshot(self, record: Record, entry: Entry) -> Snapshot:
        attributes, agent = entry["attrs"], self._agent(entry)
        failed = entry.get("status") == "error"
        gaps: tuple[Gap, ...] = ()
        items: list[Any] = []
        try:
            told = loads(attributes.get("inputMessages"))
            if isinstance(told, list):
                items = told
            else:
                # All that is known of the prompt: it holds what was answered before.
                gaps, items = UNLOGGED, [*self.said.get(f"{entry['sid']}/{agent}", ())]
        except CutError:
            gaps = (CUT,)
        # The files that a call names are those of the session's own agent.
        if agent is None and items and not any(_is_system(item) for item in items):
            items = [*self._system(record, attributes.get("systemPromptFile")), *items]
        made = Snapshot(
            record.path,
            record.line,
            self._session(str(entry["sid"])),
            items,
            otel_messages.pieces,
            schemas,
            self._tools(record, attributes.get("toolsFile")) if agent is None else None,
            reply=self._reply(str(entry["spanId"])),
            lane=agent,
            error=str(attributes.get("error") or "error") if failed else None,
            prompt_tokens=count(attributes.get("inputTokens")),
            partial=bool(gaps),
            gaps=gaps,
            complete=whole,
        )
        if failed and made.reply is None:
            made.reply = []
        if gaps == UNLOGGED:
            answer = self._answer(str(entry["spanId"])) or []
            self.said.setdefault(f"{entry['sid']}/{agent}", []).extend(answer)
        return made

    def _session(self, session: str) -> str:
        caller = self.callers.get(session)
        return f"{caller}/{session}" if caller and caller != session else session

    def _agent(self, entry: Entry) -> str | None:
        """The sub-agent whose call it is, None if it is the session's own."""
        seen: set[str] = set()
        span = entry.get("parentSpanId")
        while isinstance(span, str) and span not in seen:
            if span in self.agents:
                return f"{self.agents[span]}-{span}"
            seen.add(span)
            span = self.above.get(span)
        return None

    def _answer(self, span: str) -> list[Any] | None:
        """What the model answered; None where that is cut or not logged: the next prompt tells."""
        try:
            told = loads(self.answers.get(span))
        except CutError:
            return None
        if not isinstance(told, list):
            return None
        return [{"role": "assistant", **item} for item in told if isinstance(item, dict)]

    def _reply(self, span: str) -> list[Piece] | None:
        said = self._answer(span)
        if said is None:
            return None
        return [piece for item in said for piece in otel_messages.pieces(item)]

    # -- the files beside the log ---------------------------------------------------------------

    def _tools(self, record: Record, name: Any) -> list[Any] | None:
        told = lenient(self._content(record, name))
        return told if isinstance(told, list) else None

    def _system(self, record: Record, name: Any) -> list[Any]:
        told = lenient(self._content(record, name))
        if not told:
            return []
        parts = told if isinstance(told, list) else [{"type": "text", "content": told}]
        return [{"role": "system", "parts": parts}]

    def _content(self, record: Record, name: Any) -> Any:
        """The content of a file of the session, None if it is not there."""
        if not isinstance(name, str) or PurePath(name).name != name:
            return None
        path = str(Path(record.path).parent / name)
        if path not in self.files:
            self.files[path] = _content(path)
        return self.files[path]


def _content(path: str) -> Any:
    if not Path(path).is_file():
        return None
    told = next((r.data for r in Log(path) if isinstance(r.data, dict)), {})
    return told.get("content")


def _is_system(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") == "system"
