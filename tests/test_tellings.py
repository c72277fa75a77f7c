"""One story in every format: all say the same of it; nothing was pruned, and nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxaudit.adapters import FORMATS
from ctxaudit.audit import Input, audit
from tests.tellings import Story
from tests.tellings.formats import FOLDERS, PROMPTS, SESSIONS, tell

STEPS = 14


@pytest.mark.parametrize("name", sorted({*SESSIONS, *PROMPTS}))
def test_the_story_is_told(name: str, tmp_path: Path) -> None:
    path = tell(name, tmp_path, [Story("s1", STEPS)])
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    assert report.format == name
    told = [(session.turns, session.calls, session.decisions) for session in report.sessions]
    assert told == [(STEPS + 1, STEPS, 0)]
    assert report.findings == []


def test_every_format_tells_it() -> None:
    assert set(FORMATS) == {*SESSIONS, *PROMPTS, *FOLDERS}
