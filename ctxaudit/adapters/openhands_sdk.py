"""Conversations of the OpenHands agent SDK: a folder of events, a list or lines of them.

    conversations/<id>/events/event-00003-<uuid>.json
    {"kind": "SystemPromptEvent", "id", "system_prompt": {"text"}, "tools": [...]}
    {"kind": "MessageEvent", "llm_message": {"role", "content": [...]}}
    {"kind": "ActionEvent", "thought": [...], "tool_call": {"id", "name", "arguments"},
     "llm_response_id"}
    {"kind": "ObservationEvent", "tool_call_id", "observation": {"content": [...], "is_error"}}
    {"kind": "Condensation", "forgotten_event_ids": [...], "summary", "summary_offset"}

Actions with the same response are one answer. A condensation takes the events that it names; its
summary stays until a later one names it, as ``<id of the condensation>-summary``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.openhands_files import session_name
from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Record, Source, member
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, ToolSchema, Turn
from ctxaudit.patterns import regex

NAME = "openhands-sdk"
TITLE = "Events of the OpenHands agent SDK"
SHOWS = {
    Aspect.SCHEMAS: Extent.FULL,
    Aspect.PROMPTS: Extent.FULL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
NAMES_ONLY = Gap(Aspect.SCHEMAS, Extent.PARTIAL, "of the tools the events tell only the names")
_FILE = regex(r"event-\d+-.+\.json\Z")
_WORD = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: Kinds of events by which their stream is known.
KINDS = frozenset(
    {"SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent"}
    | {"ConversationStateUpdateEvent", "Condensation", "CondensationRequest", "PauseEvent"}
    | {"UserRejectObservation", "LLMCompletionLogEvent", "ConversationErrorEvent"}
)


def folder(names: frozenset[str]) -> bool:
    """Whether a folder with entries of these names is that of a conversation, or of its events."""
    return {"base_state.json", "events"} <= names or any(_FILE.match(name) for name in names)


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_event(event) for data in head for event in _events(member(data)[1]))


def _events(data: Any) -> list[Any]:
    """The events of a value: it is one, or a page of the server's API."""
    items = data.get("items") if isinstance(data, dict) and "kind" not in data else None
    return items if isinstance(items, list) else [data]


def _is_event(data: Any) -> bool:
    return isinstance(data, dict) and str(data.get("kind")) in KINDS and "source" in data


def read(source: Source) -> Iterator[Turn]:
    """The turns of the conversation, in the order of the events."""
    reader = Reader()
    yield from source.through(_record, reader.take)
    yield from reader.end()


def _record(record: Record) -> Record | None:
    name, data = member(record.data)
    if name is not None and not _FILE.match(PurePath(name).name):
        return None  # the state of the conversation, and what else is kept beside the events
    if not isinstance(data, dict):
        raise TypeError("no event")
    return Record(record.path, record.line, data)


