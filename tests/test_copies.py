"""The same conversation in several logs is audited once, and the report says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Options
from ctxaudit.model import Severity
from ctxaudit.parallel import audit_paths
from ctxaudit.report import LogReport

ROWS = (FIXTURES / "demo" / "incident.native.jsonl").read_text().splitlines()


def audited(*paths: Path, jobs: int = 1) -> list[LogReport]:
    return audit_paths([str(path) for path in paths], Options(), jobs)


def log(path: Path, rows: list[str]) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


def told(reports: list[LogReport]) -> list[tuple[str, str, int]]:
    return [(Path(r.path).stem, f.rule, f.where.turn) for r in reports for f in r.findings]


def notes(reports: list[LogReport]) -> list[str]:
    found = [note for r in reports for s in r.sessions for note in s.notes]
    return [note for note in found if "too: " in note]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("cut", [3, 6, 9])
def test_a_checkpoint_is_told_once(tmp_path: Path, cut: int, jobs: int) -> None:
    early, late = log(tmp_path / "a.jsonl", ROWS[:cut]), log(tmp_path / "b.jsonl", ROWS)
    reports = audited(early, late, jobs=jobs)
    assert told(reports) == told(audited(late))
    assert [len(report.sessions) for report in reports] == [0, 1]
    (note,) = notes(reports)
    assert note == f"{early} holds the first {cut} turns of this conversation, too: told once"


def test_of_equal_logs_the_first_one_counts(tmp_path: Path) -> None:
    first, second = log(tmp_path / "a.jsonl", ROWS), log(tmp_path / "b.jsonl", ROWS)
    reports = audited(first, second)
    assert told(reports) == told(audited(first))
    assert notes(reports) == [f"{second} holds all of this conversation, too: told once"]


def test_a_copy_may_end_within_a_turn(tmp_path: Path) -> None:
    row = json.loads(ROWS[5])
    row["calls"] = []
    early = log(tmp_path / "a.jsonl", [*ROWS[:5], json.dumps(row)])
    late = log(tmp_path / "b.jsonl", ROWS)
    assert [len(report.sessions) for report in audited(early, late)] == [0, 1]


def test_of_a_fork_only_what_is_new_is_told(tmp_path: Path) -> None:
    whole = log(tmp_path / "a.jsonl", ROWS)
    fork = []
    for row in ROWS[:-1]:
        data: dict[str, Any] = json.loads(row) | {"session": "fork"}
        fork.append(json.dumps(data))
    last = json.loads(ROWS[-2]) | {"session": "fork"}
    last["reply"] = ["Otherwise."]
    other = log(tmp_path / "b.jsonl", [*fork[:-1], json.dumps(last)])
    reports = audited(other, whole)
    shared = len(fork) - 1
    assert told(reports) == [
        *(one for one in told(audited(other)) if one[2] > shared),
        *told(audited(whole)),
    ]
    (note,) = notes(reports)
    assert note.startswith(f"its first {shared} turns are those of inc-4471 in {whole}, too: ")


def test_sessions_that_begin_alike_are_no_copies(tmp_path: Path) -> None:
    first = json.loads(ROWS[0])
    first["add"][1]["text"] += " Be quick."
    one = log(tmp_path / "a.jsonl", ROWS)
    other = log(tmp_path / "b.jsonl", [json.dumps(first), *ROWS[1:]])
    reports = audited(one, other)
    assert len(told(reports)) == 2 * len(told(audited(one)))
    assert notes(reports) == []


def test_what_one_log_holds_twice_is_left_to_its_format(tmp_path: Path) -> None:
    again = [json.dumps(json.loads(row) | {"session": "again"}) for row in ROWS]
    (report,) = audited(log(tmp_path / "a.jsonl", [*ROWS, *again]))
    assert len(report.sessions) == 2


@pytest.mark.parametrize("folder", ["claude_code", "codex", "pi", "copilot_cli"])
def test_a_checkpoint_in_other_formats(folder: str, tmp_path: Path) -> None:
    name = {"claude_code": "compaction", "codex": "local", "pi": "compaction"}.get(folder, "events")
    rows = (FIXTURES / "adapters" / folder / f"{name}.jsonl").read_text().splitlines()
    early, late = log(tmp_path / "a.jsonl", rows[:-2]), log(tmp_path / "b.jsonl", rows)
    reports = audited(early, late)
    assert told(reports) == told(audited(late))
    assert reports[0].sessions == []


def test_logs_that_are_audited_in_different_ways_both_have_their_say(tmp_path: Path) -> None:
    one, other = log(tmp_path / "a.jsonl", ROWS), log(tmp_path / "b.jsonl", ROWS)
    options = Options(special=[("b.jsonl", {"fail_on": Severity.CRITICAL})])
    reports = audit_paths([str(one), str(other)], options)
    assert [len(report.sessions) for report in reports] == [1, 1]
