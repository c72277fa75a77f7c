"""What changed between two JSON Schemas of a tool, and what a schema says of a call's arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from ctxaudit.frozen import frozen

MAX_DEPTH = 24


class Change(StrEnum):
    """How a schema differs from its predecessor."""

    SAME = "same"
    EXTENDED = "extended"  # only optional additions, or constraints relaxed by widening
    COMPRESSED = "compressed"  # constraints were lost, none was added
    MIGRATED = "migrated"  # arguments of the old shape may not be valid any more


@frozen
class Difference:
    """``lost`` and ``changed`` are readable paths such as ``notify (required)``."""

    change: Change
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def compare(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Difference:
    """Judge a rewrite of a tool's parameters. A side that is not logged (None) says nothing."""
    if old is None or new is None or old == new:
        return Difference(Change.SAME)
    before, after = dict(constraints(old)), dict(constraints(new))
    lost = tuple(name for name in before if name not in after)
    changed = tuple(
        name for name, value in before.items() if name in after and not _admits(after[name], value)
    )
    added_required = tuple(n for n in after if n.endswith(" (required)") and n not in before)
    if changed or added_required:
        return Difference(Change.MIGRATED, lost, changed + added_required)
    if lost:
        renamed = any(n.endswith(" (property)") and n not in before for n in after)
        closed = after.get("additionalProperties") is False and any("(property)" in n for n in lost)
        return Difference(Change.MIGRATED if renamed or closed else Change.COMPRESSED, lost)
    return Difference(Change.SAME if before == after else Change.EXTENDED)


def constraints(schema: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every constraint of a schema as (readable name, value); descriptions are none."""
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, child in properties.items():
            full = f"{path}.{name}" if path else str(name)
            yield f"{full} (property)", True
            yield from constraints(child, full, depth + 1)
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        yield (f"{path}.{name}" if path else str(name)) + " (required)", True
    for key in ("type", "enum", "const", "pattern", "format", "minimum", "maximum", "minItems"):
        if key in schema and (path or key != "type"):
            yield f"{path} ({key})", schema[key]
    if "additionalProperties" in schema and not path:
        yield "additionalProperties", schema["additionalProperties"]
    yield from constraints(schema.get("items"), f"{path}[]", depth + 1)


def _admits(new: Any, old: Any) -> bool:
    """Whether what the old constraint allowed is allowed by the new one."""
    if new == old:
        return True
    olds = old if isinstance(old, list) else [old]
    news = new if isinstance(new, list) else [new]
    return all(item in news for item in olds)


def property_names(schema: Mapping[str, Any] | None) -> frozenset[str]:
    """The top-level argument names of a schema."""
    properties = (schema or {}).get("properties")
    return frozenset(properties) if isinstance(properties, Mapping) else frozenset()


def flatten(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The leaves of a JSON value as (dotted path, leaf); list items share the path ``name[]``."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping) and value:
        for key, child in value.items():
            yield from flatten(child, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list) and value:
        for child in value:
            yield from flatten(child, f"{path}[]", depth + 1)
    elif path:
        yield path, value


def violations(schema: Mapping[str, Any] | None, arguments: Any) -> tuple[str, ...]:
    """What a JSON Schema validator says against the arguments; a broken schema says nothing."""
    if not schema:
        return ()
    import jsonschema_rs

    try:
        validator = jsonschema_rs.validator_for(dict(schema))
        return tuple(sorted(error.message for error in validator.iter_errors(arguments)))
    except ValueError:
        # jsonschema_rs.ValidationError and referencing errors are ValueErrors: the schema itself
        # is off.
        return ()
