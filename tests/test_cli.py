"""The command from outside: exit codes, streams, bad input, and no traceback ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import FIXTURES

from ctxaudit.cli import main

DEMO = FIXTURES / "demo"
LINES = (DEMO / "incident.requests.jsonl").read_text().splitlines()
SOUND = str(DEMO / "incident-evicted.requests.jsonl")
FAULTY = str(DEMO / "incident.requests.jsonl")


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*args: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["ctxaudit", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, out, err)

    return call


def spawn(*args: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ctxaudit", *args],
        input=stdin,
        capture_output=True,
        env={**os.environ, **env},
        check=False,
    )


# Exit codes


def test_violations_are_1_and_clean_is_0(run: Run) -> None:
    assert run("scan", FAULTY).code == 1
    assert run("scan", SOUND).code == 0
    assert run("scan", SOUND, FAULTY).code == 1


@pytest.mark.parametrize("format", ["rich", "json"])
def test_the_code_is_the_same_for_every_format(run: Run, format: str, tmp_path: Path) -> None:
    assert run("scan", FAULTY, "--format", format).code == 1
    assert run("scan", SOUND, "--format", format).code == 0
    assert run("scan", tmp_path / "none", "--format", format).code == 2
    assert run("scan", tmp_path, "--format", format).code == 3


def test_thresholds(run: Run) -> None:
    only = ("scan", FAULTY, "--select", "GT102")
    assert run(*only).code == 1
    assert run(*only, "--fail-on", "critical").code == 0
    assert run("scan", FAULTY, "--fail-on", "critical").code == 1
    negative = ("scan", DEMO / "negative.requests.jsonl", "--fail-on", "note")
    assert run(*negative).code == 1
    assert run(*negative, "--min-confidence", "proven").code == 0


def test_exit_zero_lets_violations_pass_and_nothing_else(run: Run, tmp_path: Path) -> None:
    assert run("scan", FAULTY, "--exit-zero").code == 0
    assert run("scan", tmp_path / "none", "--exit-zero").code == 2
    assert run("scan", tmp_path, "--exit-zero").code == 3


def test_the_report_is_written_whatever_the_code(run: Run, tmp_path: Path) -> None:
    for path in (FAULTY, SOUND, tmp_path / "none", tmp_path):
        ran = run("scan", path, "--format", "json")
        assert ran.report["summary"]["exit_code"] == ran.code


# Bad input


def log(tmp_path: Path, content: bytes | str) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


ALL = "".join(f"{line}\n" for line in LINES)
DEEP = "[" * 100_000 + "]" * 100_000
BAD_INPUT = {
    "empty": ("", 3, 0, ": empty log"),
    "blank lines": ("\n\n  \n", 3, 0, ": empty log"),
    "unknown format": ('{"a": 1}\n{"b": 2}\n', 3, 0, "unknown format"),
    "no turn": ('{"ctxaudit": 1, "session": "s", "turn": 1, "final": true}\n', 3, 0, ""),
    "binary": (bytes(range(256)) * 64, 2, 0, ""),
    "half a last line": (ALL + LINES[3][:200], 1, 11, None),
    "a broken line": ("\n".join([*LINES[:4], "{broken", *LINES[4:]]) + "\n", 2, 11, ":5: not JSON"),
    "a long line": (
        "\n".join([*LINES[:4], f'{{"x": "{"a" * 1_000_000}"}}', *LINES[4:]]),
        1,
        11,
        None,
    ),
    "deep nesting": ("\n".join([*LINES[:4], DEEP, *LINES[4:]]) + "\n", 2, 11, ":5: "),
    "only deep nesting": (DEEP + "\n", 2, 0, ":1: "),
    "invalid UTF-8": (ALL.encode().replace(b"Checkout", b"Check\xff\xfeout"), 2, 11, "UTF-8"),
    "byte order mark": (b"\xef\xbb\xbf" + ALL.encode(), 1, 11, None),
    "CRLF": (ALL.replace("\n", "\r\n"), 1, 11, None),
    "NaN": (ALL.replace('"notify": true', '"notify": NaN'), 1, 11, None),
    "half a surrogate pair": (ALL.replace("INC-4471", "INC-\\ud8004471"), 1, 11, None),
    "other shapes": ("\n".join([*LINES, "[]", "null", "3", '"x"', "{}"]) + "\n", None, 11, None),
}


@pytest.mark.parametrize("name", BAD_INPUT)
@pytest.mark.parametrize("format", ["rich", "json"])
def test_bad_input(run: Run, tmp_path: Path, name: str, format: str) -> None:
    content, code, turns, told = BAD_INPUT[name]
    path = log(tmp_path, content)
    ran = run("scan", path, "--format", format)
    assert code is None or ran.code == code
    if told is None and code is not None:
        assert ran.err == ""
    elif told is not None:
        lines = ran.err.splitlines()
        assert lines
        assert all(line.startswith(f"ctxaudit: {path}") for line in lines)
        assert any(told in line for line in lines)
    if format == "json":
        assert ran.report["summary"]["turns"] == turns


def test_half_a_last_line_is_a_note(run: Run, tmp_path: Path) -> None:
    ran = run("scan", log(tmp_path, ALL + LINES[3][:200]), "--format", "json")
    assert any("cut off" in note for note in ran.report["sessions"][0]["coverage"]["notes"])


def test_a_bad_log_does_not_hide_a_good_one(run: Run, tmp_path: Path) -> None:
    ran = run("scan", tmp_path / "none.jsonl", FAULTY, "--format", "json")
    assert ran.code == 2
    assert ran.report["summary"]["logs"] == 1
    assert ran.report["summary"]["findings"] == 4
    assert [error["log"] for error in ran.report["errors"]] == [str(tmp_path / "none.jsonl")]
    assert ran.err == f"ctxaudit: {tmp_path / 'none.jsonl'}: No such file or directory\n"


def test_many_problems_are_not_all_told(run: Run, tmp_path: Path) -> None:
    ran = run("scan", log(tmp_path, ALL + "{broken\n" * 500))
    assert ran.code == 2
    assert "480 more problems" in ran.out
    assert len(ran.err.splitlines()) == 21


# Paths


def test_a_directory_is_searched_for_logs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_text(ALL)
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("no log")
    ran = run("scan", tmp_path, "--format", "json")
    assert (ran.code, ran.report["summary"]["logs"], ran.err) == (1, 1, "")


@pytest.mark.parametrize("name", ["", "*.zip", "**/*.nothing"])
def test_nothing_matched(run: Run, tmp_path: Path, name: str) -> None:
    ran = run("scan", tmp_path / name)
    assert ran.code == 3
    assert len(ran.err.splitlines()) == 1
    assert str(tmp_path) in ran.err
    assert run("scan", tmp_path / name, SOUND).code == 2, "not all that was asked for was audited"


def test_globs(run: Run) -> None:
    ran = run("scan", DEMO / "incident-*.jsonl", "--format", "json")
    assert (ran.code, ran.report["summary"]["logs"]) == (0, 4)


def test_a_named_file_is_a_log_even_if_it_was_met_before(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert run("scan", SOUND, tmp_path).code == 2
    assert run("scan", tmp_path, tmp_path / "a.json").code == 3
    assert run("scan", SOUND, tmp_path, tmp_path / "a.json").code == 2


def test_standard_input(run: Run) -> None:
    ran = spawn("scan", "-", "--format", "json", stdin=ALL.encode())
    assert ran.returncode == 1
    assert {f["log"] for f in json.loads(ran.stdout)["findings"]} == {"<stdin>"}
    both = spawn("scan", "-", SOUND, "-j", "2", "--format", "json", stdin=ALL.encode())
    assert both.returncode == 1
    assert json.loads(both.stdout)["summary"]["logs"] == 2


def test_jobs_change_nothing(run: Run) -> None:
    paths = sorted(map(str, DEMO.glob("*.jsonl")))
    one = run("scan", *paths, "none.jsonl", "--format", "json")
    assert run("scan", *paths, "none.jsonl", "--format", "json", "-j", "3") == one
    assert run("scan", *paths, "none.jsonl", "--format", "json", "-j", "0") == one


# Usage


USAGE = {
    "no command": [],
    "no such command": ["scam"],
    "no path": ["scan"],
    "no such option": ["scan", SOUND, "--colour"],
    "no such format": ["scan", SOUND, "--format", "yaml"],
    "no such severity": ["scan", SOUND, "--fail-on", "fatal"],
    "negative jobs": ["scan", SOUND, "-j", "-1"],
    "no such rule": ["scan", SOUND, "--select", "XY"],
    "no such rule to ignore": ["scan", SOUND, "--ignore", "gost-tool"],
    "no rule left": ["scan", SOUND, "--select", "GT101", "--ignore", "GT"],
    "no such input format": ["scan", SOUND, "--input-format", "claud-code"],
    "no such rule to explain": ["explain", "GT999"],
    "no such contract": ["schema", "everything"],
    "no log to convert": ["convert", "none.jsonl"],
    "nowhere to write": ["convert", SOUND, "-o", "/nonexistent/x.jsonl"],
    "its own log": ["convert", SOUND, "-o", SOUND],
}


@pytest.mark.parametrize("name", USAGE)
def test_usage_errors_are_2_and_one_line(run: Run, name: str) -> None:
    ran = run(*USAGE[name])
    assert ran.code == 2
    if USAGE[name]:
        assert ran.out == ""
        assert len(ran.err.splitlines()) == 1
        assert ran.err.startswith("ctxaudit: ")


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (["scan", SOUND, "--select", "ghost-tol"], "ghost-tool"),
        (["scan", SOUND, "--select", "GT11"], "GT1"),
        (["scan", SOUND, "--input-format", "claud-code"], "claude-code"),
        (["explain", "gohst-call"], "ghost-call"),
    ],
)
def test_a_slip_gets_a_suggestion(run: Run, args: list[str], meant: str) -> None:
    assert f"did you mean {meant}" in run(*args).err


@pytest.mark.parametrize(
    ("chosen", "codes"),
    [
        (["--select", "GT102"], {"GT102"}),
        (["--select", "GT"], {"GT101", "GT102", "GT103", "GT104"}),
        (["--select", "gt10", "--ignore", "GT104"], {"GT101", "GT102", "GT103"}),
        (["--select", "ghost-call,GT103"], {"GT102", "GT103"}),
        (["--select", "ghost-tool", "--ignore", "ghost-call"], {"GT101", "GT103", "GT104"}),
        (["--select", "OR", "--select", "GT101"], {"GT101"}),
        (["--ignore", "GT1"], set()),
        (["--select", "ALL"], {"GT101", "GT102", "GT103", "GT104"}),
    ],
)
def test_select_and_ignore(run: Run, chosen: list[str], codes: set[str]) -> None:
    assert (
        set(run("scan", FAULTY, "--format", "json", *chosen).report["summary"]["by_rule"]) == codes
    )


def test_input_format(run: Run) -> None:
    assert run("scan", FAULTY, "--input-format", "requests").code == 1
    ran = run("scan", FAULTY, "--input-format", "native")
    assert ran.code in (2, 3)


# Streams


def test_quiet(run: Run) -> None:
    assert run("scan", SOUND, "-q") == Ran(0, "", "")
    assert run("scan", FAULTY, "-q") == run("scan", FAULTY)
    assert run("scan", FAULTY, "-q", "--exit-zero").out
    assert run("scan", SOUND, "-q", "--format", "json").report["summary"]["exit_code"] == 0


def test_color(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run("scan", FAULTY).out
    assert "\x1b" in run("scan", FAULTY, "--color", "always").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" in run("scan", FAULTY, "--color", "always").out, "who asks for it gets it"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b" not in run("scan", FAULTY).out
    assert "\x1b" not in run("scan", FAULTY, "--color", "never").out


def test_a_stream_that_cannot_show_everything() -> None:
    ran = spawn("scan", FAULTY, PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert b"\\u" not in ran.stdout
    plain = spawn("scan", FAULTY, "--format", "json", PYTHONIOENCODING="ascii")
    assert plain.stdout == spawn("scan", FAULTY, "--format", "json").stdout


@pytest.mark.parametrize(
    ("args", "code"), [(["scan", FAULTY], 1), (["convert", FAULTY], 0), (["explain", "ALL"], 0)]
)
def test_a_reader_that_goes_away(args: list[str], code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        ran = subprocess.run(
            [sys.executable, "-m", "ctxaudit", *args],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (code, b"")


def test_interruption_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxaudit.plan.audit_paths", interrupted)
    ran = run("scan", SOUND)
    assert (ran.code, ran.err.strip()) == (130, "")


def test_a_bug_of_ours_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines \x1b[31m")

    monkeypatch.setattr("ctxaudit.plan.audit_paths", broken)
    ran = run("scan", SOUND)
    assert ran.code == 2
    assert ran.err == (
        "ctxaudit: internal error: ZeroDivisionError: two\\nlines \\x1b[31m "
        "(CTXAUDIT_DEBUG=1 shows more)\n"
    )
    monkeypatch.setenv("CTXAUDIT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main()


# The other commands


def test_version(run: Run) -> None:
    ran = run("--version")
    assert ran.code == 0
    assert ran.out.startswith("ctxaudit ")


def test_explain(run: Run) -> None:
    by_code, by_name = run("explain", "GT102"), run("explain", "ghost-call")
    assert by_code == by_name
    assert by_code.code == 0
    for heading in ("What it does", "Why it matters", "What to do", "What it leaves alone"):
        assert f"## {heading}" in by_code.out


def test_rules(run: Run) -> None:
    table, listed = run("rules"), json.loads(run("rules", "--format", "json").out)
    assert [row["code"] for row in listed] == [
        line.split()[0] for line in table.out.splitlines()[1:]
    ]
    assert {"code", "name", "family", "severity", "summary"} <= set(listed[0])


def test_formats(run: Run) -> None:
    table, listed = run("formats"), json.loads(run("formats", "--format", "json").out)
    assert [row["name"] for row in listed] == [
        line.split()[0] for line in table.out.splitlines()[1:]
    ]
    assert listed[0]["prompts"] in ("none", "partial", "full")


def test_convert(run: Run, tmp_path: Path) -> None:
    printed = run("convert", FAULTY)
    assert printed.code == 0
    path = tmp_path / "native.jsonl"
    assert run("convert", FAULTY, "-o", path) == Ran(0, "", "")
    found = run("scan", path, "--format", "json").report["summary"]
    assert found["by_rule"] == run("scan", FAULTY, "--format", "json").report["summary"]["by_rule"]


@pytest.mark.parametrize("name", ["report", "log"])
def test_schema(run: Run, name: str) -> None:
    assert json.loads(run("schema", name).out)["$schema"].startswith("https://json-schema.org/")
