"""Made-up domains: names, identifiers and tools with their JSON Schemas, all drawn from a seed."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ONSETS = "b br c ch d dr f g gr h j k l m n p pl r s st t tr v w z".split()
VOWELS = "a e i o u ai ea io".split()
CODAS = "l m n r s t x nd rk st".split()
NOUNS = (
    "ticket order invoice shipment incident booking contract claim deployment campaign "
    "appointment permit survey batch ledger lease voucher release dataset case"
).split()
QUALIFIERS = (
    "vendor field spare retail fleet billing north partner legacy clinic tenant guest "
    "harbor rental staff archive transit loyalty parcel audit"
).split()
PARTS = "line item note stop leg milestone task attachment fee entry slot reading".split()
VERBS = {
    "search": ("search", "find", "query", "lookup"),
    "get": ("get", "fetch", "describe", "show"),
    "create": ("create", "open", "register", "submit"),
    "update": ("update", "modify", "patch", "edit"),
    "cancel": ("cancel", "close", "archive", "revoke"),
    "parts": ("list", "get", "fetch"),
    "part": ("add", "create", "append"),
    "start": ("start", "launch", "trigger", "run"),
}
STYLES: tuple[Callable[[str, str, str], str], ...] = (
    lambda server, verb, noun: f"{verb}_{noun}",
    lambda server, verb, noun: verb + "".join(w.title() for w in noun.split("_")),
    lambda server, verb, noun: f"{server}.{verb}_{noun}",
    lambda server, verb, noun: f"mcp__{server}__{verb}_{noun}",
    lambda server, verb, noun: f"{server}-{verb}-{noun.replace('_', '-')}",
)
ALNUM = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Names:
    """Words and identifiers that do not repeat within a world."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.taken: set[str] = set()

    def word(self) -> str:
        """A pronounceable word that means nothing."""
        parts = (
            f"{self.rng.choice(ONSETS)}{self.rng.choice(VOWELS)}{self.rng.choice(CODAS)}"
            for _ in range(2)
        )
        return self._fresh("".join(parts), self.word)

    def handle(self, noun: str) -> str:
        """An opaque identifier in one of the usual shapes."""
        rng = self.rng
        shapes: tuple[Callable[[], str], ...] = (
            lambda: f"{noun[:3]}_{rng.randrange(1000, 10**6)}",
            lambda: f"{noun}_{rng.getrandbits(48):012x}",
            lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            lambda: f"{noun[:3].upper()}-{rng.randrange(1000, 10**5)}",
            lambda: "".join(rng.choice(ALNUM) for _ in range(5)) + str(rng.randrange(2, 10)),
            lambda: "01J" + "".join(rng.choice(CROCKFORD) for _ in range(23)),
            lambda: str(rng.randrange(10**8, 10**10)),
        )
        return self._fresh(rng.choice(shapes)(), lambda: self.handle(noun))

    def path(self, suffix: str = "py") -> str:
        """A file path."""
        return f"{self.word()}/{self.word()}.{suffix}"

    def _fresh(self, text: str, again: Callable[[], str]) -> str:
        if text in self.taken:
            return again()
        self.taken.add(text)
        return text


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is offered. ``effect`` is ``read``, ``set`` (idempotent) or ``add``."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    effect: str

    def schema(self) -> dict[str, Any]:
        """Its definition in the way of OpenAI's chat completions."""
        parameters = {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
        }
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": parameters,
        }
        return {"type": "function", "function": function}


def text(about: str) -> dict[str, Any]:
    return {"type": "string", "description": about}


def one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


