"""The shipped stories: the same findings in both forms, and silence where pruning was sound."""

from __future__ import annotations

import json

import pytest
from conftest import FIXTURES, check_golden
from typer.testing import CliRunner

from ctxaudit.cli import application

DEMO = FIXTURES / "demo"
STORIES = {
    "incident": [
        ("GT101", 7, "error"),
        ("GT102", 9, "error"),
        ("GT103", 9, "error"),
        ("GT104", 10, "critical"),
    ],
    "incident-evicted": [],
    "incident-tombstone": [],
    "orphan": [
        ("OR202", 20, "warning"),
        ("RN301", 20, "warning"),
        ("OR202", 21, "error"),
        ("OR203", 21, "critical"),
    ],
    "orphan-pinned": [],
    "negative": [
        ("RN301", 5, "note"),
        ("RN302", 6, "error"),
        ("RN303", 6, "critical"),
    ],
    "negative-kept": [],
}


def scanned(path: str) -> dict:
    result = CliRunner().invoke(application(), ["scan", path, "--format", "json"])
    report = json.loads(result.stdout)
    assert result.exit_code == report["summary"]["exit_code"]
    return report


@pytest.mark.parametrize("form", ["requests", "native"])
@pytest.mark.parametrize("story", STORIES)
def test_story(story: str, form: str) -> None:
    report = scanned(str(DEMO / f"{story}.{form}.jsonl"))
    found = [(f["rule"], f["turn"], f["severity"]) for f in report["findings"]]
    assert found == STORIES[story]
    assert report["errors"] == []
    assert len({f["incident"] for f in report["findings"]}) <= 1
    loud = {severity for _, _, severity in found} & {"error", "critical"}
    assert report["summary"]["exit_code"] == (1 if loud else 0)


def test_the_incident_names_what_it_must() -> None:
    report = scanned(str(DEMO / "incident.native.jsonl"))
    by_rule = {f["rule"]: f for f in report["findings"]}
    assert report["sessions"][0]["decisions"] == 1
    assert by_rule["GT101"]["cause"]["actor"] == "frequency-pruner"
    assert by_rule["GT101"]["cause"]["explicit"]
    assert "subset" in by_rule["GT102"]["message"]
    assert '"notify" is a required property' in by_rule["GT102"]["message"]
    assert "`notify`" in by_rule["GT103"]["message"]
    assert by_rule["GT104"]["tool"] == "create_incident"


def test_an_obeyed_tombstone_is_counted_not_reported() -> None:
    report = scanned(str(DEMO / "incident-tombstone.requests.jsonl"))
    metrics = report["sessions"][0]["metrics"]
    assert metrics["reexpansion_requests"] == 1
    assert metrics["tombstoned_tools"] == 1


@pytest.mark.parametrize("story", ["incident", "orphan", "negative"])
def test_rich_report(story: str, update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES.parent)
    result = CliRunner().invoke(application(), ["scan", f"fixtures/demo/{story}.native.jsonl"])
    check_golden(FIXTURES / "reports" / f"{story}.rich.txt", result.stdout, update)


def test_json_report(update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES.parent)
    result = CliRunner().invoke(
        application(), ["scan", "fixtures/demo/incident.requests.jsonl", "--format", "json"]
    )
    check_golden(FIXTURES / "reports" / "incident.json", result.stdout, update)
