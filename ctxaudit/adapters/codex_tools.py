"""Which schemas a Codex session has in its prompt, as far as the log tells.

The base tools are in no rollout. Dynamic tools are in its header; deferred ones are announced by
name, and a tool search brings their schemas: they are there while its output is in the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.frozen import frozen
from ctxaudit.model import ToolSchema


@frozen
class Definition:
    """A tool as a record defines it. ``late``: it is only announced, to be searched for."""

    namespace: str
    schema: ToolSchema
    late: bool


@dataclass(slots=True)
class Tools:
    """The tools of known status."""

    _known: dict[str, ToolSchema] = field(default_factory=dict)
    _loads: dict[str, tuple[str, ...]] = field(default_factory=dict)  # tools that a span loads
    _homes: dict[str, str] = field(default_factory=dict)  # the first namespace of each name
    _view: Mapping[str, ToolSchema] | None = None

    def view(self) -> Mapping[str, ToolSchema] | None:
        """The known tools, None if there is none; the same object until one changes."""
        if self._view is None and self._known:
            self._view = dict(self._known)
        return self._view

    def name(self, tool: str, namespace: Any) -> str:
        """A tool's name; the namespace is part of it where two of them have such a tool."""
        home = namespace if isinstance(namespace, str) else ""
        return tool if self._homes.setdefault(tool, home) == home else f"{home}.{tool}"

    def announce(self, tools: Iterable[Definition]) -> None:
        """The dynamic tools of a header."""
        for tool in tools:
            self._set(self._named(tool, tool.late))

    def load(self, span: str, tools: Iterable[Definition]) -> None:
        """The output of a tool search, a span, brings schemas into the prompt."""
        found = [self._named(tool, late=False) for tool in tools]
        if found:
            self._loads[span] = tuple(schema.name for schema in found)
        for schema in found:
            self._set(schema)

    def drop(self, spans: Iterable[str]) -> tuple[str, ...]:
        """Spans were pruned; returns the tools whose schema left with them."""
        lost = self._unload(spans)
        for name in lost:
            self._set(replace(self._known[name], deferred=True))
        return lost

    def forget(self, spans: Iterable[str]) -> None:
        """Spans left by no pruner's doing: of what they had loaded nothing more is known."""
        for name in self._unload(spans):
            del self._known[name]
            self._view = None

    def _unload(self, spans: Iterable[str]) -> tuple[str, ...]:
        gone = [name for span in spans for name in self._loads.pop(span, ())]
        held = {name for names in self._loads.values() for name in names}
        return tuple(dict.fromkeys(name for name in gone if name not in held))

    def _named(self, tool: Definition, late: bool) -> ToolSchema:
        name = self.name(tool.schema.name, tool.namespace)
        return replace(tool.schema, name=name, deferred=late)

    def _set(self, schema: ToolSchema) -> None:
        if self._known.get(schema.name) != schema:
            self._known[schema.name] = schema
            self._view = None


def definitions(raw: Any) -> tuple[Definition, ...]:
    """The tools of a list, those of its namespaces included.

    Raises: TypeError if one is of a wrong shape.
    """
    return tuple(
        Definition(namespace, schema, schema.deferred or tool.get("deferLoading") is True)
        for namespace, tool in _flat(raw)
        for schema in content.schemas([tool]).values()
    )


def _flat(raw: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every definition with its namespace; anything that is none is passed over."""
    for tool in raw if isinstance(raw, list) else ():
        if not isinstance(tool, dict):
            continue
        if isinstance(inner := tool.get("tools"), list):
            name = str(tool.get("name") or "")
            yield from ((name, each) for each in inner if isinstance(each, dict))
        else:
            yield str(tool.get("namespace") or ""), tool
