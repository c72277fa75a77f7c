"""What can go wrong on the user's side, told in one line.

CtxauditError
├── UsageError      the command line is off
├── ConfigError     a configuration file is off
└── LogError        a log cannot be read, wholly or from some line on
    └── NothingError    a log is empty or of no known format
"""

from __future__ import annotations

from collections.abc import Iterable

#: What reading a record raises that is not of the shape that its format promises.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


class CtxauditError(Exception):
    """An error whose message is meant for the user; it ends in ``exit_code``, never in a
    traceback."""

    exit_code = 2


def suggestion(word: str, known: Iterable[str], otherwise: str, likeness: float = 0.6) -> str:
    """The end of a complaint about a word that is not known: the nearest one that is, else what to
    do ``otherwise``."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), 1, likeness)
    return f"; did you mean {close[0]}?" if close else f"; {otherwise}"


class UsageError(CtxauditError):
    """The command line asks for something that does not exist."""


class ConfigError(CtxauditError):
    """A configuration file, or another file that settings name, cannot be used."""


class LogError(CtxauditError):
    """A log, or a line of it, is not readable.

    ``line`` is 1-based; 0 when the whole file is meant.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NothingError(LogError):
    """There is nothing in a log that could be audited."""

    exit_code = 3
