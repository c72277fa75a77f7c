"""Configuration: which file holds, what it may say, and how a slip is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from conftest import FIXTURES
from test_cli import Run, run  # noqa: F401 - the fixture

from ctxaudit.config import DEFAULTS, load, nearest
from ctxaudit.contract import schema
from ctxaudit.errors import ConfigError
from ctxaudit.plan import plan

INCIDENT = FIXTURES / "demo" / "incident.requests.jsonl"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder in a repository."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_bytes(INCIDENT.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "ctxaudit.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_nearest_file_holds(repository: Path) -> None:
    assert nearest(repository / "logs") is None
    shared = write(repository, "[tool.ctxaudit]\njobs = 2\n", "pyproject.toml")
    assert nearest(repository / "logs") == shared
    own = write(repository, "jobs = 3\n")
    assert nearest(repository / "logs") == own
    inner = write(repository / "logs", "[tool.other]\n", "pyproject.toml")
    assert nearest(repository / "logs") == own
    inner.write_text("[tool.ctxaudit]\n")
    assert nearest(repository / "logs") == inner


def test_nothing_above_the_repository_holds(repository: Path) -> None:
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    write(repository, "jobs = 3\n")
    assert nearest(inner) is None


def test_sources(repository: Path) -> None:
    write(repository, "# ours\njobs = 3\n\n[tools]\nship_it = 'adds'\n")
    config = load().over({"fail-on": "warning", "select": [], "jobs": None})
    assert config["jobs"] == 3
    assert config.sources["jobs"] == "ctxaudit.toml:2"
    assert config.sources["tools"] == "ctxaudit.toml:4"
    assert config.sources["fail-on"] == "command line"
    assert config.sources["select"] == "default"
    assert load(isolated=True).values == DEFAULTS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail-onn = 'error'", "x.toml:1: no setting is called 'fail-onn'; did you mean fail-on?"),
        ("\nfail-on = 'eror'", 'x.toml:2: fail-on: "eror" is not one of'),
        ("jobs = 'two'", 'x.toml:1: jobs: "two" is not of type "integer"'),
        ("[tools]\na = 'writes'", 'x.toml:2: tools.a: "writes" is not one of'),
        (
            "[[accept]]\nreason = 'r'\nrul = 'GT101'",
            "x.toml:3: no setting of accept is called 'rul'; did you mean rule?",
        ),
        ("[[accept]]\nrule = 'GT101'", 'x.toml:1: accept.0: "reason" is a required property'),
        ("jobs = ", "x.toml: Invalid value"),
        ("[[accept]]\nreason = 'r'\nrule = 'GT1'\nuntil = 'soon'", "x.toml:4: accept.0.until"),
    ],
)
def test_slips_are_told_with_their_line(repository: Path, text: str, message: str) -> None:
    path = write(repository, text, "x.toml")
    with pytest.raises(ConfigError) as raised:
        load(str(path))
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("select = ['GT9']", "no rule is called 'GT9'"),
        ("input-format = 'codecs'", "no format is called 'codecs'; did you mean codex?"),
        ("handles = ['(a']", "handles: '(a' is no expression"),
        ("handles = ['(?=a)b']", "handles: '(?=a)b' is no expression"),
        ("mcp-tools = ['gone.json']", "gone.json: No such file"),
        ("baseline = 'gone.json'", "gone.json: no such baseline"),
        ("output = {xml = 'a.xml'}", "no output is called 'xml'"),
    ],
)
def test_what_does_not_exist(repository: Path, run: Run, text: str, message: str) -> None:  # noqa: F811
    write(repository, text)
    ran = run("scan", "logs")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_every_setting_is_in_the_contract_and_has_a_default() -> None:
    contract = orjson.loads(schema("config"))
    assert list(contract["properties"]) == list(DEFAULTS)


def test_paths_are_relative_to_the_file(
    repository: Path,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(repository, "paths = ['logs']\noutput = {json = 'out.json'}\n")
    monkeypatch.chdir(repository / "logs")
    ran = run("scan", "-q", "--exit-zero")
    assert ran.code == 0
    assert json.loads((repository / "out.json").read_text())["summary"]["findings"] == 4


def test_no_path_is_a_usage_error(repository: Path, run: Run) -> None:  # noqa: F811
    assert run("scan").code == 2


def test_per_path(repository: Path, run: Run) -> None:  # noqa: F811
    write(
        repository,
        "[[per-path]]\npath = 'logs/nightly'\nignore = ['GT101']\nfail-on = 'critical'\n"
        "[[per-path]]\npath = '*.draft.jsonl'\nselect = ['RN']\n",
    )
    (repository / "logs" / "nightly").mkdir()
    line = INCIDENT.read_bytes()
    (repository / "logs" / "nightly" / "b.jsonl").write_bytes(line)
    (repository / "logs" / "c.draft.jsonl").write_bytes(line)
    found: dict[str, set[str]] = {}
    for item in run("scan", "logs", "--format", "json").report["findings"]:
        found.setdefault(item["log"], set()).add(item["rule"])
    assert found == {
        "logs/a.jsonl": {"GT101", "GT102", "GT103", "GT104"},
        "logs/nightly/b.jsonl": {"GT102", "GT103", "GT104"},
    }
    assert run("scan", "logs/nightly", "--ignore", "GT104").code == 0
    assert run("scan", "logs/a.jsonl", "--ignore", "GT104").code == 1


def test_exclude(repository: Path, run: Run) -> None:  # noqa: F811
    write(repository, "exclude = ['a.jsonl']\n")
    assert run("scan", "logs").code == 3
    assert run("scan", "logs/a.jsonl").code == 1  # named: it is meant


def tools(config: dict[str, Any]) -> Any:
    return plan(load(isolated=True).over(config)).options.settings


def test_what_tools_do(repository: Path) -> None:
    listed = {"result": {"tools": [{"name": "ship", "annotations": {"readOnlyHint": True}}]}}
    (repository / "tools.json").write_text(json.dumps(listed))
    settings = tools({"mcp-tools": ["tools.json"], "tools": {"a_*": "adds"}})
    assert settings.hints == {"ship": {"readOnlyHint": True}}
    assert settings.tools == {"a_*": "adds"}


def test_own_handles(repository: Path) -> None:
    handles = tools({"handles": [r"kite \d+", r"[a-z]{3}-[a-z]{3}"]}).handles
    assert handles.fits("kite 7")
    assert handles.fits("abc-def")
    assert not handles.fits("a kite 7")


def test_config_command(repository: Path, run: Run) -> None:  # noqa: F811
    write(repository, "jobs = 0\n")
    rows = {row["setting"]: row for row in json.loads(run("config", "--format", "json").out)}
    assert rows["jobs"] == {"setting": "jobs", "source": "ctxaudit.toml:1", "value": 0}
    assert "ctxaudit.toml:1" in run("config").out
    write(repository, "job = 0\n")
    assert run("config").code == 2
