"""The logs that ship with the package: the demonstration, and the examples of the rules."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
#: In an installed package, and in a checkout.
FOLDERS = (HERE / "examples", HERE.parent / "fixtures")


def demo() -> Path | None:
    """The incident that the documentation tells of; None if it was not installed."""
    return _first("demo/incident.requests.jsonl")


def example_of(module: str) -> Path | None:
    """The log that a rule reports, by the name of the rule's module; None if there is none."""
    return _first(f"rules/{module}/bad*.jsonl")


def twins_of(module: str) -> list[Path]:
    """The logs that a rule leaves alone, by the name of the rule's module."""
    for folder in FOLDERS:
        if logs := sorted(folder.glob(f"rules/{module}/good*.jsonl")):
            return logs
    return []


def _first(pattern: str) -> Path | None:
    logs = [log for folder in FOLDERS for log in sorted(folder.glob(pattern))]
    return logs[0] if logs else None
