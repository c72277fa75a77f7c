"""The fields of a native line and of its parts, with their types; what is wrong is told by name."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType
from typing import Any, TypeVar

Types = frozenset[type]
Fields = Mapping[str, Types]
Word = TypeVar("Word", bound=Enum)

TEXT: Types = frozenset({str})
TEXT_OR_NULL: Types = TEXT | {NoneType}
FLAG: Types = frozenset({bool})
FLAG_OR_NULL: Types = FLAG | {NoneType}
WHOLE: Types = frozenset({int})
WHOLE_OR_NULL: Types = WHOLE | {NoneType}
NUMBER_OR_NULL: Types = WHOLE_OR_NULL | {float}
LIST: Types = frozenset({list})
LIST_OR_NULL: Types = LIST | {NoneType}
OBJECT: Types = frozenset({dict})
OBJECT_OR_NULL: Types = OBJECT | {NoneType}
ANY: Types = frozenset({dict, list, str, int, float, bool, NoneType})

#: What the parts of a line may hold, and of which types.
LINE: Fields = {
    "ctxaudit": WHOLE,
    "session": TEXT,
    "turn": WHOLE,
    "source": ANY,
    "decisions": LIST,
    "add": LIST,
    "restored": LIST,
    "withdrawn": LIST,
    "tools": LIST_OR_NULL,
    "tools_complete": FLAG,
    "reply": LIST,
    "calls": LIST,
    "final": FLAG,
    "error": TEXT_OR_NULL,
    "prompt_tokens": WHOLE_OR_NULL,
    "gaps": LIST,
}
SPAN: Fields = {
    "id": TEXT,
    "kind": TEXT,
    "text": TEXT,
    "call": TEXT_OR_NULL,
    "tool": TEXT_OR_NULL,
    "arguments": ANY,
    "failed": FLAG_OR_NULL,
}
CALL: Fields = {"id": TEXT, "tool": TEXT, "arguments": ANY}
TOOL: Fields = {
    "name": TEXT,
    "parameters": OBJECT_OR_NULL,
    "description": TEXT,
    "deferred": FLAG,
    "annotations": OBJECT_OR_NULL,
}
DECISION: Fields = {
    "kind": TEXT,
    "spans": LIST,
    "tools": LIST,
    "order": WHOLE,
    "actor": TEXT_OR_NULL,
    "reason": TEXT_OR_NULL,
    "score": NUMBER_OR_NULL,
    "explicit": FLAG,
    "exact": FLAG,
    "opaque": FLAG,
    "external": FLAG,
    "stubs": OBJECT,
}
GAP: Fields = {"aspect": TEXT, "extent": TEXT, "reason": TEXT}
NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
    NoneType: "null",
}


def checked(data: Any, fields: Fields, name: str) -> dict[str, Any]:
    """The data, if it is an object of these fields. Raises: ValueError that names the field."""
    prefix = "" if fields is LINE else f"{name}."
    if not isinstance(data, dict):
        raise ValueError(f"`{name}` holds {NAMES[type(data)]} where an object belongs")
    for key, value in data.items():
        kinds = fields.get(key)
        if kinds is None:
            raise ValueError(f"`{prefix}{key}` is no field of the native format")
        if type(value) not in kinds:
            wanted = " or ".join(told for kind, told in NAMES.items() if kind in kinds)
            raise ValueError(f"`{prefix}{key}` is {NAMES[type(value)]}, not {wanted}")
    return data


def required(data: dict[str, Any], key: str, name: str) -> Any:
    """The value of a field. Raises: ValueError that names it if it is not there."""
    if key not in data:
        raise ValueError(f"`{name}.{key}` is missing")
    return data[key]


def texts(data: dict[str, Any], key: str, prefix: str = "") -> tuple[str, ...]:
    """A list of strings, empty where there is none. Raises: ValueError."""
    items = data.get(key, ())
    if not all(isinstance(item, str) for item in items):
        raise ValueError(f"`{prefix}{key}` does not hold strings")
    return tuple(items)


def word(words: type[Word], value: str, name: str) -> Word:
    """A member by its value. Raises: ValueError that names the field and what it may be."""
    try:
        return words(value)
    except ValueError:
        known = ", ".join(str(member.value) for member in words)
        raise ValueError(f"`{name}` is {value[:40]!r}, none of {known}") from None
