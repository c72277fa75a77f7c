"""The native format: one line a turn, with its decisions in order.

    {"session": "s1", "turn": 3,
     "decisions": [{"kind": "result-cleared", "spans": ["result:c1"], "actor": "window-manager",
                    "reason": "over budget", "score": 0.31, "stubs": {"result:c1": "[cleared]"}}],
     "add": ["Refund order A-7731.", {"kind": "result", "call": "c2", "text": "..."}],
     "tools": ["search", {"name": "refund", "parameters": {...}}],
     "reply": ["Let me see.", {"kind": "reasoning", "text": "..."}],
     "calls": [{"id": "c3", "tool": "refund", "arguments": {...}}]}

It is what ``convert`` writes and what a runtime can log by hand. ``tools`` absent means unchanged
since the session's last turn, null that they are not known; ``"tools_complete": false`` that there
are others. ``turn`` may be left out (then turns are counted), and so may the ids of spans: a call
is known by its call's id, the result of it as ``result:`` and that id. ``"final": true`` marks what
came after the last call. A decision is ``explicit`` unless it says otherwise. ``source`` is free
for notes. Whatever else a line holds is an error, so that no misspelt field is lost in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Any, TypeVar

from ctxaudit.log import Record, Source
from ctxaudit.model import (
    Aspect,
    DecisionKind,
    Extent,
    Gap,
    Kind,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    ToolSchema,
    Turn,
    dumps,
    result_id,
)

NAME = "native"
TITLE = "ctxaudit's own turns, as written by `ctxaudit convert`"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)
VERSION = 1

Fields = Mapping[str, frozenset[type]]
Word = TypeVar("Word", bound=Enum)

Types = frozenset[type]
TEXT: Types = frozenset({str})
TEXT_OR_NULL: Types = TEXT | {NoneType}
FLAG: Types = frozenset({bool})
FLAG_OR_NULL: Types = FLAG | {NoneType}
WHOLE: Types = frozenset({int})
WHOLE_OR_NULL: Types = WHOLE | {NoneType}
NUMBER_OR_NULL: Types = WHOLE_OR_NULL | {float}
LIST: Types = frozenset({list})
LIST_OR_NULL: Types = LIST | {NoneType}
OBJECT: Types = frozenset({dict})
OBJECT_OR_NULL: Types = OBJECT | {NoneType}
ANY: Types = frozenset({dict, list, str, int, float, bool, NoneType})

#: What the parts of a line may hold, and of which types.
LINE: Fields = {
    "ctxaudit": WHOLE,
    "session": TEXT,
    "turn": WHOLE,
    "source": ANY,
    "decisions": LIST,
    "add": LIST,
    "restored": LIST,
    "withdrawn": LIST,
    "tools": LIST_OR_NULL,
    "tools_complete": FLAG,
    "reply": LIST,
    "calls": LIST,
    "final": FLAG,
    "error": TEXT_OR_NULL,
    "prompt_tokens": WHOLE_OR_NULL,
    "gaps": LIST,
}
SPAN: Fields = {
    "id": TEXT,
    "kind": TEXT,
    "text": TEXT,
    "call": TEXT_OR_NULL,
    "tool": TEXT_OR_NULL,
    "arguments": ANY,
    "failed": FLAG_OR_NULL,
}
CALL: Fields = {"id": TEXT, "tool": TEXT, "arguments": ANY}
TOOL: Fields = {
    "name": TEXT,
    "parameters": OBJECT_OR_NULL,
    "description": TEXT,
    "deferred": FLAG,
    "annotations": OBJECT_OR_NULL,
}
DECISION: Fields = {
    "kind": TEXT,
    "spans": LIST,
    "tools": LIST,
    "order": WHOLE,
    "actor": TEXT_OR_NULL,
    "reason": TEXT_OR_NULL,
    "score": NUMBER_OR_NULL,
    "explicit": FLAG,
    "exact": FLAG,
    "opaque": FLAG,
    "external": FLAG,
    "stubs": OBJECT,
}
GAP: Fields = {"aspect": TEXT, "extent": TEXT, "reason": TEXT}
#: Fields of a line that tell something of a turn; other formats' records share the rest.
PARTS = frozenset(LINE) - {"ctxaudit", "session", "turn", "source", "error", "prompt_tokens"}
EXTENTS = {extent.label: extent for extent in Extent}
NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
    NoneType: "null",
}


def recognises(head: Sequence[Any]) -> bool:
    """Whether a line says so itself, or most lines hold nothing but what native lines do."""
    lines = [data for data in head if isinstance(data, dict)]
    if any("ctxaudit" in data for data in lines):
        return True
    ours = [d for d in lines if LINE.keys() >= d.keys() and not PARTS.isdisjoint(d)]
    return 2 * len(ours) > len(head)


def read(source: Source) -> Iterator[Turn]:
    """The turns, one a line. A line of another shape is told as damaged, with the field."""
    reader = Reader()
    return source.each(reader.turn)


class Reader:
    """What has to be remembered between lines: turn numbers, tools, ids that were made up."""

    def __init__(self) -> None:
        self.turns: Counter[str] = Counter()
        self.made: Counter[str] = Counter()
        self.tools: dict[str, Mapping[str, ToolSchema] | None] = {}
        self.complete: dict[str, bool] = {}
        self.names: dict[str, dict[str, str]] = {}  # the tool of each call, by session

    def turn(self, record: Record) -> Turn:
        """One line, as a turn. Raises: ValueError that names the field which is wrong."""
        data = checked(record.data, LINE, "the line")
        if data.get("ctxaudit", VERSION) != VERSION:
            raise ValueError(f"`ctxaudit` is {data['ctxaudit']}; this reads version {VERSION}")
        session, final = data.get("session", ""), data.get("final", False)
        number = data.get("turn", self.turns[session] + (not final))
        if number < 0:
            raise ValueError("`turn` is negative")
        self.turns[session] = number
        where = Location(record.path, record.line, session, number)
        self._offer(session, data)
        decisions = enumerate(data.get("decisions", ()))
        return Turn(
            where,
            tuple(_decision(item, n, where) for n, item in decisions),
            tuple(self._span(item, Kind.USER, "add", where) for item in data.get("add", ())),
            self.tools.get(session),
            tuple(self._span(i, Kind.ASSISTANT, "reply", where) for i in data.get("reply", ())),
            tuple(self._call(item, where) for item in data.get("calls", ())),
            self.complete.get(session, True),
            final,
            data.get("error"),
            data.get("prompt_tokens"),
            tuple(_gap(item) for item in data.get("gaps", ())),
            texts(data, "restored"),
            texts(data, "withdrawn"),
        )

    def _offer(self, session: str, data: dict[str, Any]) -> None:
        if "tools" in data:
            self.tools[session] = None  # and unknown they stay, should the list be damaged
            if data["tools"] is not None:
                schemas = [_schema(item) for item in data["tools"]]
                self.tools[session] = {schema.name: schema for schema in schemas}
        if "tools" in data or "tools_complete" in data:
            self.complete[session] = data.get("tools_complete", True)

    def _call(self, item: Any, where: Location) -> ToolCall:
        data = checked(item, CALL, "calls")
        tool = required(data, "tool", "calls")
        ident = data["id"] if "id" in data else self._made(where, "call")
        self.names.setdefault(where.session, {})[ident] = tool
        return ToolCall(ident, tool, data.get("arguments", {}), where)

    def _span(self, item: Any, default: Kind, name: str, where: Location) -> Span:
        """A span, of which a text is short for one of the default kind."""
        data: dict[str, Any] = {"text": item}
        if not isinstance(item, str):
            data = checked(item, SPAN, name)
        kind = word(Kind, data["kind"], f"{name}.kind") if "kind" in data else default
        call, tool, arguments = data.get("call"), data.get("tool"), data.get("arguments")
        names = self.names.setdefault(where.session, {})
        if kind is Kind.CALL and "call" not in data:
            call = data["id"] if "id" in data else self._made(where, "call")
        if kind is Kind.CALL and call is not None:
            names[call] = tool or ""
        elif "tool" not in data and call is not None:
            tool = names.get(call)
        text = data.get("text")
        if text is None:
            if kind is not Kind.CALL:
                raise ValueError(f"`{name}.text` is missing")
            text = f"{tool or ''} {dumps(arguments)}"
        ident = data["id"] if "id" in data else self._named(kind, call, where)
        return Span(ident, kind, text, where, call, tool, data.get("failed"), arguments)

    def _named(self, kind: Kind, call: str | None, where: Location) -> str:
        if call is not None and kind is Kind.CALL:
            return call
        if call is not None and kind is Kind.RESULT:
            return result_id(call)
        return self._made(where, kind.value)

    def _made(self, where: Location, stem: str) -> str:
        self.made[where.session] += 1
        return f"{stem}:{self.made[where.session]}"


def _decision(item: Any, order: int, where: Location) -> PruningDecision:
    data = checked(item, DECISION, "decisions")
    stubs = data.get("stubs", {})
    if not all(isinstance(text, str) for text in stubs.values()):
        raise ValueError("`decisions.stubs` does not hold strings")
    return PruningDecision(
        word(DecisionKind, required(data, "kind", "decisions"), "decisions.kind"),
        where,
        texts(data, "spans", "decisions.") if "spans" in data else tuple(stubs),
        texts(data, "tools", "decisions."),
        data.get("order", order),
        data.get("actor"),
        data.get("reason"),
        data.get("score"),
        data.get("explicit", True),
        data.get("exact", True),
        data.get("opaque", False),
        data.get("external", False),
        stubs,
    )


def _schema(item: Any) -> ToolSchema:
    if isinstance(item, str):
        return ToolSchema(item)
    data = checked(item, TOOL, "tools")
    return ToolSchema(
        required(data, "name", "tools"),
        data.get("parameters"),
        data.get("description", ""),
        data.get("deferred", False),
        data.get("annotations"),
    )


def _gap(item: Any) -> Gap:
    data = checked(item, GAP, "gaps")
    aspect = word(Aspect, required(data, "aspect", "gaps"), "gaps.aspect")
    extent = EXTENTS.get(required(data, "extent", "gaps"))
    if extent is None:
        raise ValueError(f"`gaps.extent` is none of {', '.join(EXTENTS)}")
    return Gap(aspect, extent, data.get("reason", ""))


def checked(data: Any, fields: Fields, name: str) -> dict[str, Any]:
    """The data, if it is an object of these fields. Raises: ValueError that names the field."""
    prefix = "" if fields is LINE else f"{name}."
    if not isinstance(data, dict):
        raise ValueError(f"`{name}` holds {NAMES[type(data)]} where an object belongs")
    for key, value in data.items():
        kinds = fields.get(key)
        if kinds is None:
            raise ValueError(f"`{prefix}{key}` is no field of the native format")
        if type(value) not in kinds:
            wanted = " or ".join(told for kind, told in NAMES.items() if kind in kinds)
            raise ValueError(f"`{prefix}{key}` is {NAMES[type(value)]}, not {wanted}")
    return data


def required(data: dict[str, Any], key: str, name: str) -> Any:
    """The value of a field. Raises: ValueError that names it if it is not there."""
    if key not in data:
        raise ValueError(f"`{name}.{key}` is missing")
    return data[key]


def texts(data: dict[str, Any], key: str, prefix: str = "") -> tuple[str, ...]:
    """A list of strings, empty where there is none. Raises: ValueError."""
    items = data.get(key, ())
    if not all(isinstance(item, str) for item in items):
        raise ValueError(f"`{prefix}{key}` does not hold strings")
    return tuple(items)


def word(words: type[Word], value: str, name: str) -> Word:
    """A member by its value. Raises: ValueError that names the field and what it may be."""
    try:
        return words(value)
    except ValueError:
        known = ", ".join(str(member.value) for member in words)
        raise ValueError(f"`{name}` is {value[:40]!r}, none of {known}") from None
