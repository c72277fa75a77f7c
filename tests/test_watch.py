"""Following logs: what is new is told once, and what is half written is no damage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import FIXTURES

from ctxaudit.audit import Options
from ctxaudit.report import Report
from ctxaudit.watching import Watch

LINES = (FIXTURES / "demo" / "incident.requests.jsonl").read_bytes().splitlines(keepends=True)


def test_each_finding_is_told_once_as_it_comes(tmp_path: Path) -> None:
    now = 0.0
    watching = Watch([str(tmp_path)], Options(), Report, clock=lambda: now)
    assert list(watching.look()) == []
    log = tmp_path / "a.jsonl"
    told = []
    for count, line in enumerate(LINES, 1):
        with log.open("ab") as stream:
            stream.write(line)
        now += 10
        told += [(count, item.finding.rule) for item in watching.look()]
        assert list(watching.look()) == []
    assert [rule for _, rule in told] == ["GT101", "GT102", "GT103", "GT104"]
    assert [count for count, _ in told] == sorted(count for count, _ in told)
    assert told[0] == (7, "GT101")
    assert watching.report().exit_code == 1


def test_half_a_line_waits(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(b"".join(LINES[:8]) + LINES[8][:100])
    watching = Watch([str(log)], Options(), Report)
    assert [item.finding.rule for item in watching.look()] == ["GT101"]
    assert watching.report().problems == []


def test_what_is_excluded_is_not_followed(tmp_path: Path) -> None:
    for name in ("a.jsonl", "scratch.jsonl"):
        (tmp_path / name).write_bytes(b"".join(LINES))
    watching = Watch([str(tmp_path)], Options(), Report, exclude=["scratch*"])
    assert len(list(watching.look())) == 4
    assert [Path(log.path).name for log in watching.report().logs] == ["a.jsonl"]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(LINES))
    command = [sys.executable, "-m", "ctxaudit", "watch", str(tmp_path), "--seconds", "0"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert len(ran.stdout.splitlines()) == 4
    (tmp_path / "a.jsonl").unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 3
