"""Regular expressions that are compiled when they are first used.

A scan needs few of the hundreds that the tables hold, and compiling them all took longer than
parsing thirty megabytes.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern, and has its methods from the first use on."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source, self._flags)
        value = getattr(compiled, name)
        setattr(self, name, value)  # the next time it is found without us
        return value


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """``re.compile``, put off. An invalid source is told at the first use."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
