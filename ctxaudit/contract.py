"""The public contracts: JSON Schemas of what ctxaudit reads and writes."""

from __future__ import annotations

from importlib.resources import files


def schema(name: str) -> bytes:
    """The JSON Schema of ``report`` (the JSON report) or ``log`` (a line of the native format)."""
    return files("ctxaudit").joinpath("schemas", f"{name}.schema.json").read_bytes()
