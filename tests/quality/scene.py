"""A conversation while it is written: what was said, what the model was sent, what was meant.

What was meant (the ledger) is what no log says: which effect a call had, which facts a text keeps,
whether the user asked for a repeat. The truth is computed from it and from the prompts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.quality.world import Domain, Names

NONE: frozenset[Any] = frozenset()
#: What the model says when it is through; it tells nothing in particular.
DONE = ("Done.", "That is taken care of.", "All set.", "Finished; anything else?", "Okay, done.")
#: What it says between two things to do.
ON = ("Let me look further.", "Going on with the rest.", "I will try another side.", "One moment.")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and its ledger.

    ``outcome``: ``ok``, ``negative``, ``validation``, ``refusal`` (business rule or human),
    ``missing`` (the thing of ``about`` is not known), ``transient`` or ``pending``. ``reads`` and
    ``touches`` are resources. ``again`` is the uid of the call that this one repeats in other
    words, ``recovers`` that of the rejected call that it works around. ``mark`` names what only
    the generator can know: ``placeholder``, ``pointer``, ``back-reference``, ``poll``, ``once``
    (a one-time secret), ``decision`` (a human's). ``spoils`` is the handle that was misremembered.
    """

    uid: int
    id: str
    tool: str
    arguments: dict[str, Any]
    effect: str
    outcome: str = "ok"
    about: str | None = None
    reads: frozenset[str] = NONE
    touches: frozenset[str] = NONE
    again: int | None = None
    recovers: int | None = None
    mark: str = ""
    spoils: str | None = None

    @property
    def key(self) -> str:
        """Tool and arguments: equal for equal calls."""
        return f"{self.tool} {json.dumps(self.arguments, sort_keys=True)}"


@dataclass(frozen=True, slots=True)
class Message:
    """A message. ``keeps`` are the uids of calls whose outcome it restates, ``asks`` the tools of
    which the user wants another go, ``tombstones`` the tools that it says are withheld."""

    uid: int
    kind: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    answers: int | None = None
    answers_id: str = ""
    keeps: frozenset[int] = NONE
    asks: frozenset[str] = NONE
    tombstones: frozenset[str] = NONE
    hints: frozenset[int] = NONE
    opaque: bool = False
    whole: bool = True  #: as it was said; False: only a stub of it is left
    bare: bool = False  #: the arguments of its calls were taken out


@dataclass(frozen=True, slots=True)
class Sent:
    """One model call: the prompt as it was really sent, the tools offered, the reply."""

    prompt: tuple[Message, ...]
    tools: dict[str, dict[str, Any]]
    reply: Message


@dataclass(slots=True)
class View:
    """What the pruner has done so far."""

    tools: dict[str, dict[str, Any]]
    hidden: set[int] = field(default_factory=set)
    stubs: dict[int, str] = field(default_factory=dict)
    bare: set[int] = field(default_factory=set)
    inserted: dict[int, list[Message]] = field(default_factory=dict)  #: before which uid


class Scene:
    """Writes a conversation step by step, and takes down every prompt on the way."""

    def __init__(
        self,
        rng: random.Random,
        domain: Domain,
        policy: Callable[[Scene], None] | None = None,
    ) -> None:
        self.rng = rng
        self.domain = domain
        self.names: Names = domain.names
        self.policy = policy
        self.messages: list[Message] = []
        self.sent: list[Sent] = []
        self.handles: set[str] = set()
        self.view = View({t.name: t.schema() for t in domain.tools.values()})
        self.placeholder = ""
        self._uid = 0

    def uid(self) -> int:
        """The next number for a message or call; they grow in the order of events."""
        self._uid += 1
        return self._uid

    def mint(self, noun: str | None = None) -> str:
        """A fresh handle."""
        handle = self.names.handle(noun or self.domain.noun)
        self.handles.add(handle)
        return handle

    def system(self, text: str) -> None:
        self.messages.append(Message(self.uid(), "system", text))

    def user(self, text: str, asks: Iterable[str] = ()) -> Message:
        message = Message(self.uid(), "user", text, asks=frozenset(asks))
        self.messages.append(message)
        return message

    def say(self, text: str, keeps: Iterable[Call] = ()) -> Message:
        """The model answers in words."""
        hints = self._since_request() if text in DONE else NONE
        kept = frozenset(c.uid for c in keeps)
        message = Message(self.uid(), "assistant", text, keeps=kept, hints=hints)
        self._reply(message)
        return message

    def _since_request(self) -> frozenset[int]:
        uids: set[int] = set()
        for message in reversed(self.messages):
            if message.kind == "user":
                break
            uids |= {call.uid for call in message.calls}
        return frozenset(uids)

    def call(self, role: str, arguments: dict[str, Any], result: str | None, **ledger: Any) -> Call:
        """The model calls the tool of a role, or of that name."""
        return self.calls((self.write(role, arguments, **ledger), result))[0]

    def write(self, role: str, arguments: dict[str, Any], **ledger: Any) -> Call:
        """A call that is not yet made."""
        tool = self.domain.tools.get(role)
        name = tool.name if tool else role
        ledger.setdefault("effect", tool.effect if tool else "read")
        letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        ident = "call_" + "".join(self.rng.choice(letters) for _ in range(24))
        for name_ in ("reads", "touches"):
            ledger[name_] = frozenset(ledger.get(name_, ()))
        return Call(self.uid(), ident, name, arguments, **ledger)

    def calls(self, *made: tuple[Call, str | None], text: str = "") -> list[Call]:
        """The model calls several tools at once; a result of None never comes."""
        calls = tuple(call for call, _ in made)
        self._reply(Message(self.uid(), "assistant", text, calls))
        for call, result in made:
            if result is not None:
                self.messages.append(
                    Message(self.uid(), "result", result, answers=call.uid, answers_id=call.id)
                )
        return list(calls)

    def _reply(self, reply: Message) -> None:
        if self.policy:
            self.policy(self)
        self.sent.append(Sent(tuple(self.prompt()), dict(self.view.tools), reply))
        self.messages.append(reply)

    def prompt(self) -> Iterable[Message]:
        """What the model would be sent now."""
        view = self.view
        for message in self.messages:
            yield from view.inserted.get(message.uid, ())
            if message.uid in view.hidden:
                continue
            if message.uid in view.stubs:
                message = replace(message, text=view.stubs[message.uid], whole=False)
            if message.uid in view.bare:
                calls = tuple(replace(c, arguments={}) for c in message.calls)
                message = replace(message, calls=calls, bare=True)
            yield message

    def insert(self, message: Message) -> None:
        """Put a message of the runtime in before the newest one."""
        self.view.inserted.setdefault(self.messages[-1].uid, []).append(message)

    def result_of(self, call: Call) -> Message:
        """The message that answers a call."""
        return next(m for m in self.messages if m.answers == call.uid)

    def message_of(self, call: Call) -> Message:
        """The message that makes a call."""
        return next(m for m in self.messages if call in m.calls)


@dataclass(frozen=True, slots=True)
class Trial:
    """A finished conversation: its name, what it was made for, and everything sent."""

    name: str
    kind: str
    twin: str | None
    sent: tuple[Sent, ...]
    handles: frozenset[str] | None  #: None: nobody knows; judge by their shape
    messages: tuple[Message, ...]
    strict: bool = True  #: the ledger says of every text which outcomes it keeps


def finished(scene: Scene, name: str, kind: str, twin: str | None) -> Trial:
    """What a scene has come to."""
    return Trial(
        name,
        kind,
        twin,
        tuple(scene.sent),
        frozenset(scene.handles),
        tuple(scene.messages),
    )
