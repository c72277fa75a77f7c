"""Identifiers that the user describes: expressions matched in time that is linear in the text."""

from __future__ import annotations

from collections.abc import Iterable

from ctxaudit.errors import ConfigError


class OwnHandles:
    """Expressions of the configuration; each must fit a whole value.

    The engine is the one of the JSON Schema validator: it knows no look-around and no
    back-reference, so that no expression can hang a scan.
    Raises: ConfigError for an expression that it does not understand.
    """

    def __init__(self, sources: Iterable[str] = ()) -> None:
        self.sources = tuple(sources)
        self._validators = [_compiled(source) for source in self.sources]

    def __bool__(self) -> bool:
        return bool(self.sources)

    def fits(self, value: str) -> bool:
        """Whether the whole value is such an identifier."""
        return any(v.is_valid(value) for v in self._validators)  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[type[OwnHandles], tuple[tuple[str, ...]]]:
        return OwnHandles, (self.sources,)  # compiled anew in another process


def _compiled(source: str) -> object:
    import jsonschema_rs

    schema = {"type": "string", "pattern": f"^(?:{source})$"}
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, pattern_options=jsonschema_rs.RegexOptions()
        )
    except ValueError as error:
        why = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"handles: {source!r} is no expression that can be used: {why}"
        ) from error
