"""What the tests share: where fixtures and real logs are, and goldens that can be updated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from ctxaudit.context import ContextState
from ctxaudit.model import Turn

#: The same examples at every run; CTXAUDIT_SEARCH=1 looks for new ones.
settings.register_profile("steady", derandomize=not os.environ.get("CTXAUDIT_SEARCH"))
settings.load_profile("steady")

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write goldens instead of comparing")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set where the tests run must not change what they see."""
    for name in ("COLUMNS", "NO_COLOR", "CTXAUDIT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """Real logs of other people, which are not part of the repository."""
    folder = Path(os.environ.get("CTXAUDIT_LOGS", ROOT.parent / "shared" / "logs"))
    if not folder.is_dir():
        pytest.skip("no real logs here: set CTXAUDIT_LOGS to a folder of them")
    return folder


def check_golden(path: Path, text: str, update: bool) -> None:
    """Compare with the golden beside a fixture, or write it."""
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.is_file(), f"{path} is missing: make update"
    assert text == path.read_text()


def resident(found: list[Turn]) -> ContextState:
    """The prompt after the last turn."""
    ctx = ContextState()
    for turn in found:
        ctx.begin(turn)
        for decision in turn.decisions:
            ctx.apply(decision)
        for span in turn.withdrawn:
            ctx.withdraw(span)
        for span in turn.restored:
            ctx.restore(span)
        for added in (*turn.added, *turn.reply):
            ctx.add(added)
        ctx.offer(turn)
        for made in turn.calls:
            ctx.call(made)
    return ctx
