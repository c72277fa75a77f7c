"""Events of Copilot CLI: ``~/.copilot/session-state/<id>/events.jsonl``.

    {"type": "assistant.message", "data": {"messageId", "content", "toolRequests": [...]}, "id"}
    {"type": "tool.execution_complete", "data": {"toolCallId", "success", "result" | "error"}}
    {"type": "session.compaction_complete", "data": {"success", "summaryContent"}}

A compaction runs beside the agent: what came while it ran stays. Which messages it took is not
logged; all that stood when it began is taken for it. Sub-agents are sessions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn, dumps

NAME = "copilot-cli"
TITLE = "Copilot CLI session events"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.PARTIAL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
BOUNDARY = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "which messages a compaction took is not logged: all before it, but for the system prompt",
)
TRUNCATED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "messages were dropped to fit the window, and the log does not say which",
)
PREFIXES = ("session.", "assistant.", "user.", "tool.", "hook.", "subagent.", "system.")


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_event(data) for data in head)


def _is_event(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("data"), dict):
        return False
    kind = data.get("type")
    return isinstance(kind, str) and kind.startswith(PREFIXES) and "parentId" in data


def read(source: Source) -> Iterator[Turn]:
    """The turns of the main agent and of its sub-agents, in the order of the log."""
    events = Events()
    yield from source.through(_event, events.take)
    for agent in events.agents.values():
        yield from agent.talk.end()


def _event(record: Record) -> Record | None:
    if not isinstance(record.data, dict) or not isinstance(record.data.get("data"), dict):
        raise TypeError("no event")
    return record


class Agent:
    """The main agent, or a sub-agent: it has a prompt of its own."""

    def __init__(self, name: str, path: str) -> None:
        self.talk = Conversation(name, path)
        self.marked: list[str] = []  # what stood when a compaction began
        self.messages: set[str] = set()


class Events:
    """All sessions of one log while it is read."""

    def __init__(self) -> None:
        self.name = ""
        self.agents: dict[str, Agent] = {}

    def take(self, record: Record) -> Iterator[Turn]:
        """Read one event."""
        kind, data = str(record.data.get("type")), record.data["data"]
        if kind == "session.start" and not self.name:
            self.name = str(data.get("sessionId") or "")
        agent = self._agent(record, data)
        talk, line = agent.talk, record.line
        if kind == "assistant.message":
            yield from self._answer(agent, data, line)
        elif kind == "tool.execution_complete":
            talk.result(str(data.get("toolCallId") or ""), *_outcome(data, line))
        elif kind == "user.message":
            told = data.get("transformedContent") or data.get("content")
            talk.says(Kind.USER, str(told or ""), line)
        elif kind == "system.message":
            talk.says(Kind.SYSTEM, str(data.get("content") or ""), line)
        elif kind == "session.compaction_start":
            agent.marked = _not_system(talk)
        elif kind == "session.compaction_complete" and data.get("success", True):
            self._compact(agent, data, line)
        elif kind == "session.truncation":
            talk.gap(TRUNCATED)
        elif kind == "session.snapshot_rewind":
            talk.rewind(_not_system(talk))

    def _agent(self, record: Record, data: dict[str, Any]) -> Agent:
        """Whose event it is: a call's own id names the sub-agent that it started."""
        lane = record.data.get("agentId") or data.get("parentToolCallId") or ""
        if lane not in self.agents:
            name = self.name or PurePath(record.path).stem
            self.agents[lane] = Agent(f"{name}/{lane}" if lane else name, record.path)
        return self.agents[lane]

    @staticmethod
    def _answer(agent: Agent, data: dict[str, Any], line: int) -> Iterator[Turn]:
        message = str(data.get("messageId") or f"line:{line}")
        if message in agent.messages and data.get("messageId"):
            return  # told once more
        agent.messages.add(message)
        requests = [r for r in data.get("toolRequests") or () if isinstance(r, dict)]
        yield agent.talk.answer(
            line,
            text=str(data.get("content") or ""),
            reasoning=str(data.get("reasoningText") or ""),
            calls=[
                (str(r.get("toolCallId") or ""), str(r.get("name") or ""), r.get("arguments"))
                for r in requests
            ],
        )

    @staticmethod
    def _compact(agent: Agent, data: dict[str, Any], line: int) -> None:
        summary = str(data.get("summaryContent") or "")
        agent.talk.gap(BOUNDARY)
        agent.talk.prune(
            DecisionKind.SPAN_SUMMARIZED,
            agent.marked or _not_system(agent.talk),
            line,
            actor="compaction",
            opaque=not summary,
        )
        agent.talk.says(Kind.SUMMARY, summary, line)
        agent.marked = []


def _not_system(talk: Conversation) -> list[str]:
    return [span_id for span_id, span in talk.resident.items() if span.kind is not Kind.SYSTEM]


def _outcome(data: dict[str, Any], line: int) -> tuple[str, int, bool | None]:
    """Text, line and failure of a result."""
    error, result = data.get("error"), data.get("result")
    if data.get("success") is False:
        told = error.get("message") if isinstance(error, dict) else error
        return str(told or dumps(result or "failed")), line, True
    told = result.get("content") if isinstance(result, dict) else result
    return told if isinstance(told, str) else dumps(told if told is not None else ""), line, None
