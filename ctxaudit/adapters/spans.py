"""What the span formats share: calls in the order of their start, and values that were cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

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
    found.sort(key=lambda item: (str(item[0]), item[1]))
    yield from (snapshot for _, _, snapshot in found)


def schema_of(tool: Any) -> ToolSchema | None:
    """A tool definition in any of the usual shapes; None if it has no name."""
    if not isinstance(tool, dict):
        return None
    inner = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return None
    parameters = inner.get("parameters", inner.get("input_schema"))
    return ToolSchema(
        inner["name"],
        parameters if isinstance(parameters, dict) else None,
        str(inner.get("description") or ""),
    )


def schemas(raw: Any) -> dict[str, ToolSchema]:
    """The tools of a list of definitions, by name."""
    found = (schema_of(lenient(tool)) for tool in raw)
    return {schema.name: schema for schema in found if schema is not None}


def traced(trace: Any, span: Any) -> tuple[str, str] | tuple[()]:
    """The ids of a trace and a span in plain hexadecimal, empty if they are of another kind."""
    told = [str(one or "").removeprefix("0x").lower() for one in (trace, span)]
    if [len(one) for one in told] != [32, 16] or not set("".join(told)) <= set("0123456789abcdef"):
        return ()
    return told[0], told[1]
