"""Which tools' schemas a Claude Code session has in its prompt, as far as the log tells.

Deferred tools are announced by name. A tool search loads a schema by a reference in its result: it
is there while that result is, or while compaction says that it was carried over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ctxaudit.adapters.claude_code_events import Offered
from ctxaudit.model import ToolSchema

#: Since then loaded schemas survive a compaction; since the second it is logged which ones do.
CARRIED, CARRIED_LOGGED = (2, 1, 76), (2, 1, 112)


@dataclass(slots=True)
class Tools:
    """The tools of one lane. ``whole``: the log has told all that are offered."""

    whole: bool = False
    _known: dict[str, ToolSchema] = field(default_factory=dict)
    _sources: dict[str, set[str]] = field(default_factory=dict)  # spans that load a tool
    _loads: dict[str, tuple[str, ...]] = field(default_factory=dict)  # tools that a span loads
    _view: Mapping[str, ToolSchema] | None = None

    def view(self) -> Mapping[str, ToolSchema] | None:
        """The tools of known status, None if there is none; the same object until one changes."""
        if self._view is None and self._known:
            self._view = dict(self._known)
        return self._view

    def names(self) -> list[str]:
        """All tools of known status."""
        return list(self._known)

    def announce(self, names: Iterable[str]) -> None:
        """Tools are offered by name. What a resident result loads is loaded, even once back."""
        for name in names:
            if name not in self._known:
                self._set(ToolSchema(name, deferred=name not in self._sources))

    def remove(self, names: Iterable[str]) -> None:
        """Tools are gone altogether, until they are announced again."""
        for name in names:
            self._known.pop(name, None)
            self._view = None

    def load(self, source: str, names: Iterable[str]) -> None:
        """The span ``source`` brings the schemas of these tools into the prompt."""
        names = tuple(names)
        if not names:
            return
        self._loads[source] = names
        for name in names:
            self._sources.setdefault(name, set()).add(source)
            self._set(replace(self._known.get(name) or ToolSchema(name), deferred=False))

    def drop(self, spans: Iterable[str]) -> tuple[str, ...]:
        """Spans left the prompt; returns the tools whose schema left with them."""
        lost = []
        for span in spans:
            for name in self._loads.pop(span, ()):
                sources = self._sources[name]
                sources.discard(span)
                if sources:
                    continue
                del self._sources[name]
                if name in self._known:
                    self._set(replace(self._known[name], deferred=True))
                    lost.append(name)
        return tuple(lost)

    def compact(
        self,
        spans: Iterable[str],
        carried: tuple[str, ...] | None,
        version: tuple[int, ...] | None,
    ) -> tuple[str, ...]:
        """A compaction took the spans; returns the tools whose schema it did not carry over."""
        if carried is None and version is not None and CARRIED <= version < CARRIED_LOGGED:
            carried = tuple(self._sources)
        carried = carried or ()
        stale = (_carrier(name) for name in self._sources if name not in carried)
        lost = self.drop((*spans, *stale))
        self.carry(carried)
        return tuple(name for name in lost if name not in carried)

    def carry(self, names: Iterable[str]) -> None:
        """The schemas of these tools are in the prompt without a result that loads them."""
        for name in names:
            self.load(_carrier(name), (name,))

    def offer(self, offered: Offered) -> None:
        """Exact schemas. A whole offer replaces those known before, but for loaded tools."""
        if offered.whole:
            self.whole = True
            for name, schema in list(self._known.items()):
                if not schema.deferred and name not in self._sources:
                    self.remove([name])
        for name, schema in offered.schemas.items():
            self._set(replace(schema, deferred=False) if name in self._sources else schema)

    def _set(self, schema: ToolSchema) -> None:
        if self._known.get(schema.name) != schema:
            self._known[schema.name] = schema
            self._view = None


def _carrier(name: str) -> str:
    """What stands for the result that once loaded a carried tool."""
    return f"carried:{name}"
