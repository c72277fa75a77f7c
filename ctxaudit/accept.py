"""Findings that are known and accepted: which tables of the configuration match them, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from ctxaudit.errors import ConfigError
from ctxaudit.frozen import frozen
from ctxaudit.globs import path_matches
from ctxaudit.report import Numbered
from ctxaudit.selection import matching


@frozen
class Accept:
    """One table: what it names must all match."""

    reason: str
    rules: frozenset[str] | None = None
    tool: str | None = None
    handle: str | None = None
    session: str | None = None
    path: str | None = None
    id: str | None = None
    until: date | None = None
    told: str = ""  # the table in a few words

    def matches(self, item: Numbered) -> bool:
        """Whether a finding is meant."""
        found = item.finding
        return (
            (self.rules is None or found.rule in self.rules)
            and _like(found.tool, self.tool)
            and _like(found.handle, self.handle)
            and _like(found.where.session, self.session)
            and (self.path is None or path_matches(found.where.path, self.path))
            and (self.id is None or item.id == self.id)
        )


def _like(value: str | None, pattern: str | None) -> bool:
    return pattern is None or (value is not None and fnmatchcase(value, pattern))


def read(tables: Sequence[Mapping[str, Any]]) -> list[Accept]:
    """The tables of a configuration.

    Raises: UsageError for a word that names no rule, ConfigError for a table that names nothing.
    """
    return [_one(table) for table in tables]


def _one(table: Mapping[str, Any]) -> Accept:
    if not table.keys() - {"reason", "until"}:
        raise ConfigError("accept: a table with a reason alone would accept every finding")
    rule = table.get("rule")
    told = " ".join(f"{k}={v}" for k, v in table.items() if k not in ("reason", "until"))
    return Accept(
        table["reason"],
        frozenset(r.code for r in matching(rule)) if rule else None,
        **{key: table.get(key) for key in ("tool", "handle", "session", "path", "id")},
        until=date.fromisoformat(table["until"]) if "until" in table else None,
        told=told,
    )


@dataclass(slots=True)
class Accepted:
    """The tables while a run goes on: which of them still hold today, and which were needed."""

    tables: Sequence[Accept]
    today: date
    used: set[int] = field(default_factory=set)

    def why(self, item: Numbered) -> str | None:
        """The reason for which a finding does not count, None if no table says so."""
        for n, table in enumerate(self.tables):
            if self._expired(table) or not table.matches(item):
                continue
            self.used.add(n)
            return table.reason
        return None

    def _expired(self, table: Accept) -> bool:
        return table.until is not None and table.until < self.today

    def warnings(self) -> list[str]:
        """What to tell of tables that did nothing."""
        told = []
        for n, table in enumerate(self.tables):
            if self._expired(table):
                told.append(f"accept {table.told!r} has expired on {table.until}")
            elif n not in self.used:
                told.append(f"accept {table.told!r} matches no finding: remove it")
        return told
