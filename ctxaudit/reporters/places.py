"""Where a log is, for services that know a repository: from where the command was run."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def below(path: str) -> str | None:
    """A path relative to the working directory, with slashes; None if it is elsewhere."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        return None
    away = relative == os.pardir or relative.startswith(os.pardir + os.sep)
    return None if away else relative.replace(os.sep, "/")


def shown(path: str) -> str:
    """The same, or the path as it was told."""
    return below(path) or path


def uri(path: str) -> str:
    """A URI: relative below the working directory, else with its scheme."""
    relative = below(path)
    if relative is not None:
        return _quoted(relative)
    absolute = Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - resolve() follows links
    return "file://" + _quoted(absolute if absolute.startswith("/") else f"/{absolute}")


def _quoted(path: str) -> str:
    return quote(path, safe="/", errors="surrogatepass")
