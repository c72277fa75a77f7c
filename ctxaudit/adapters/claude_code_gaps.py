"""What a Claude Code session does not show, by the version that wrote it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxaudit.model import Aspect, Extent, Gap

Version = tuple[int, ...]


def _prompts(reason: str) -> Gap:
    return Gap(Aspect.PROMPTS, Extent.PARTIAL, reason)


ATTACHMENTS: Version = (2, 1, 92)  #: the first version that logs them
#: From a version on, up to before another one (None: open).
BY_VERSION: tuple[tuple[Version | None, Version | None, Gap], ...] = (
    (
        None,
        ATTACHMENTS,
        _prompts("reminders and other attachments are not logged before Claude Code 2.1.92"),
    ),
    (
        (2, 1, 23),
        None,
        _prompts("clearing of old results when idle or by the server writes no record"),
    ),
)
ALWAYS_ON = Gap(
    Aspect.SCHEMAS,
    Extent.PARTIAL,
    "tools that are always on are not logged; of the others only the deferred ones are known",
)
THINKING = _prompts("the text of thinking is not in the log")
SYSTEM_PROMPT = _prompts("the system prompt and CLAUDE.md are not in the log")
STREAM = _prompts("reminders and other attachments are not part of the stream")
MIDWAY = _prompts("the log begins in the middle of the session")
NO_SUMMARY = Gap(Aspect.SUMMARIES, Extent.PARTIAL, "a compaction whose summary is not in the log")


def by_version(version: Version) -> Iterator[Gap]:
    """The gaps of logs that this version writes."""
    for since, before, gap in BY_VERSION:
        if (since is None or since <= version) and (before is None or version < before):
            yield gap
