"""Where OpenHands keeps the events of a session: ``<session>/events/<number>...json``."""

from __future__ import annotations

from pathlib import PurePath

from ctxaudit.patterns import regex

#: One event a file: a number, or a number and an id.
EVENT = regex(r"(?:\d+|event-\d+-.+)\.json\Z")


def session_name(path: str) -> str:
    """The name of a session: of the folder around its events, or of its file."""
    parts = PurePath(path).parts
    if not EVENT.match(parts[-1]):
        return parts[-1].split(".")[0]
    folders = [part for part in parts[:-1] if part != "events"]
    return folders[-1] if folders else "events"
