"""Findings that are accepted: by tables of the configuration, and by a baseline."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from conftest import FIXTURES
from test_cli import Run, run  # noqa: F401 - the fixture

from ctxaudit.accept import Accepted, read

INCIDENT = FIXTURES / "demo" / "incident.requests.jsonl"
ORPHAN = FIXTURES / "demo" / "orphan.requests.jsonl"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.jsonl").write_bytes(INCIDENT.read_bytes())
    monkeypatch.chdir(tmp_path)
    return "a.jsonl"


def accept(text: str) -> None:
    Path("ctxaudit.toml").write_text(text)


def test_a_table_takes_findings_out(log: str, run: Run) -> None:  # noqa: F811
    accept("[[accept]]\nrule = 'GT'\ntool = '*_incident'\npath = '*.jsonl'\nreason = 'known'\n")
    ran = run("scan", log, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.report["summary"]["findings"] == 0
    assert ran.report["summary"]["accepted"] == 4


def test_one_that_does_nothing_is_told(log: str, run: Run) -> None:  # noqa: F811
    accept("[[accept]]\nrule = 'RN'\nreason = 'known'\n")
    ran = run("scan", log)
    assert ran.code == 1
    assert ran.err == "ctxaudit: warning: accept 'rule=RN' matches no finding: remove it\n"


def test_one_that_names_nothing_is_an_error(log: str, run: Run) -> None:  # noqa: F811
    accept("[[accept]]\nreason = 'all of it'\n")
    assert run("scan", log).code == 2


def test_one_that_is_over(log: str, run: Run) -> None:  # noqa: F811
    accept("[[accept]]\nrule = 'GT'\nreason = 'until the fix'\nuntil = 2020-01-31\n")
    ran = run("scan", log)
    assert ran.code == 1
    assert ran.err == "ctxaudit: warning: accept 'rule=GT' has expired on 2020-01-31\n"


def test_the_last_day_still_counts() -> None:
    tables = read([{"rule": "GT", "reason": "r", "until": "2026-03-01"}])
    assert Accepted(tables, date(2026, 3, 1)).warnings() == [
        "accept 'rule=GT' matches no finding: remove it"
    ]
    assert "expired" in Accepted(tables, date(2026, 3, 2)).warnings()[0]


def update(run: Run, log: str, *options: str) -> None:  # noqa: F811
    assert run("scan", log, "--baseline", "base.json", "--update-baseline", *options).code == 0


def test_a_baseline_holds_what_was_there(log: str, run: Run) -> None:  # noqa: F811
    assert run("scan", log, "--baseline", "base.json").code == 2  # there is none
    update(run, log)
    ran = run("scan", log, "--baseline", "base.json", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.report["summary"]["accepted"] == 4


def test_lines_do_not_matter(log: str, run: Run) -> None:  # noqa: F811
    update(run, log)
    Path(log).write_text("\n\n" + Path(log).read_text())
    assert run("scan", log, "--baseline", "base.json").code == 0


def test_what_is_new_counts(log: str, run: Run) -> None:  # noqa: F811
    update(run, log, "--ignore", "GT104")
    ran = run("scan", log, "--baseline", "base.json", "--format", "json")
    assert ran.code == 1
    assert [item["rule"] for item in ran.report["findings"]] == ["GT104"]


def test_what_is_gone_is_told(log: str, run: Run) -> None:  # noqa: F811
    update(run, log)
    ran = run("scan", log, "--baseline", "base.json", "--ignore", "GT101,GT102")
    assert ran.code == 0
    assert "base.json: 2 of its findings are gone; --update-baseline drops them" in ran.err


def test_less_to_check_is_a_failure(log: str, run: Run) -> None:  # noqa: F811
    update(run, log)
    lines = [json.loads(line) for line in Path(log).read_text().splitlines()]
    for line in lines:
        line["request"].pop("tools", None)
    Path(log).write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = run("scan", log, "--baseline", "base.json")
    assert ran.code == 2
    assert "shows less than it did in the baseline: schemas none, was full" in ran.err


def test_a_session_that_is_gone_is_a_failure(log: str, run: Run) -> None:  # noqa: F811
    update(run, log)
    Path(log).write_bytes(ORPHAN.read_bytes())
    ran = run("scan", log, "--baseline", "base.json")
    assert ran.code == 2
    assert "of the baseline is not in it any more" in ran.err


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "ctxaudit.baseline/1"}', "[1]"])
def test_a_damaged_baseline_is_one_line(log: str, run: Run, text: str) -> None:  # noqa: F811
    Path("base.json").write_text(text)
    ran = run("scan", log, "--baseline", "base.json")
    assert ran.code == 2
    assert ran.err.startswith("ctxaudit: base.json: ")
    assert ran.err.count("\n") == 1


def test_narrowing(log: str, run: Run) -> None:  # noqa: F811
    assert [
        f["turn"] for f in run("scan", log, "--turns", "9:", "--format", "json").report["findings"]
    ] == [9, 9, 10]
    assert run("scan", log, "--turns", "1:5").code == 0
    assert run("scan", log, "--session", "nobody").code == 3
    assert run("scan", log, "--session", "inc-*").code == 1
    assert run("scan", log, "--turns", "b").code == 2
    assert run("scan", log, "--since", "soon").code == 2
    assert run("scan", log, "--since", "1h").code == 1
    assert run("scan", log, "--since", "2999-01-01").code == 3