class Reader:
    """One conversation while it is read."""

    def __init__(self) -> None:
        self.talk: Conversation | None = None
        self.spans: dict[str, list[str]] = {}  # of each event
        self.answer: list[dict[str, Any]] = []  # actions of a response that may have others
        self.began: Record | None = None  # the first of them

    def take(self, record: Record) -> Iterator[Turn]:
        """Read an event, or a page of them."""
        if self.talk is None:
            self.talk = Conversation(session_name(record.path), record.path)
        for event in _events(record.data):
            if isinstance(event, dict):
                yield from self._event(self.talk, event, record)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        if self.talk is not None:
            yield from self._answered(self.talk)
            yield from self.talk.end()

    def _event(self, talk: Conversation, event: dict[str, Any], record: Record) -> Iterator[Turn]:
        kind, line = str(event.get("kind")), record.line
        if kind == "ActionEvent":
            response = event.get("llm_response_id")
            if self.answer and (not response or response != self.answer[0]["llm_response_id"]):
                yield from self._answered(talk)
            if not self.answer:
                self.began = record
            self.answer.append({**event, "llm_response_id": response})
            return
        if kind not in KINDS:
            return  # nothing that reaches the model
        yield from self._answered(talk)
        talk.path, mark = record.path, talk.mark()
        if kind == "SystemPromptEvent":
            self._system(talk, event, line)
        elif kind == "MessageEvent":
            yield from self._message(talk, event, line)
        elif kind == "Condensation":
            self._condense(talk, event, line)
            return
        elif kind in ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"):
            told, failed = _outcome(event)
            talk.result(str(event.get("tool_call_id") or ""), told, line, failed)
        self.spans[str(event.get("id"))] = talk.since(mark)

    def _system(self, talk: Conversation, event: dict[str, Any], line: int) -> None:
        talk.says(Kind.SYSTEM, _text(event.get("system_prompt")), line)
        talk.says(Kind.SYSTEM, _text(event.get("dynamic_context")), line)
        tools = event.get("tools")
        if isinstance(tools, list):
            talk.tools, named = _schemas(tools)
            if named:
                talk.gap(NAMES_ONLY)

    def _message(self, talk: Conversation, event: dict[str, Any], line: int) -> Iterator[Turn]:
        message = event["llm_message"]
        text = _text(message.get("content"))
        extended = "\n".join(_text(part) for part in event.get("extended_content") or ())
        if message.get("role") == "assistant":
            thought = str(message.get("reasoning_content") or "")
            yield talk.answer(line, text=text, reasoning=thought, name=_name(event))
        else:
            told = "\n".join(part for part in (text, extended) if part)
            kind = Kind.SYSTEM if message.get("role") == "system" else Kind.USER
            talk.says(kind, told, line, _name(event))

    def _answered(self, talk: Conversation) -> Iterator[Turn]:
        """The answer that the last actions are: each tells one call of it."""
        actions, self.answer = self.answer, []
        if not actions or self.began is None:
            return
        first, mark, talk.path = actions[0], talk.mark(), self.began.path
        turn = talk.answer(
            self.began.line,
            text="\n".join(filter(None, (_text(a.get("thought")) for a in actions))),
            reasoning=str(first.get("reasoning_content") or ""),
            calls=[_call(action) for action in actions],
            name=_name(first),
        )
        called = [call.id for call in turn.calls]
        said = [span_id for span_id in talk.since(mark) if span_id not in called]
        for action, call in zip(actions, called, strict=True):
            self.spans[str(action.get("id"))] = [*said, call]
            said = []
        yield turn

    def _condense(self, talk: Conversation, event: dict[str, Any], line: int) -> None:
        forgotten = [str(ident) for ident in event.get("forgotten_event_ids") or ()]
        gone = [span_id for ident in forgotten for span_id in self.spans.get(ident, ())]
        summary = event.get("summary")
        kind = DecisionKind.SPAN_SUMMARIZED if summary else DecisionKind.SPAN_EVICTED
        talk.prune(kind, talk.paired(gone), line, actor="condenser")
        if isinstance(summary, str):
            span = talk.says(Kind.SUMMARY, summary, line)
            self.spans[f"{event.get('id')}-summary"] = [span] if span else []


def _name(event: dict[str, Any]) -> str | None:
    return f"event:{event['id']}" if event.get("id") else None


def _call(action: dict[str, Any]) -> tuple[str, str, Any]:
    """Id, tool and arguments of an action's call."""
    told = action.get("tool_call")
    call: dict[str, Any] = told if isinstance(told, dict) else {}
    ident = action.get("tool_call_id") or call.get("id") or ""
    tool = call.get("name") or action.get("tool_name") or ""
    arguments = call.get("arguments", action.get("action"))
    return str(ident), str(tool), content.arguments(arguments)


def _outcome(event: dict[str, Any]) -> tuple[str, bool | None]:
    """Text and failure of what came of a call."""
    if event["kind"] == "AgentErrorEvent":
        return str(event.get("error") or ""), True
    if event["kind"] == "UserRejectObservation":
        return f"Action rejected: {event.get('rejection_reason') or ''}", True
    told = event["observation"]
    text = _text(told.get("content", told.get("output")))
    return text, True if told.get("is_error") else None


def _text(value: Any) -> str:
    """The text of a part, or of a list of parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value.get("text"))
    if isinstance(value, list):
        return "\n".join(text for text in map(_text, value) if text)
    return ""


def _schemas(tools: list[Any]) -> tuple[dict[str, ToolSchema], bool]:
    """The tools by name, and whether of some of them no more is known."""
    found: dict[str, ToolSchema] = {}
    named = False
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        inner = tool.get("mcp_tool", tool)
        if isinstance(inner, dict) and (inner.get("function") or inner.get("name")):
            found |= content.schemas([inner])
        elif isinstance(kind := tool.get("kind"), str):
            # Tools are named after their classes.
            name = _WORD.sub("_", kind).lower().removesuffix("_tool")
            found[name], named = ToolSchema(name), True
    return found, named
