"""The plugin for pytest, in a project of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import FIXTURES

DEMO = FIXTURES / "demo"
pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a sound log and one with an incident."""
    pytester.mkdir("logs")
    for name in ("incident", "incident-evicted"):
        content = (DEMO / f"{name}.requests.jsonl").read_bytes()
        (pytester.path / "logs" / f"{name}.jsonl").write_bytes(content)
    return pytester


def test_logs_are_tests(project: pytest.Pytester) -> None:
    ran = project.runpytest_subprocess("--ctxaudit", "logs")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*incident.jsonl is not sound*", "*GT104*"])
    ran.stdout.no_fnmatch_line("*Traceback*")


def test_an_expectation_holds(project: pytest.Pytester) -> None:
    project.run(sys.executable, "-m", "ctxaudit", "golden", "record", "logs")
    project.runpytest_subprocess("--ctxaudit", "logs").assert_outcomes(passed=2)
    expected = Path(project.path / "logs" / "incident.jsonl.expected")
    expected.write_text(expected.read_text().replace("GT104", "GT105"))
    ran = project.runpytest_subprocess("--ctxaudit", "logs/incident.jsonl")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["-inc-4471:10 GT105*", "+inc-4471:10 GT104*"])


def test_no_log_is_an_error(project: pytest.Pytester) -> None:
    project.mkdir("empty")
    assert project.runpytest_subprocess("--ctxaudit", "empty").ret == pytest.ExitCode.USAGE_ERROR


def test_the_fixture_and_the_function(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        from ctxaudit.testing import assert_sound as check

        def test_sound(assert_sound):
            assert_sound("logs/incident-evicted.jsonl")
            assert_sound("logs/incident.jsonl", select=["RN"])

        def test_unsound():
            with pytest.raises(AssertionError, match="GT103"):
                check("logs/incident.jsonl")

        def test_damaged(tmp_path):
            (tmp_path / "a.jsonl").write_text("{oops\\n")
            with pytest.raises(AssertionError, match="not sound"):
                check(tmp_path / "a.jsonl")
        """
    )
    project.runpytest_subprocess().assert_outcomes(passed=3)
