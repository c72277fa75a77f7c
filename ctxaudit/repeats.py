"""Lines of JSON that repeat most of a line before: what is repeated is not parsed again.

A request log tells the whole conversation in every line. Where the list of messages of a line is
that of an earlier line and some more, its items are those of the earlier line, the same objects,
and only the rest is parsed; so is the list of tools that comes after it.

That this gives what parsing the whole line gives: a line is ``A [ X ] B``. If ``A [] B`` is JSON
and ``[X]`` is, the line is JSON, and it is ``A [] B`` with the items of ``[X]`` in that list. Both
are parsed, but for the parts of ``X`` that were parsed before; if either is not JSON, or the list
cannot be told from others, the line is parsed as a whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from ctxaudit.frozen import frozen

SHORT, LONG = 2_000, 8_000_000  # bytes of the lines that are worth it
RECENT = 4  # lines that are remembered: conversations may interleave
PATIENCE = 32  # lines without success after which a log is not tried any more
DEEPEST = 3
LEAST = 24  # bytes after the list by which its end is found again
LISTS = re.compile(rb'"(messages|input|contents)"\s*:\s*\[')
TOOLS = re.compile(rb'"tools"\s*:\s*\[')


@dataclass(slots=True)
class Line:
    """A line that was parsed, and where its list stands: ``raw[start:end]`` are the items."""

    raw: bytes
    data: Any
    key: str
    start: int
    end: int = -1  # not known before another line has repeated it
    items: list[Any] | None = None
    path: tuple[str, ...] | None = None  # of the object that has the list
    tail: Tail | None = None


@frozen
class Tail:
    """What follows a list up to the end of the tools: the same bytes in many lines.

    ``slim`` is the same without the tools, which are ``tools``; None where there are none.
    """

    raw: bytes
    slim: bytes
    tools: list[Any] | None


class Parser:
    """Parses the lines of one log, in their order."""

    def __init__(self) -> None:
        self.recent: list[Line] = []
        self.tails: list[Tail] = []
        self.misses = 0

    def loads(self, raw: bytes) -> Any:
        """The value of a line. Raises: orjson.JSONDecodeError if it is not JSON.

        Values of different lines may share parts: they are to be read, not to be changed.
        """
        if self.misses > PATIENCE or not SHORT < len(raw) < LONG:
            return orjson.loads(raw)
        found = LISTS.search(raw)
        if found is None:
            self.misses += 1
            return orjson.loads(raw)
        made = self._repeated(raw, found.end(), found[1].decode())
        if made is None:
            self.misses += 1
            made = Line(raw, orjson.loads(raw), found[1].decode(), found.end())
            self.recent = [*self.recent[1 - RECENT :], made]
        else:
            self.misses = 0
        return made.data

    def _repeated(self, raw: bytes, start: int, key: str) -> Line | None:
        """The line, made of an earlier one that it repeats; that one is forgotten."""
        for n in range(len(self.recent) - 1, -1, -1):
            old = self.recent[n]
            if old.key != key or not self._opened(old, raw, start):
                continue
            made = self._made(old, raw, start)
            if made is not None:
                self.recent.append(made)
                del self.recent[n]
                return made
        return None

    def _opened(self, old: Line, raw: bytes, start: int) -> bool:
        """Whether the list of a line repeats that of an old one; finds the end of the old one's."""
        if old.end >= 0:
            size = old.end - old.start
            return raw.startswith(old.raw[old.start : old.end], start) and _more(raw, start + size)
        size = _shared(old.raw, old.start, raw, start)
        end = old.start + size
        if old.raw[end : end + 1] != b"]" or not _more(raw, start + size):
            return False
        try:
            rest = orjson.loads(old.raw[: old.start] + old.raw[end:])
            items = orjson.loads(old.raw[old.start - 1 : end + 1])
        except orjson.JSONDecodeError:
            return False
        path, again = _path(old.data, old.key), _path(rest, old.key)
        holder, whole = _at(rest, path), _at(old.data, path)
        if path is None or path != again or holder is None or whole is None:
            return False
        if holder[old.key] or len(whole[old.key]) != len(items):
            return False
        old.end, old.items, old.path = end, whole[old.key], path
        old.tail = self._tail(old, whole)
        return True

    def _tail(self, line: Line, holder: dict[str, Any]) -> Tail:
        for known in self.tails:
            if line.raw.startswith(known.raw, line.end):
                return known
        tail = _tools_after(line.raw, line.end, holder) or Tail(
            line.raw[line.end : line.end + LEAST], line.raw[line.end : line.end + LEAST], None
        )
        self.tails = [*self.tails[1 - RECENT :], tail]
        return tail

    def _made(self, old: Line, raw: bytes, start: int) -> Line | None:
        if old.items is None or old.tail is None:
            return None
        tail, repeated = old.tail, start + old.end - old.start
        end = raw.find(tail.raw[:LEAST], repeated)  # a long needle takes long to prepare for
        if end < 0 or not raw.startswith(tail.raw, end):
            return None
        around = raw[:start] + tail.slim + raw[end + len(tail.raw) :]
        try:
            rest = orjson.loads(around)
            fresh = orjson.loads(b"[" + raw[repeated:end].lstrip(b", ") + b"]")
        except orjson.JSONDecodeError:
            return None
        holder = _at(rest, old.path)
        if holder is None or holder.get(old.key) != [] or not fresh:
            return None
        if around.count(b'"%s"' % old.key.encode()) > 1:
            return None  # the list may be another one of that name
        if tail.tools is not None:
            if holder.get("tools") != []:
                return None
            holder["tools"] = tail.tools
        items = old.items + fresh
        holder[old.key] = items
        return Line(raw, rest, old.key, start, end, items, old.path, tail)


def _more(raw: bytes, at: int) -> bool:
    """Whether another item of a list follows."""
    return raw[at : at + 4].lstrip().startswith(b",")


def _shared(one: bytes, a: int, two: bytes, b: int) -> int:
    """How many bytes are the same from two places on: found by halving, each step at C speed."""
    low, high = 0, min(len(one) - a, len(two) - b)
    while low < high:
        middle = (low + high + 1) // 2
        if one[a + low : a + middle] == two[b + low : b + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _path(data: Any, key: str) -> tuple[str, ...] | None:
    """The way to the one object in the upper levels of a value that has a list of that name."""
    found: list[tuple[str, ...]] = []
    level: list[tuple[tuple[str, ...], Any]] = [((), data)]
    for _ in range(DEEPEST):
        objects = [(path, value) for path, value in level if isinstance(value, dict)]
        found += [path for path, value in objects if isinstance(value.get(key), list)]
        level = [((*path, name), inner) for path, value in objects for name, inner in value.items()]
    return found[0] if len(found) == 1 else None


def _at(data: Any, path: tuple[str, ...] | None) -> dict[str, Any] | None:
    """The object at the end of a way, None if there is none."""
    if path is None:
        return None
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else None


def _tools_after(raw: bytes, end: int, holder: dict[str, Any]) -> Tail | None:
    """The part of a line from the end of its list to that of the tools, if they come next."""
    opened = TOOLS.search(raw, end)
    tools = holder.get("tools")
    if opened is None or not isinstance(tools, list) or not tools:
        return None
    try:
        text = raw[opened.end() - 1 :].decode()
        listed, size = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if listed != tools:
        return None
    close = opened.end() - 2 + len(text[:size].encode())
    return Tail(raw[end:close], raw[end : opened.end()], tools)
