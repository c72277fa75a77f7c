"""The native format: one line a turn, with its decisions in order.

    {"session": "s1", "turn": 3,
     "decisions": [{"kind": "result-cleared", "spans": ["result:c1"], "actor": "window-manager",
                    "reason": "over budget", "score": 0.31, "stubs": {"result:c1": "[cleared]"}}],
     "add": [{"id": "u2", "kind": "user", "text": "..."}, {"kind": "result", "call": "c2", "text": "..."}],
     "tools": ["search", {"name": "refund", "parameters": {...}}],
     "reply": ["text", {"kind": "reasoning", "text": "..."}],
     "calls": [{"id": "c3", "tool": "refund", "arguments": {...}}]}

It is what ``convert`` writes and what a runtime can log. ``tools`` absent means unchanged since the
session's last turn, null that they are not known; ``"tools_complete": false`` that there are
others. ``turn`` may be left out (then turns are counted), and so may the ids of spans. ``"final":
true`` marks what came after the last call. A decision is ``explicit`` unless it says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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

PARTS = frozenset({"add", "calls", "decisions", "reply", "tools", "final", "restored", "withdrawn"})
FIELDS = PARTS | {
    "session",
    "turn",
    "tools_complete",
    "error",
    "prompt_tokens",
    "gaps",
    "source",
}


def recognises(head: Sequence[Any]) -> bool:
    return bool(head) and all(
        isinstance(data, dict) and FIELDS.issuperset(data) and not PARTS.isdisjoint(data)
        for data in head
    )


def read(source: Source) -> Iterator[Turn]:
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
        data = expect(record.data, dict, "the line")
        session = expect(data.get("session", ""), str, "session")
        final = expect(data.get("final", False), bool, "final")
        number = expect(data.get("turn", self.turns[session] + (not final)), int, "turn")
        self.turns[session] = number
        where = Location(record.path, record.line, session, number)
        self._offer(session, data)
        calls = tuple(self._call(item, where) for item in listed(data, "calls"))
        return Turn(
            where,
            tuple(_decision(item, n, where) for n, item in enumerate(listed(data, "decisions"))),
            tuple(self._span(item, where) for item in listed(data, "add")),
            self.tools.get(session),
            tuple(self._reply(item, where) for item in listed(data, "reply")),
            calls,
            self.complete.get(session, True),
            final,
            data.get("error"),
            data.get("prompt_tokens"),
            tuple(_gap(item) for item in listed(data, "gaps")),
            tuple(listed(data, "restored")),
            tuple(listed(data, "withdrawn")),
        )

    def _offer(self, session: str, data: dict[str, Any]) -> None:
        if "tools" in data:
            tools = data["tools"]
            if tools is not None:
                tools = {t.name: t for t in (_schema(i) for i in expect(tools, list, "tools"))}
            self.tools[session] = tools
        if "tools" in data or "tools_complete" in data:
            self.complete[session] = expect(
                data.get("tools_complete", True), bool, "tools_complete"
            )

    def _call(self, item: Any, where: Location) -> ToolCall:
        call = expect(item, dict, "calls")
        tool = expect(call.get("tool"), str, "calls: tool")
        ident = call.get("id") or self._made(where, "call")
        self.names.setdefault(where.session, {})[ident] = tool
        return ToolCall(ident, tool, call.get("arguments", {}), where)

    def _reply(self, item: Any, where: Location) -> Span:
        data = {"text": item} if isinstance(item, str) else item
        return self._span({"kind": "assistant", **expect(data, dict, "reply")}, where)

    def _span(self, item: Any, where: Location) -> Span:
        data = {"kind": "user", "text": item} if isinstance(item, str) else item
        data = expect(data, dict, "add")
        kind = Kind(data.get("kind", "user"))
        call, tool = data.get("call"), data.get("tool")
        if kind is Kind.CALL:
            call = call or data.get("id") or self._made(where, "call")
            self.names.setdefault(where.session, {})[call] = tool or ""
        elif tool is None and call is not None:
            tool = self.names.get(where.session, {}).get(call)
        arguments = data.get("arguments")
        text = data.get("text")
        if text is None:
            text = f"{tool} {dumps(arguments)}" if kind is Kind.CALL else ""
        ident = data.get("id") or self._named(kind, call, where)
        failed = data.get("failed")
        return Span(
            ident, kind, expect(text, str, "add: text"), where, call, tool, failed, arguments
        )

    def _named(self, kind: Kind, call: str | None, where: Location) -> str:
        if call is not None:
            return call if kind is Kind.CALL else result_id(call)
        return self._made(where, kind.value)

    def _made(self, where: Location, word: str) -> str:
        self.made[where.session] += 1
        return f"{word}:{self.made[where.session]}"


def _decision(item: Any, order: int, where: Location) -> PruningDecision:
    data = expect(item, dict, "decisions")
    stubs = expect(data.get("stubs", {}), dict, "decisions: stubs")
    return PruningDecision(
        DecisionKind(data.get("kind")),
        where,
        tuple(data.get("spans") or stubs),
        tuple(data.get("tools") or ()),
        order,
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
    data = expect(item, dict, "tools")
    return ToolSchema(
        expect(data.get("name"), str, "tools: name"),
        data.get("parameters"),
        data.get("description", ""),
        data.get("deferred", False),
        data.get("annotations"),
    )


def _gap(item: Any) -> Gap:
    data = expect(item, dict, "gaps")
    return Gap(Aspect(data["aspect"]), Extent[str(data["extent"]).upper()], data.get("reason", ""))


def listed(data: dict[str, Any], name: str) -> list[Any]:
    """The list under a name, empty where there is none."""
    value: list[Any] = expect(data.get(name) or [], list, name)
    return value


def expect(value: Any, kind: type, name: str) -> Any:
    """The value, if it is of the kind. Raises: ValueError that names the field."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"`{name}` is not a {kind.__name__}")
    return value
