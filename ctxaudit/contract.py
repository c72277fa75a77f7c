"""The public contracts: JSON Schemas of what ctxaudit reads and writes."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("schemas")


def schema(name: str) -> bytes:
    """The JSON Schema of a contract.

    ``report``: the JSON report. ``finding``: a line of the JSONL report. ``log``: a line of the
    native format. ``config``: a configuration file.
    """
    return (FOLDER / f"{name}.schema.json").read_bytes()
