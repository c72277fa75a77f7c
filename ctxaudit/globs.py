"""Which logs a glob of the configuration means."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePath


def path_matches(path: str, pattern: str) -> bool:
    """Whether a log's path is meant by a glob: by the whole, its end, or a folder above it."""
    told = PurePath(path).as_posix()
    glob = PurePath(pattern).as_posix()
    return any(fnmatchcase(told, one) for one in (glob, f"*/{glob}", f"{glob}/*", f"*/{glob}/*"))