class Domain:
    """A line of business with its tools, by role; ``needed`` roles are always offered."""

    def __init__(self, rng: random.Random, needed: tuple[str, ...] = ()) -> None:
        self.names = Names(rng)
        self.rng = rng
        self.noun = rng.choice(NOUNS)
        self.thing = f"{rng.choice(QUALIFIERS)}_{self.noun}" if rng.random() < 0.6 else self.noun
        self.part = f"{self.noun}_{rng.choice(PARTS)}"
        self.server = self.names.word()
        self.style = rng.choice(STYLES)
        self.key = rng.choice((f"{self.noun}_id", "id", f"{self.noun}_ref", f"{self.noun}Id"))
        self.states = tuple(rng.sample("open held active paused done review void".split(), 4))
        self.levels = tuple(rng.sample("low normal high urgent bulk express".split(), 3))
        self.shape = rng.choice(("plain", "plain", "plain", "list", "object"))
        self.numeric = rng.random() < 0.5
        self.tools = {**self._things(), **self._parts(), **self._files()}
        spare = [role for role in self.tools if role not in needed]
        for role in rng.sample(spare, min(len(spare), rng.randrange(2, 6))):
            del self.tools[role]

    def value(self, handle: str) -> str | int:
        """A handle as it stands in JSON: digits may be a number."""
        return int(handle) if self.numeric and handle.isdigit() else handle

    def ref(self, handle: str) -> dict[str, Any]:
        """The argument that names a thing."""
        value = self.value(handle)
        return {self.key: {"plain": value, "list": [value], "object": {"id": value}}[self.shape]}

    def _ref(self, what: str) -> dict[str, Any]:
        about = f"identifier of the {what}"
        plain = {"type": ["string", "integer"], "description": about}
        shapes = {
            "plain": plain,
            "list": {"type": "array", "items": plain, "description": about},
            "object": {"type": "object", "properties": {"id": plain}, "description": about},
        }
        return {self.key: shapes[self.shape]}

    def _name(self, role: str, noun: str) -> str:
        return self.style(self.server, self.rng.choice(VERBS[role]), noun)

    def _things(self) -> dict[str, Tool]:
        noun, key, what = self.thing, self.key, self.thing.replace("_", " ")
        return {
            "search": Tool(
                self._name("search", f"{noun}s"),
                f"Search {what}s by words.",
                {"query": text("words to look for"), "limit": {"type": "integer"}},
                ("query",),
                "read",
            ),
            "get": Tool(
                self._name("get", noun),
                f"One {what} with all its fields.",
                self._ref(what),
                (key,),
                "read",
            ),
            "create": Tool(
                self._name("create", noun),
                f"Create a {what}.",
                {
                    "title": text("short title"),
                    "owner": text("who is responsible"),
                    "priority": one_of(*self.levels),
                    "details": text("free text"),
                },
                ("title", "owner", "priority"),
                "add",
            ),
            "update": Tool(
                self._name("update", noun),
                f"Change the state of a {what}.",
                {
                    **self._ref(what),
                    "status": one_of(*self.states),
                    "notify": {"type": "boolean", "description": "tell the owner"},
                    "reason": text("why"),
                },
                (key, "status", "notify", "reason"),
                "set",
            ),
            "cancel": Tool(
                self._name("cancel", noun),
                f"End a {what} for good.",
                {**self._ref(what), "reason": text("why")},
                (key, "reason"),
                "set",
            ),
        }

    def _parts(self) -> dict[str, Tool]:
        noun, key = self.part, self.key
        what = noun.replace("_", " ")
        return {
            "parts": Tool(
                self._name("parts", f"{noun}s"),
                f"All {what}s of a {self.noun}.",
                self._ref(self.noun),
                (key,),
                "read",
            ),
            "part": Tool(
                self._name("part", noun),
                f"Add a {what} to a {self.noun}.",
                {
                    **self._ref(self.noun),
                    "body": text("what it says"),
                    "quantity": {"type": "integer"},
                },
                (key, "body"),
                "add",
            ),
            "start": Tool(
                self._name("start", f"{self.noun}_export"),
                f"Start an export of a {self.noun}; answers with a job.",
                {**self._ref(self.noun), "profile": one_of(*self.levels)},
                (key, "profile"),
                "add",
            ),
            "poll": Tool(
                self.style(self.server, "get", "job_status"),
                "How far a job has come.",
                {"job_id": text("identifier of the job")},
                ("job_id",),
                "read",
            ),
            "send": Tool(
                self.style(self.server, self.rng.choice(("send", "post")), "message"),
                "Send a message to a person.",
                {
                    "recipient": text("name"),
                    "subject": text("one line"),
                    "body": text("the message"),
                },
                ("recipient", "subject", "body"),
                "add",
            ),
        }

    def _files(self) -> dict[str, Tool]:
        path = text("path below the project")
        return {
            "read": Tool(
                self.rng.choice(("read_file", "view_file", "open_file")),
                "Read a file.",
                {"path": path},
                ("path",),
                "read",
            ),
            "write": Tool(
                self.rng.choice(("write_file", "create_file", "save_file")),
                "Write a whole file.",
                {"path": path, "content": text("new content")},
                ("path", "content"),
                "set",
            ),
            "grep": Tool(
                self.rng.choice(("grep", "search_code", "find_in_files")),
                "Search files for a pattern.",
                {"pattern": text("regular expression"), "path": path},
                ("pattern",),
                "read",
            ),
            "test": Tool(
                self.rng.choice(("run_tests", "run_test_suite")),
                "Run the tests of a target.",
                {"target": path},
                ("target",),
                "read",
            ),
        }
