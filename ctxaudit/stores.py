"""Logs that are not one file of text: a folder with a file an event, and a SQLite database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAGIC_SQLITE = b"SQLite format 3\0"
MEMBERS = (".json", ".jsonl", ".ndjson")
PACKED = (".gz", ".zst")


def natural(name: str) -> list[tuple[int, str | int]]:
    """A key that orders numbers by value: ``2.json`` before ``10.json``."""
    return [(0, int(p)) if p.isdecimal() else (1, p) for p in re.split(r"([0-9]+)", name) if p]


def members(folder: Path) -> list[tuple[str, Path]]:
    """The files of JSON below a folder, as (relative name, path) in natural order.

    Raises: OSError if it cannot be read.
    """
    next(folder.iterdir(), None)  # rglob is silent about a folder that it may not read
    found = [
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob("*")
        if path.is_file() and _plain(path.name).endswith(MEMBERS)
    ]
    return sorted(found, key=lambda item: [natural(part) for part in item[0].split("/")])


def _plain(name: str) -> str:
    return name.rsplit(".", 1)[0] if name.endswith(PACKED) else name


def rows(path: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The rows of a database, as (table, number from 1, row), tables by name.

    The database is opened for reading only. Bytes are read as text, or None where they are none.
    Raises: OSError if it is damaged or cannot be opened.
    """
    import sqlite3

    try:
        base = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
        base.row_factory = sqlite3.Row
        try:
            listed = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            for (table,) in base.execute(listed).fetchall():
                if not table.startswith("sqlite_"):
                    quoted = table.replace('"', '""')
                    for number, row in enumerate(base.execute(f'SELECT * FROM "{quoted}"'), 1):
                        yield table, number, {key: _value(row[key]) for key in row.keys()}  # noqa: SIM118
        finally:
            base.close()
    except sqlite3.Error as error:
        raise OSError(f"database cannot be read: {error}") from error


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return value
