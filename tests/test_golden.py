"""Golden transcripts: recorded, compared, and every kind of difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import FIXTURES
from test_cli import Run, run  # noqa: F401 - the fixture

DEMO = FIXTURES / "demo"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    logs = tmp_path / "golden"
    logs.mkdir()
    for name in ("incident", "orphan"):
        (logs / f"{name}.jsonl").write_bytes((DEMO / f"{name}.requests.jsonl").read_bytes())
    monkeypatch.chdir(tmp_path)
    return logs


def test_record_and_check(folder: Path, run: Run) -> None:  # noqa: F811
    ran = run("golden", "record", "golden")
    assert ran.code == 0
    assert ran.out == "wrote golden/incident.jsonl.expected\nwrote golden/orphan.jsonl.expected\n"
    lines = (folder / "incident.jsonl.expected").read_text().splitlines()
    assert lines[:2] == [
        "# ctxaudit golden 1",
        "inc-4471 coverage schemas=full prompts=full results=full summaries=full",
    ]
    assert lines[2].startswith("inc-4471:7 GT101 error proven tool=update_incident ")
    ran = run("golden", "check", "golden")
    assert (ran.code, ran.out) == (0, "2 logs compared, all as expected\n")


def test_what_is_new_and_what_is_gone(folder: Path, run: Run) -> None:  # noqa: F811
    run("golden", "record", "golden")
    expected = folder / "incident.jsonl.expected"
    first, second, third, *others = expected.read_text().splitlines()
    expected.write_text("\n".join([first, second, *others, "inc-4471:3 RN304 made up"]) + "\n")
    ran = run("golden", "check", "golden")
    assert ran.code == 1
    assert f"+{third}\n" in ran.out
    assert "-inc-4471:3 RN304 made up\n" in ran.out
    assert ran.out.endswith("2 logs compared, 1 differ\n")


def test_no_expectation_is_a_difference(folder: Path, run: Run) -> None:  # noqa: F811
    assert run("golden", "check", "golden/incident.jsonl").code == 1


def test_less_to_check_is_a_difference(folder: Path, run: Run) -> None:  # noqa: F811
    run("golden", "record", "golden")
    log = folder / "orphan.jsonl"
    log.write_text(log.read_text().replace('"tools"', '"no_tools"'))
    ran = run("golden", "check", "golden")
    assert ran.code == 1
    assert "schemas=none" in ran.out


def test_a_log_that_is_gone_is_a_difference(folder: Path, run: Run) -> None:  # noqa: F811
    run("golden", "record", "golden")
    (folder / "orphan.jsonl").unlink()
    ran = run("golden", "check", "golden")
    assert ran.code == 1
    assert "golden/orphan.jsonl.expected: its log is gone\n" in ran.out


def test_damage_is_2_and_nothing_is_3(folder: Path, run: Run) -> None:  # noqa: F811
    run("golden", "record", "golden")
    log = folder / "orphan.jsonl"
    log.write_text("{oops\n" + log.read_text())
    assert run("golden", "check", "golden").code == 2
    (folder / "empty").mkdir()
    assert run("golden", "check", "golden/empty").code == 3


def test_settings_hold(folder: Path, run: Run) -> None:  # noqa: F811
    Path("ctxaudit.toml").write_text('ignore = ["GT101"]\n')
    run("golden", "record", "golden")
    assert "GT101" not in (folder / "incident.jsonl.expected").read_text()
    assert run("golden", "check", "golden").code == 0
    assert run("golden", "check", "golden", "--isolated").code == 1
