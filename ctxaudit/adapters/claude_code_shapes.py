"""Safe looks at JSON values whose shape nobody guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]
#: How user lines begin that the program writes, not the person.
MACHINE = (
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted by user",
)


def an_object(value: Any) -> Data:
    """The value, which must be a JSON object.

    Raises: TypeError if it is none.
    """
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return value


def text_of(data: Data, key: str) -> str | None:
    """The text under a key, None if it is empty or no text."""
    value = data.get(key)
    return value if isinstance(value, str) and value else None


def names(value: Any) -> tuple[str, ...]:
    """The texts of a list; nothing of anything else."""
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def written_by_person(text: str, origin: Any) -> bool:
    """Whether a user message is a person's, by its beginning and by its logged origin."""
    if text.lstrip().startswith(MACHINE):
        return False
    return not isinstance(origin, Mapping) or origin.get("kind", "human") == "human"
