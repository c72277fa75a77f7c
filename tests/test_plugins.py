"""Formats and rules of other packages: installed for real, used, and failing by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import FIXTURES

INCIDENT = FIXTURES / "demo" / "incident.requests.jsonl"
MODULE = '''
from ctxaudit.model import Aspect, Extent, Location, Severity, ToolCall, Turn
from ctxaudit.rule import Rule

class Long(Rule):
    """A call has long arguments."""

    code, name, family, severity = "ZZ901", "long-call", "ghost-tool", Severity.WARNING

    def on_call(self, call, ctx):
        if len(str(call.arguments)) > 60:
            yield self.finding(call.where, "long", fix="shorten it", cause=None, tool=call.tool)

class Broken(Long):
    """Fails."""

    code, name = "ZZ902", "broken"

    def on_call(self, call, ctx):
        raise ZeroDivisionError("one\\ntwo")

class Taken(Long):
    code, name = "GT101", "taken"
'''
FORMAT = """
from ctxaudit.model import Aspect, Extent, Location, ToolCall, Turn

NAME, TITLE, SHOWS = "kites", "Logs of kites", dict.fromkeys(Aspect, Extent.FULL)

def recognises(head):
    return any("kite" in data for data in head)

def read(source):
    for record in source:
        where = Location(record.path, record.line, "k", record.line)
        yield Turn(where, calls=(ToolCall(f"c{record.line}", "fly", record.data, where),))
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages with one that brings plugins."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "kites.py").write_text(MODULE)
    (folder / "kite_logs.py").write_text(FORMAT)
    (folder / "bad_logs.py").write_text("NAME = 'x'\n")
    return folder


def install(site: Path, entry_points: str) -> None:
    info = site / "kites-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kites\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


def ctxaudit(site: Path, *args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ctxaudit", *map(str, args)]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_rule(site: Path) -> None:
    install(site, "[ctxaudit.rules]\nlong = kites:Long\n")
    assert "ZZ901  long-call" in ctxaudit(site, "rules").stdout
    ran = ctxaudit(site, "scan", INCIDENT, "--select", "ZZ", "--format", "json")
    findings = json.loads(ran.stdout)["findings"]
    assert {(f["rule"], f["family"]) for f in findings} == {("ZZ901", "ghost-tool")}
    assert ran.returncode == 0
    assert "ZZ901" in ctxaudit(site, "explain", "long-call").stdout


def test_a_format(site: Path, tmp_path: Path) -> None:
    install(site, "[ctxaudit.formats]\nkites = kite_logs\n")
    log = tmp_path / "a.jsonl"
    log.write_text('{"kite": 1}\n{"kite": 2}\n')
    told = json.loads(ctxaudit(site, "scan", log, "--format", "json").stdout)
    assert (told["sessions"][0]["format"], told["summary"]["turns"]) == ("kites", 2)
    assert "kites" in ctxaudit(site, "formats").stdout
    assert ctxaudit(site, "scan", log, "--input-format", "kites").returncode == 0


def test_what_cannot_be_used_is_named_and_the_audit_goes_on(site: Path) -> None:
    install(
        site,
        "[ctxaudit.rules]\ngone = nowhere:Rule\nlong = kites:Long\nbroken = kites:Broken\n"
        "taken = kites:Taken\n[ctxaudit.formats]\nbad = bad_logs\n",
    )
    ran = ctxaudit(site, "scan", INCIDENT, "--format", "json")
    told = json.loads(ran.stdout)
    assert ran.returncode == 2
    assert {f["rule"] for f in told["findings"]} >= {"GT101", "GT104", "ZZ901"}
    assert {(e["log"], e["message"]) for e in told["errors"]} == {
        (str(INCIDENT), "rule ZZ902 of a plugin failed: ZeroDivisionError: one two"),
        ("rule plugin gone of kites", "ModuleNotFoundError: No module named 'nowhere'"),
        ("rule plugin taken of kites", "its code or name is taken by ghost-tool"),
        ("format plugin bad of kites", "has no TITLE, SHOWS, recognises, read"),
    }
    assert ctxaudit(site, "rules").returncode == 2
    assert "Traceback" not in ran.stderr


def test_a_format_that_fails_while_it_is_asked(site: Path, tmp_path: Path) -> None:
    (site / "kite_logs.py").write_text(FORMAT.replace("return any", "return head[99] or any"))
    install(site, "[ctxaudit.formats]\nkites = kite_logs\n")
    log = tmp_path / "a.jsonl"
    log.write_text('{"something": 1}\n')
    ran = ctxaudit(site, "scan", log, INCIDENT)
    assert ran.returncode == 2
    assert "format plugin kites: IndexError: list index out of range" in ran.stderr
