"""One log, closely: the prompt at a turn, and what the log can show."""

from __future__ import annotations

import json

from conftest import FIXTURES
from test_cli import Run, run  # noqa: F401 - the fixture

INCIDENT = FIXTURES / "demo" / "incident.requests.jsonl"
ORPHAN = FIXTURES / "demo" / "orphan.native.jsonl"
CODEX = FIXTURES / "adapters" / "codex" / "encrypted.jsonl"


def test_a_prompt_without_a_schema(run: Run) -> None:  # noqa: F811
    lines = run("context", INCIDENT, "--turn", 9).out.splitlines()
    assert lines[0].endswith("incident.requests.jsonl:9 session inc-4471, turn 9")
    assert (
        "withheld: update_incident, since turn 7; nothing tells of it; "
        "1 of its calls still in the prompt"
    ) in lines
    assert lines[-1].startswith("finding: GT102 ghost-call (error, proven) update_incident")


def test_a_prompt_without_a_result(run: Run) -> None:  # noqa: F811
    out = run("context", ORPHAN, "--turn", 21, "--all").out
    assert "not in it any more" in out
    assert "run_8841" in out


def test_a_turn_that_is_not_there(run: Run) -> None:  # noqa: F811
    ran = run("context", INCIDENT, "--turn", 99)
    assert ran.code == 3
    assert ran.err.endswith("the log has no turn 99; the last one is 11\n")
    assert run("context", INCIDENT, "--turn", 1, "--session", "other").code == 3


def test_doctor(run: Run) -> None:  # noqa: F811
    assert "nothing is missing" in run("doctor", INCIDENT).out
    found = json.loads(run("doctor", CODEX, "--format", "json").out)
    assert found["format"] == "codex"
    assert found["coverage"]["summaries"] == "none"
    assert set(found["advice"]) >= {"schemas", "summaries"}
    assert found["notes"]


def test_doctor_of_damage(run: Run, tmp_path: object) -> None:  # noqa: F811
    path = f"{tmp_path}/a.jsonl"
    with open(path, "w") as stream:  # noqa: PTH123
        stream.write("{oops\n" + INCIDENT.read_text())
    assert run("doctor", path).code == 2
