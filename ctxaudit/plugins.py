"""Formats and rules that other packages bring, by their entry points.

    [project.entry-points."ctxaudit.rules"]
    our-rule = "our_package.rules:OurRule"        # a subclass of ctxaudit.rule.Rule

    [project.entry-points."ctxaudit.formats"]
    our-format = "our_package.our_format"         # a module like those of ctxaudit.adapters

A plugin that cannot be used is told by its name, and the audit goes on without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ctxaudit.frozen import frozen

FORMATS, RULES = "ctxaudit.formats", "ctxaudit.rules"
MARK = b"[ctxaudit."


@frozen
class Plugin:
    """What an entry point names; ``error`` says why it cannot be used, None if it can."""

    name: str
    package: str
    value: Any = None
    error: str | None = None


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """The plugins of a group that are installed, by name."""
    if not _installed():
        return ()
    from importlib.metadata import entry_points  # takes longer than many a scan

    found = []
    for point in sorted(entry_points(group=group), key=lambda p: p.name):
        package = point.dist.name if point.dist else "?"
        try:
            found.append(Plugin(point.name, package, point.load()))
        except Exception as error:
            found.append(Plugin(point.name, package, error=reason(error)))
    return tuple(found)


def reason(error: BaseException) -> str:
    """What went wrong in code that is not ours, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


@cache
def _installed() -> bool:
    """Whether any installed package has plugins at all: asked of the files, which is fast."""
    return any(MARK in file.read_bytes() for file in _entry_points())


def _entry_points() -> Iterator[Path]:
    for folder in dict.fromkeys(sys.path):
        try:
            with os.scandir(folder or ".") as entries:
                names = [e.path for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        yield from (p for n in names if (p := Path(n, "entry_points.txt")).is_file())
