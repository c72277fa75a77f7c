"""What can go wrong on the user's side, told in one line.

CtxauditError
├── UsageError      the command line or the configuration is off
└── LogError        a log cannot be read, wholly or from some line on
"""

from __future__ import annotations


class CtxauditError(Exception):
    """An error whose message is meant for the user; it ends in exit code 2, never in a
    traceback."""


class UsageError(CtxauditError):
    """The command line or the configuration asks for something that does not exist."""


class LogError(CtxauditError):
    """A log, or a line of it, is not readable.

    ``line`` is 1-based; 0 when the whole file is meant.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
