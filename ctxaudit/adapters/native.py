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
from typing import Any

from ctxaudit.adapters.native_fields import (
    CALL,
    DECISION,
    GAP,
    LINE,
    SPAN,
    TOOL,
    checked,
    required,
    texts,
    word,
)
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

#: Fields of a line that tell something of a turn; other formats' records share the rest.
PARTS = frozenset(LINE) - {"ctxaudit", "session", "turn", "source", "error", "prompt_tokens"}
EXTENTS = {extent.label: extent for extent in Extent}


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
        try:
            return self._turn(record)
        except ValueError:
            self._lost(record.data)
            raise

    def _lost(self, data: Any) -> None:
        """A turn that cannot be read was a turn still, and what it says of the tools is lost."""
        session = data.get("session", "") if isinstance(data, dict) else None
        if isinstance(session, str):
            self.turns[session] += not data.get("final")
            if "tools" in data:
                self.tools[session] = None

    def _turn(self, record: Record) -> Turn:
        data = checked(record.data, LINE, "the line")
        if data.get("ctxaudit", VERSION) != VERSION:
            raise ValueError(f"`ctxaudit` is {data['ctxaudit']}; this reads version {VERSION}")
        session, final = data.get("session", ""), data.get("final", False)
        number = data.get("turn", self.turns[session] + (not final))
        if number < 0:
            raise ValueError("`turn` is negative")
        where = Location(record.path, record.line, session, number)
        self._offer(session, data)
        decisions = enumerate(data.get("decisions", ()))
        turn = Turn(
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
        self.turns[session] = number
        return turn

    def _offer(self, session: str, data: dict[str, Any]) -> None:
        if "tools" in data:
            tools = data["tools"]
            schemas = None if tools is None else [_schema(item) for item in tools]
            self.tools[session] = None if schemas is None else {s.name: s for s in schemas}
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
    extent = required(data, "extent", "gaps")
    if extent not in EXTENTS:
        raise ValueError(f"`gaps.extent` is {extent[:40]!r}, none of {', '.join(EXTENTS)}")
    return Gap(aspect, EXTENTS[extent], data.get("reason", ""))
