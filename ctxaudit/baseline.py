"""A baseline: findings that were there before, and how much could be checked then.

    {"schema": "ctxaudit.baseline/1",
     "findings": [{"id", "rule", "log", "session", "turn", "tool", "handle", "message"}],
     "coverage": {log: {session: {"schemas": "full", ...}}}}

A finding is known again by its id, which is made of what it is about, and of how many equal ones
came before it: a fourth of three is new. Everything but the id is there to be read by people. A run
that can check less of a log than the baseline could is not as good: that is a problem of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import orjson

from ctxaudit.errors import ConfigError
from ctxaudit.log import Problem
from ctxaudit.model import Aspect, Extent
from ctxaudit.report import Numbered, Report
from ctxaudit.safe import clean, inert

SCHEMA = "ctxaudit.baseline/1"
WHY = "in the baseline"
LABELS = {extent.label: extent for extent in Extent}


@dataclass(slots=True)
class Baseline:
    """What was known and what could be checked, by log and session."""

    path: str
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)
    coverage: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)

    def why(self, item: Numbered) -> str | None:
        """The reason for which a finding does not count, None if it is new."""
        if item.id not in self.findings:
            return None
        self.met.add(item.id)
        return WHY

    def problems(self, report: Report) -> Iterator[Problem]:
        """What can be checked less than before, of the logs that were audited."""
        for log in report.logs:
            then = self.coverage.get(_key(log.path), {})
            now = {session.session: session.extent for session in log.sessions}
            for session, extents in then.items():
                if session not in now:
                    why = f"session {inert(session)} of the baseline is not in it any more"
                    yield Problem(log.path, 0, why)
                    continue
                for name, label in extents.items():
                    extent = now[session][Aspect(name)]
                    if extent < LABELS[label]:
                        yield Problem(
                            log.path,
                            0,
                            f"session {inert(session)} shows less than it did in the baseline: "
                            f"{name} {extent.label}, was {label}",
                        )

    def gone(self, report: Report) -> int:
        """How many findings of the logs that were audited are not there any more."""
        audited = {_key(log.path) for log in report.logs}
        return sum(
            ident not in self.met and told.get("log") in audited
            for ident, told in self.findings.items()
        )


def _key(path: str) -> str:
    return PurePath(path).as_posix()


def load(path: str) -> Baseline:
    """Raises: ConfigError if it cannot be read or is none."""
    try:
        told = orjson.loads(Path(path).read_bytes())
        if not isinstance(told, dict) or told.get("schema") != SCHEMA:
            raise ConfigError(f"{path}: not a baseline of version 1 ({SCHEMA})")
        findings = {str(item["id"]): item for item in told["findings"]}
        coverage = {
            str(log): {
                str(name): {Aspect(a).value: str(LABELS[e].label) for a, e in extents.items()}
                for name, extents in sessions.items()
            }
            for log, sessions in told["coverage"].items()
        }
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such baseline; --update-baseline writes one") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: damaged baseline: {error}") from error
    return Baseline(path, findings, coverage)


def dump(report: Report) -> bytes:
    """The baseline that accepts a report as it is."""
    told = {
        "schema": SCHEMA,
        "findings": [_finding(item) for item in report.numbered()],
        "coverage": {
            _key(log.path): {
                s.session: {aspect.value: extent.label for aspect, extent in s.extent.items()}
                for s in log.sessions
            }
            for log in report.logs
            if log.sessions
        },
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _finding(item: Numbered) -> dict[str, Any]:
    found = item.finding
    return {
        "id": item.id,
        "rule": found.rule,
        "log": _key(found.where.path),
        "session": clean(found.where.session),
        "turn": found.where.turn,
        "tool": found.tool and clean(found.tool),
        "handle": found.handle and clean(found.handle),
        "message": clean(found.message),
    }
