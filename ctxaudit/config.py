"""What is set in a file: ``[tool.ctxaudit]`` of pyproject.toml, or ctxaudit.toml.

The nearest file holds, from the working directory up to the root of the repository; of two in one
folder, ctxaudit.toml. What the command line says goes before it, and it goes before the defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import orjson

from ctxaudit.contract import schema
from ctxaudit.errors import ConfigError, suggestion
from ctxaudit.frozen import frozen

OWN, SHARED = "ctxaudit.toml", "pyproject.toml"
#: What holds where nothing else is said. A setting without a default is off.
DEFAULTS: dict[str, Any] = {
    "paths": [],
    "exclude": [],
    "select": [],
    "ignore": [],
    "fail-on": "error",
    "min-confidence": "likely",
    "format": "rich",
    "output": {},
    "input-format": None,
    "jobs": 1,
    "exit-zero": False,
    "quiet": False,
    "statistics": False,
    "color": "auto",
    "progress": True,
    "baseline": None,
    "window": 5,
    "handles": [],
    "tokens": "estimate",
    "tools": {},
    "mcp-tools": [],
    "per-path": [],
    "accept": [],
}


@frozen
class Config:
    """Settings, and where each comes from.

    ``values`` has all keys of ``DEFAULTS``; ``sources`` says for each ``default``, ``command line``
    or ``<file>:<line>``. ``root`` is the folder to which the file's paths are relative.
    """

    values: Mapping[str, Any]
    sources: Mapping[str, str]
    root: Path = field(default_factory=Path)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def over(self, told: Mapping[str, Any]) -> Config:
        """The same with what the command line says; None and empty lists say nothing."""
        said = {key: value for key, value in told.items() if value not in (None, [], ())}
        sources = {**self.sources, **dict.fromkeys(said, "command line")}
        return Config({**self.values, **said}, sources, self.root)

    def path(self, key: str) -> str:
        """The path that a setting names, as seen from the working directory."""
        return self._seen(key, self.values[key])

    def paths(self, key: str) -> list[str]:
        """The paths that a setting names, as seen from the working directory."""
        return [self._seen(key, path) for path in self.values[key]]

    def files(self, key: str) -> dict[str, str]:
        """The paths that a setting names by something, as seen from the working directory."""
        return {name: self._seen(key, path) for name, path in self.values[key].items()}

    def _seen(self, key: str, path: str) -> str:
        from_file = self.sources[key] not in ("default", "command line")
        return str(self.root / path) if from_file else path


def load(path: str | None = None, *, isolated: bool = False) -> Config:
    """The settings of a file, else of the nearest one; ``isolated``: of none.

    Raises: ConfigError with file and line if it cannot be read or says what nothing understands.
    """
    none = Config(dict(DEFAULTS), dict.fromkeys(DEFAULTS, "default"))
    found = Path(path) if path is not None else None if isolated else nearest(Path.cwd())
    if found is None:
        return none
    text = _text(found)
    told = _table(found, _parsed(found, text))
    shown = _shown(found)
    where = {key: f"{shown}:{_line(text, key)}" for key in told}
    _check(told, shown, text)
    root = found.parent
    if root.is_absolute() and root.resolve() == Path.cwd():
        root = Path()
    return Config({**none.values, **told}, {**none.sources, **where}, root)


def nearest(start: Path) -> Path | None:
    """The file that holds in a folder; None if there is none up to the repository's root."""
    for folder in (start, *start.parents):
        if (folder / OWN).is_file():
            return folder / OWN
        shared = folder / SHARED
        if shared.is_file() and "tool.ctxaudit" in _text(shared):
            return shared
        if (folder / ".git").exists():
            return None
    return None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise ConfigError(f"{_shown(path)}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{_shown(path)}: not UTF-8") from error


def _parsed(path: Path, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{_shown(path)}: {error}") from error


def _table(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Our part of a document; dates as texts, as JSON has them."""
    tool = document.get("tool")
    shared = tool.get("ctxaudit") if isinstance(tool, dict) else None
    told = (shared or {}) if path.name == SHARED else shared or document
    if not isinstance(told, dict):
        raise ConfigError(f"{_shown(path)}: [tool.ctxaudit] is no table")
    return {key: _plain(value) for key, value in told.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else value


def _check(told: dict[str, Any], shown: str, text: str) -> None:
    """Raises: ConfigError for the first thing that the contract does not know."""
    import jsonschema_rs

    contract = orjson.loads(schema("config"))
    for place, unknown, known in _strangers(told, contract):
        hint = suggestion(unknown, known, f"it knows {', '.join(sorted(known))}")
        raise ConfigError(
            f"{shown}:{_line(text, unknown)}: no setting{place} is called {unknown!r}{hint}"
        )
    validator = jsonschema_rs.validator_for(contract, validate_formats=True)
    for error in validator.iter_errors(told):
        path = [str(part) for part in error.instance_path]
        line = _line(text, next((p for p in reversed(path) if not p.isdecimal()), ""))
        raise ConfigError(f"{shown}:{line}: {'.'.join(path) or 'settings'}: {error.message}")


def _strangers(
    told: dict[str, Any], contract: dict[str, Any]
) -> Iterator[tuple[str, str, list[str]]]:
    """Keys that the contract does not know, as (place, key, keys that it knows there)."""
    known = contract["properties"]
    for key, value in told.items():
        if key not in known:
            yield "", key, list(known)
        elif "properties" in known[key].get("items", {}) and isinstance(value, list):
            inner = known[key]["items"]["properties"]
            for item in value:
                for name in item if isinstance(item, dict) else ():
                    if name not in inner:
                        yield f" of {key}", name, list(inner)


def _line(text: str, key: str) -> int:
    """The line where a key stands first, 1 if it cannot be told."""
    name = rf"[\"']?{re.escape(key)}[\"']?"
    found = re.search(
        rf"^[ \t]*(?:\[+[^\]\n]*\b{name}\s*\]|{name}\s*=)|[{{,]\s*{name}\s*=", text, re.M
    )
    return text.count("\n", 0, found.start()) + 1 if found and key else 1


def _shown(path: Path) -> str:
    """A path as short as it can be told: from the working directory where it lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()
