"""What the span formats share: calls in the order of their start, and values that were cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from ctxaudit.adapters import provider_content as content
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, ToolSchema
from ctxaudit.pieces import Snapshot

CUT = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "some prompts were cut by the recorder (attribute count or length limits): nothing is inferred "
    "from what they lack",
)


class CutError(ValueError):
    """A value was cut in the middle, so it is not JSON any more."""


def loads(value: Any) -> Any:
    """A value that may be JSON in a text.

    Raises: CutError if it begins like JSON and is none.
    """
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        if value.lstrip()[:1] in ("[", "{"):
            raise CutError("cut JSON") from None
        return value


def lenient(value: Any) -> Any:
    """As ``loads``, but a text that is no JSON stays what it is."""
    try:
        return loads(value)
    except CutError:
        return value


def in_order(
    source: Source, build: Callable[[Record], Iterable[tuple[Any, Snapshot]] | None]
) -> Iterator[Snapshot]:
    """All model calls of a log, sorted by the start that ``build`` gives with each.

    Spans are logged when they end, and a sub-agent's calls end between its caller's.
    """
    found: list[tuple[Any, int, Snapshot]] = []
    for group in source.each(lambda record: list(build(record) or ())):
        found += [(start, len(found) + n, snapshot) for n, (start, snapshot) in enumerate(group)]
    found.sort(key=lambda item: (moment(item[0]), item[1]))
    yield from (snapshot for _, _, snapshot in found)


def moment(start: Any) -> str:
    """A start in an order that holds for texts: seconds since 1970, or a date with its time.

    All of one log are of one kind. With a fraction or without, the same second comes first.
    """
    if isinstance(start, (int, float)):
        return f"{start:026.6f}"
    return str(start or "").replace("T", " ").partition("+")[0].rstrip("Z")


def schemas(raw: Any) -> dict[str, ToolSchema]:
    """The tools of a list of definitions, by name; one that was cut is passed over."""
    return content.schemas([tool for tool in map(lenient, raw) if isinstance(tool, dict)])


def whole(raw: Any) -> bool:
    """Whether all definitions of a list can be read."""
    tools = [lenient(tool) for tool in raw or ()]
    return all(isinstance(tool, dict) for tool in tools) and content.whole(tools)


def count(value: Any) -> int | None:
    """A number of tokens, None if it is none."""
    return value if isinstance(value, int) else None


def traced(trace: Any, span: Any) -> tuple[str, str] | tuple[()]:
    """The ids of a trace and a span in plain hexadecimal, empty if they are of another kind."""
    told = [str(one or "").removeprefix("0x").lower() for one in (trace, span)]
    if [len(one) for one in told] != [32, 16] or not set("".join(told)) <= set("0123456789abcdef"):
        return ()
    return told[0], told[1]
