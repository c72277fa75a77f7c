"""AutoGen: events of model calls, states of agents and teams, results of tasks, chats of old.

    {"type": "LLMCall", "messages": [...], "response": {...}, "agent_id"}: a line for each call
    {"type": "AssistantAgentState", "llm_context": {"messages": [{"type": "UserMessage" |
     "AssistantMessage" | "FunctionExecutionResultMessage", "source", "content"}]}}
    {"type": "TeamState", "agent_states": {...}}
    {"messages": [...]} or lines of {"type": "TextMessage" | "ToolCallRequestEvent" | ..., "source",
     "content", "models_usage"}
    {"chat_history": [{"role", "name", "content", "tool_calls", "tool_responses"}]} of version 0.2

Model calls hold their whole prompts; the others what was said. Agents of a team are sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters.autogen_agents import Context, Team, old_messages
from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.adapters.envelopes import Exchange
from ctxaudit.adapters.exchanges import snapshot_of
from ctxaudit.adapters.openai_state import Chains
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, Turn
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import turns

NAME = "autogen"
TITLE = "AutoGen model calls, states and chats"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)
STORED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "what a buffered or limited context leaves out of a prompt is not stored: only the events of "
    "model calls (LLMCall) show it",
)
CALL = "LLMCall"
#: Types of what an agent or a team has said, and of the events of the runtime.
SAID = frozenset(
    {"TextMessage", "ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage"}
    | {
        "MultiModalMessage",
        "HandoffMessage",
        "StopMessage",
        "ThoughtEvent",
        "UserInputRequestedEvent",
    }
    | {
        "MemoryQueryEvent",
        "ModelClientStreamingChunkEvent",
        "StructuredMessage",
        "SelectSpeakerEvent",
    }
)
EVENTS = frozenset(
    {CALL, "LLMStreamStart", "LLMStreamEnd", "ToolCall", "Message", "MessageDropped"}
)
STATES = frozenset({"AssistantAgentState", "TeamState", "ChatAgentContainerState"})


def recognises(head: Sequence[Any]) -> bool:
    return any(_sort(data) is not None for data in head)


def _sort(data: Any) -> str | None:
    """What a record is of ours, None if it is nothing."""
    if not isinstance(data, dict):
        return None
    told = data.get("type")
    sort = told if isinstance(told, str) else ""
    if sort in EVENTS and (sort != CALL or isinstance(data.get("messages"), list)):
        return "call" if sort == CALL else "event" if "agent_id" in data else None
    if sort in STATES:
        return "state"
    if sort in SAID and "source" in data:
        return "said"
    if _listed(data, "messages", _is_said):
        return "result"
    if _listed(data, "chat_history", lambda m: isinstance(m, dict) and "role" in m):
        return "old"
    return None


def _is_said(message: Any) -> bool:
    return isinstance(message, dict) and str(message.get("type")) in SAID and "source" in message


def _listed(data: dict[str, Any], key: str, fits: Any) -> bool:
    listed = data.get(key)
    return isinstance(listed, list) and bool(listed) and all(map(fits, listed[:3]))


def read(source: Source) -> Iterator[Turn]:
    """The turns of all agents; of model calls, if there are any, by their prompts."""
    stored: list[Record] = []
    yield from turns(_calls(source, stored), source.damaged)
    yield from _stored(source, stored)


def _calls(source: Source, stored: list[Record]) -> Iterator[Snapshot]:
    """The model calls; what else is to be read goes to ``stored``."""
    chains = Chains()

    def build(record: Record) -> Snapshot | None:
        sort = _sort(record.data)
        if sort is None:
            raise TypeError("nothing that AutoGen writes")
        if sort != "call":
            if sort != "event":
                stored.append(record)
            return None
        data = record.data
        told = data.get("response")
        agent = str(data.get("agent_id") or PurePath(record.path).name.split(".")[0])
        body = {"messages": data["messages"]}
        if data.get("tools"):
            body["tools"] = data["tools"]
        exchange = Exchange(body, told if isinstance(told, dict) else None, agent, None, None, "")
        made = snapshot_of(exchange, record, chains)
        if made.prompt_tokens is None and isinstance(data.get("prompt_tokens"), int):
            made.prompt_tokens = data["prompt_tokens"]
        return made

    return source.each(build)


def _stored(source: Source, stored: list[Record]) -> Iterator[Turn]:
    teams: dict[str, Team] = {}
    contexts: dict[str, Context] = {}
    chats: dict[str, Chat] = {}

    def take(record: Record) -> Iterator[Turn]:
        data, own = record.data, PurePath(record.path).name.split(".")[0]
        sort = _sort(data)
        if sort == "state":
            for name, messages in _contexts(own, data):
                if name not in contexts:
                    contexts[name] = Context(name, record.path, (STORED,))
                yield from contexts[name].state(messages, record.line)
        elif sort == "old":
            name = f"{own}/{data['chat_id']}" if data.get("chat_id") is not None else own
            chat = chats.setdefault(name, Chat(name, record.path, (STORED,)))
            for message in data["chat_history"]:
                for plain in old_messages(message):
                    yield from chat.take(plain, record.line)
        else:
            team = teams.setdefault(own, Team(own, record.path, (STORED,)))
            for message in data["messages"] if sort == "result" else [data]:
                team.add(message, record.line)

    for record in stored:
        try:
            yield from take(record)
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)
    for team in teams.values():
        yield from team.turns(source.damaged)
    for talk in [c.talk for c in contexts.values()] + [c.talk for c in chats.values()]:
        yield from talk.end()


def _contexts(name: str, data: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """The messages of every agent's context in a state, with the agent's name."""
    inner = data.get("agent_state")
    context = data.get("llm_context")
    if isinstance(context, dict):
        yield name, context["messages"]
    elif isinstance(inner, dict):
        yield from _contexts(name, inner)
    states = data.get("agent_states")
    for agent, state in states.items() if isinstance(states, dict) else ():
        if isinstance(state, dict):
            yield from _contexts(f"{name}/{str(agent).split('/')[0]}", state)
