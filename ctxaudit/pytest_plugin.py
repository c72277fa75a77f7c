"""A plugin for pytest: ``--ctxaudit DIR`` makes every log there a test.

A log with an expectation beside it (``ctxaudit golden record``) must be as expected; another one
must be sound. Tests can ask for the fixture ``assert_sound``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option, in a group of its own."""
    group = parser.getgroup("ctxaudit", "audit of agents' logs")
    group.addoption(
        "--ctxaudit",
        action="append",
        default=[],
        metavar="PATH",
        help="make every log in a directory (or matching a glob) a test; repeatable",
    )


@pytest.fixture
def assert_sound() -> Callable[..., None]:
    """``assert_sound(log, fail_on=..., min_confidence=..., select=..., ignore=...)``."""
    from ctxaudit.testing import assert_sound as check

    return check


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """The logs come after all other tests."""
    paths = session.config.getoption("--ctxaudit")
    if not paths:
        return
    from ctxaudit.audit import expand

    logs = [item.path for item in expand(paths)]
    if not logs:
        raise pytest.UsageError(f"--ctxaudit: no log in {', '.join(paths)}")
    items += [LogItem.from_parent(session, name=f"ctxaudit::{log}", log=log) for log in logs]


class LogItem(pytest.Item):
    """One log as a test."""

    def __init__(self, *, log: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.log = log

    def runtest(self) -> None:
        """Hold the log by its expectation, else by soundness."""
        from ctxaudit import testing

        if testing.has_expectation(self.log):
            testing.assert_as_expected(self.log)
        else:
            testing.assert_sound(self.log)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> str:
        """What the assertion says: where in our code it was made says nothing."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the log is."""
        return Path(self.log), None, self.name
