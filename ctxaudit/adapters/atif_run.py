"""One run of an ATIF agent: steps in, turns out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.log import Record
from ctxaudit.model import Aspect, DecisionKind, Extent, Gap, Kind, Turn
from ctxaudit.patterns import regex

Step = dict[str, Any]

#: A system step that says that the context was shortened.
_SHORTENED = regex(
    r"(?is)\A.{0,80}(?:(?:context|conversation|history)\W(?:\w+\W){0,3}?(?:summari[sz]|compact|condens)"
    r"|(?:summari[sz]|compact|condens)\w*\W(?:\w+\W){0,3}?(?:context|conversation|history)"
    r"|\b(?:manual|auto)[ _-]compaction)"
)
#: Agents of which it is known that they start anew then: the first prompt and a handoff.
HANDS_OVER = frozenset({"terminus-2", "terminus"})
UNTOLD = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "the context was shortened, and the trajectory does not tell what of it was kept",
)
NOT_COPIED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "a continuation copies nothing of what was before: what its prompts still held is unknown",
)
OPAQUE = Gap(
    Aspect.SUMMARIES,
    Extent.PARTIAL,
    "the summary for a handoff stands in other trajectories: what it kept is unknown",
)


class Run:
    """A session while its trajectories are read. ``offered`` are all tools that any of them
    defines."""

    def __init__(self, name: str, offered: set[str]) -> None:
        self.talk = Conversation(name, "")
        self.offered = offered
        self.begun = False
        self.first: set[str] = set()  # spans from before the first answer
        self.known: dict[tuple[Any, ...], list[list[str]]] = defaultdict(list)  # spans of steps
        self.line = 1

    def read(self, record: Record, data: dict[str, Any]) -> Iterator[Turn]:
        """Read one trajectory: the first, or one that goes on from the last."""
        talk, agent = self.talk, data.get("agent") or {}
        talk.path, self.line = record.path, record.line
        steps = [step for step in data["steps"] if isinstance(step, dict)]
        tools = agent.get("tool_definitions")
        if isinstance(tools, list):
            talk.tools = content.schemas(tools)
            talk.complete = self._defined(steps)
        copied = [step for step in steps if step.get("is_copied_context")]
        own = [step for step in steps if not step.get("is_copied_context")]
        last = max((n for n, step in enumerate(own) if _answers(step)), default=-1)
        if self.begun:
            own, last = self._go_on(copied, own, last)
        else:
            for step in copied:
                self._carry(step)
        self.begun = True
        for n, step in enumerate(own):
            if step.get("source") == "system" and n < last and talk.count and _shortens(step):
                self._shorten(str(agent.get("name")).lower())
                continue
            yield from self._read(step)

    def end(self) -> Iterator[Turn]:
        """What came after the last answer."""
        return self.talk.end()

    def _defined(self, steps: list[Step]) -> bool:
        """Whether the definitions are all of the tools: no other one is used."""
        used = {c.get("function_name") for step in steps for c in step.get("tool_calls") or ()}
        return used <= self.offered

    # -- steps ----------------------------------------------------------------------------------

    def _read(self, step: Step) -> Iterator[Turn]:
        mark = self.talk.mark()
        if _answers(step):
            yield self._answer(step)
        else:
            self._enter(step)
        self._observe(step)
        self.known[_key(step)].append(self.talk.since(mark))

    def _answer(self, step: Step) -> Turn:
        metrics = step.get("metrics") or {}
        tokens = metrics.get("prompt_tokens")
        one = step.get("llm_call_count") in (None, 1)  # else the counts are sums
        if not self.talk.count:
            self.first = set(self.talk.resident)
        return self.talk.answer(
            self.line,
            text=content.text(step.get("message")),
            reasoning=str(step.get("reasoning_content") or ""),
            calls=[
                (str(c.get("tool_call_id") or ""), str(c["function_name"]), c.get("arguments"))
                for c in step.get("tool_calls") or ()
            ],
            tokens=tokens if one and isinstance(tokens, int) else None,
            name=_name(step),
        )

    def _enter(self, step: Step, kind: Kind | None = None) -> None:
        """What is no answer: a message, or an agent's step that no model was asked for."""
        kinds = {"system": Kind.SYSTEM, "user": Kind.USER, "agent": Kind.ASSISTANT}
        kind = kind or kinds.get(str(step.get("source")), Kind.USER)
        self.talk.says(kind, content.text(step.get("message")), self.line, _name(step))
        for call in step.get("tool_calls") or ():
            ident, tool = str(call.get("tool_call_id") or ""), str(call["function_name"])
            self.talk.carried(ident, tool, call.get("arguments"), self.line)

    def _observe(self, step: Step) -> None:
        """The results of a step; one without a call's id is of all calls of the step together."""
        calls = [str(c.get("tool_call_id") or "") for c in step.get("tool_calls") or ()]
        for result in (step.get("observation") or {}).get("results") or ():
            told = content.text(result.get("content"))
            call = result.get("source_call_id") or (calls[-1] if calls else None)
            if call is not None:
                self.talk.result(str(call), told, self.line)
            else:
                kind = Kind.SYSTEM if step.get("source") == "system" else Kind.USER
                self.talk.says(kind, told, self.line, _name(step))

    def _carry(self, step: Step, kind: Kind | None = None) -> None:
        """A step that another trajectory has had: no answer of this one."""
        mark = self.talk.mark()
        self._enter(step, kind if step.get("source") != "agent" else None)
        self._observe(step)
        self.known[_key(step)].append(self.talk.since(mark))

    # -- what was taken away --------------------------------------------------------------------

    def _go_on(self, copied: list[Step], own: list[Step], last: int) -> tuple[list[Step], int]:
        """Take what a continuation copies as what is left; returns the steps to read on with."""
        if not copied:
            if own:
                self.talk.gap(NOT_COPIED)
            return own, last
        kept: set[str] = set()
        fresh: list[Step] = []
        for step in copied:
            spans = self.known.get(_key(step))
            if spans:
                kept.update(spans.pop(0))
            else:
                fresh.append(step)
        begin = next((n for n, step in enumerate(own) if _answers(step)), len(own))
        fresh += own[:begin]
        gone = [span_id for span_id in self.talk.resident if span_id not in kept]
        summed = any(content.text(step.get("message")) for step in fresh)
        kind = DecisionKind.SPAN_SUMMARIZED if summed else DecisionKind.SPAN_EVICTED
        self.talk.prune(kind, gone, self.line, reason="not copied into the continuation")
        for step in fresh:
            self._carry(step, Kind.SUMMARY if gone and step.get("source") == "user" else None)
        return own[begin:], last - begin

    def _shorten(self, agent: str) -> None:
        if agent in HANDS_OVER:
            gone = [span_id for span_id in self.talk.resident if span_id not in self.first]
            self.talk.prune(DecisionKind.SPAN_SUMMARIZED, gone, self.line, actor=agent, opaque=True)
            self.talk.gap(OPAQUE)
        else:
            self.talk.unrecorded("the log says that the context was shortened", self.line)
            self.talk.gap(UNTOLD)


def _answers(step: Step) -> bool:
    return step.get("source") == "agent" and step.get("llm_call_count") != 0


def _shortens(step: Step) -> bool:
    managed = (step.get("extra") or {}).get("context_management")
    return isinstance(managed, dict) or bool(_SHORTENED.search(content.text(step.get("message"))))


def _key(step: Step) -> tuple[Any, ...]:
    """What makes a copy of a step known as one."""
    calls = tuple(str(c.get("tool_call_id")) for c in step.get("tool_calls") or ())
    return step.get("source"), content.text(step.get("message")), calls


def _name(step: Step) -> str:
    return f"step:{step.get('step_id', '?')}"
