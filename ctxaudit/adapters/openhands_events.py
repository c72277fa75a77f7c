"""One session of OpenHands events: events in, turns out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn

Event = dict[str, Any]
MASKED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "condensers that mask observations work on single requests, and write no event",
)
#: Events that steer the agent, and do not reach the model.
HIDDEN = frozenset(
    {"null", "change_agent_state", "agent_state_changed", "recall", "condensation_request", "pause"}
    | {"resume", "stop", "init", "start", "loop_recovery", "user_rejected", "change_status"}
)
#: What an action has that is not an argument of its call.
ABOUT = frozenset(
    {"thought", "is_confirmed", "confirmation_state", "security_risk", "hidden", "blocking"}
    | {"kernel_init_code", "keep_prompt", "is_input", "set_hard_timeout", "safety_risk"}
)
#: Where old results keep an action's own fields: beside these.
FRAME = frozenset({"id", "timestamp", "source", "message", "action", "cause", "timeout"})
#: What a recall has found, as far as the model reads it.
RECALLED = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")


class Session:
    """A session while it is read, and in it those of the agents that it delegates to."""

    def __init__(self, name: str, path: str) -> None:
        self.talk = Conversation(name, path, (MASKED,))
        self.spans: dict[Any, list[str]] = {}  # of each event
        self.calls: dict[Any, str] = {}  # calls of actions, by the id of the event
        self.known: set[str] = set()  # answers that have been read
        self.made: dict[str, str] = {}  # spans of calls by their ids
        self.first: dict[str, Any] = {}  # the action with which a call's answer was read
        self.count = 0  # actions without a call's id
        self.last = ""  # the call whose result comes next, where nothing tells which
        self.summary: list[str] = []
        self.delegate: Session | None = None

    def take(self, event: Event, line: int) -> Iterator[Turn]:
        """Read one event."""
        if self.delegate is not None:
            if event.get("observation") == "delegate" and self.delegate.delegate is None:
                yield from self.delegate.end()
                self.delegate = None
            else:
                self.delegate.talk.path = self.talk.path
                yield from self.delegate.take(event, line)
                return
        mark = self.talk.mark()
        if "observation" in event:
            self._observe(event, line)
        else:
            yield from self._act(event, line)
        self.spans.setdefault(event.get("id"), []).extend(self.talk.since(mark))

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        if self.delegate is not None:
            yield from self.delegate.end()
        yield from self.talk.end()

    # -- actions --------------------------------------------------------------------------------

    def _act(self, event: Event, line: int) -> Iterator[Turn]:
        sort, args = str(event.get("action")), _args(event)
        if sort == "system":
            self.talk.says(Kind.SYSTEM, content.text(args.get("content")), line)
            if isinstance(tools := args.get("tools"), list):
                self.talk.tools = content.schemas(tools)
        elif sort == "condensation":
            self._condense(args, line)
        elif sort in HIDDEN:
            return
        elif not self._by_agent(event, sort, args):
            told = args.get("content") or event.get("message") or args.get("command")
            self.talk.says(Kind.USER, content.text(told), line)
        elif sort == "message":
            yield self.talk.answer(line, text=content.text(args.get("content")))
        else:
            yield from self._call(event, sort, args, line)
            if sort == "delegate":
                name = f"{self.talk.name}/{args.get('agent') or 'agent'}-{event.get('id', line)}"
                self.delegate = Session(name, self.talk.path)

    def _by_agent(self, event: Event, sort: str, args: Event) -> bool:
        """Whether the agent does it. Old results do not tell: it waits for whom it has asked."""
        source = event.get("source")
        if source is None:
            return sort != "message" or args.get("wait_for_response") is True
        return bool(source == "agent")

    def _call(self, event: Event, sort: str, args: Event, line: int) -> Iterator[Turn]:
        """An action that is a call: its answer is read with the first of the actions in it."""
        metadata = event.get("tool_call_metadata")
        told: Event = metadata if isinstance(metadata, dict) else {}
        response = told.get("model_response")
        message = _message(response)
        self.count += 1
        ident = str(told.get("tool_call_id") or f"action:{event.get('id', self.count)}")
        self.calls[event.get("id")] = self.last = ident
        if ident in self.made and _key(response) in self.known:
            if ident in self.first:
                made = self.made[ident]
                self.spans[self.first.pop(ident)].remove(made)
                self.spans.setdefault(event.get("id"), []).append(made)
            return
        calls = [_asked(call) for call in message.get("tool_calls") or () if isinstance(call, dict)]
        if ident not in [call[0] for call in calls]:
            passed = {key: value for key, value in args.items() if key not in ABOUT}
            calls.append((ident, str(told.get("function_name") or sort), passed))
        self.known.add(_key(response))
        turn = self.talk.answer(
            line,
            text=content.text(message.get("content") or args.get("thought")),
            reasoning=str(message.get("reasoning_content") or ""),
            calls=calls,
            tokens=_tokens(response),
        )
        self.made |= {c[0]: made.id for c, made in zip(calls, turn.calls, strict=True)}
        self.first |= {c[0]: event.get("id") for c in calls if c[0] != ident}
        yield turn

    # -- observations ---------------------------------------------------------------------------

    def _observe(self, event: Event, line: int) -> None:
        sort, told = str(event.get("observation")), content.text(event.get("content"))
        if sort == "recall":
            self.talk.says(Kind.USER, _recalled(event), line)
        elif sort == "agent_condensation":
            self.summary = self._summed(told, line)
        elif sort not in HIDDEN:
            call = self._cause(event)
            if call is None:
                self.talk.says(Kind.USER, told, line)
            else:
                self.talk.result(call, told, line, _failed(event, sort))

    def _cause(self, event: Event) -> str | None:
        """The call that an observation is of, None if it is of none."""
        metadata = event.get("tool_call_metadata")
        if isinstance(metadata, dict) and metadata.get("tool_call_id"):
            return str(metadata["tool_call_id"])
        if "cause" in event:
            return self.calls.get(event["cause"])
        last, self.last = self.last, ""
        return last if last and "id" not in event else None

    # -- condensation ---------------------------------------------------------------------------

    def _condense(self, args: Event, line: int) -> None:
        forgotten = args.get("forgotten_event_ids")
        if forgotten is None:
            first, last = args["forgotten_events_start_id"], args["forgotten_events_end_id"]
            forgotten = [n for n in self.spans if isinstance(n, int) and first <= n <= last]
        gone = [span_id for event in forgotten for span_id in self.spans.get(event, ())]
        summary = args.get("summary")
        kind = DecisionKind.SPAN_SUMMARIZED if summary else DecisionKind.SPAN_EVICTED
        self.talk.prune(kind, [*self.summary, *self.talk.paired(gone)], line, actor="condenser")
        self.summary = self._summed(str(summary or ""), line)

    def _summed(self, summary: str, line: int) -> list[str]:
        span = self.talk.says(Kind.SUMMARY, summary, line)
        return [span] if span else []


def _args(event: Event) -> Event:
    """What an action was given; in old results its fields stand beside the others."""
    args = event.get("args")
    if isinstance(args, dict):
        return args
    return {key: value for key, value in event.items() if key not in FRAME}


def _message(response: Any) -> Event:
    choices = response.get("choices") if isinstance(response, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else {}


def _key(response: Any) -> str:
    """What tells an answer: its id, which not every provider gives, and its calls."""
    if not isinstance(response, dict):
        return ""
    calls = _message(response).get("tool_calls") or ()
    idents = [str(call.get("id")) for call in calls if isinstance(call, dict)]
    return "\x1f".join([str(response.get("id")), *idents])


def _asked(call: Event) -> tuple[str, str, Any]:
    function = call.get("function")
    told: Event = function if isinstance(function, dict) else {}
    passed = content.arguments(told.get("arguments"))
    return str(call.get("id") or ""), str(told.get("name") or ""), passed


def _tokens(response: Any) -> int | None:
    usage = response.get("usage") if isinstance(response, dict) else None
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count else None


def _recalled(event: Event) -> str:
    extras = event.get("extras")
    told: Event = extras if isinstance(extras, dict) else {}
    texts = [told.get(key) for key in RECALLED]
    texts += [
        found.get("content")
        for found in told.get("microagent_knowledge") or ()
        if isinstance(found, dict)
    ]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _failed(event: Event, sort: str) -> bool | None:
    extras = event.get("extras")
    told: Event = extras if isinstance(extras, dict) else event
    metadata = told.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else told.get("exit_code")
    wrong = isinstance(code, int) and code > 0
    return True if sort in ("error", "user_rejected") or wrong else None
