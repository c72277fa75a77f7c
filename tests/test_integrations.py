"""What ships for other systems: the action, the hooks and the job run as they would there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import FIXTURES, ROOT

from ctxaudit.config import load
from ctxaudit.plan import plan

DEMO = FIXTURES / "demo"
ACTION = (ROOT / "action.yml").read_text()
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text()
GITLAB = (ROOT / "integrations" / "gitlab-ci.yml").read_text()
GUIDES = {path.stem: path.read_text() for path in (ROOT / "docs" / "guides").glob("*.md")}
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a shell")


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """``ctxaudit`` as a command of its own."""
    script = tmp_path / "bin" / "ctxaudit"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ctxaudit "$@"\n')
    script.chmod(0o755)
    return script


def action(command: Path, tmp_path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's script as a runner does."""
    environment = {
        **os.environ,
        "CTXAUDIT_COMMAND": str(command),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        **{f"CTXAUDIT_{name.upper()}": value for name, value in inputs.items()},
    }
    script = [str(ROOT / "integrations" / "action.sh")]
    return subprocess.run(
        script, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
    )


def test_the_action_annotates(command: Path, tmp_path: Path) -> None:
    log = DEMO / "incident.requests.jsonl"
    ran = action(command, tmp_path, paths=f"{log}\n\n", sarif="a.sarif", fail_on="warning")
    assert ran.returncode == 1
    assert ran.stdout.count("::error ") == 4
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    assert "GT104" in (tmp_path / "summary.md").read_text()
    assert (tmp_path / "a.sarif").is_file()


def test_the_action_takes_nothing_for_a_command(command: Path, tmp_path: Path) -> None:
    evil = '$(touch owned) `touch owned`; touch owned "'
    assert action(command, tmp_path, paths=evil, baseline=evil, golden="").returncode != 0
    assert action(command, tmp_path, golden=evil).returncode == 2
    assert not (tmp_path / "owned").exists()
    script = ACTION.split("runs:")[1]
    (run,) = re.findall(r"^ +run: (.*)$", script, re.MULTILINE)
    assert "${{" not in run


def test_the_action_checks_golden_transcripts(command: Path, tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    log = tmp_path / "golden" / "a.jsonl"
    log.write_bytes((DEMO / "incident.requests.jsonl").read_bytes())
    assert action(command, tmp_path, golden="golden").returncode == 1
    subprocess.run([command, "golden", "record", "golden"], cwd=tmp_path, check=True)
    assert action(command, tmp_path, golden="golden").returncode == 0


def test_inputs_of_the_action_reach_the_script() -> None:
    inputs = re.findall(r"^  ([a-z-]+):$", ACTION.split("inputs:")[1].split("outputs:")[0], re.M)
    given = dict(re.findall(r"(CTXAUDIT_\w+): \$\{\{ inputs\.([a-z-]+) \}\}", ACTION))
    assert sorted(given.values()) == sorted(inputs)
    script = (ROOT / "integrations" / "action.sh").read_text()
    assert all(name in script for name in given)


def hooks() -> dict[str, tuple[list[str], str]]:
    """Entry and pattern of each hook."""
    parts = HOOKS.split("- id: ")[1:]
    return {
        part.split("\n")[0]: (
            shlex.split(re.search(r"entry: (.+)", part)[1]),  # type: ignore[index]
            re.search(r"files: (.+)", part)[1],  # type: ignore[index]
        )
        for part in parts
    }


def test_hooks(command: Path, tmp_path: Path) -> None:
    (tmp_path / "ctxaudit.toml").write_text('paths = ["logs"]\n')
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "a.jsonl"
    log.write_bytes((DEMO / "incident.requests.jsonl").read_bytes())
    entry, pattern = hooks()["ctxaudit"]
    assert re.search(pattern, "logs/a.jsonl")
    ran = subprocess.run([command, *entry[1:], log], cwd=tmp_path, check=False)
    assert ran.returncode == 1
    entry, pattern = hooks()["ctxaudit-golden"]
    assert re.search(pattern, "logs/a.jsonl.expected")
    ran = subprocess.run([command, *entry[1:]], cwd=tmp_path, check=False)
    assert ran.returncode == 1
    subprocess.run([command, "golden", "record"], cwd=tmp_path, check=True)
    assert subprocess.run([command, *entry[1:]], cwd=tmp_path, check=False).returncode == 0


def test_the_gitlab_job(command: Path, tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    log = tmp_path / "golden" / "a.jsonl"
    log.write_bytes((DEMO / "incident.requests.jsonl").read_bytes())
    lines = re.findall(r"^    - (ctxaudit .*(?:\n      --.*)*)", GITLAB, re.MULTILINE)
    (line,) = (" ".join(found.split()) for found in lines)
    ran = subprocess.run([command, *shlex.split(line)[1:]], cwd=tmp_path, check=False)
    assert ran.returncode == 1
    for name in re.findall(r"^      \w+: (\S+)$", GITLAB, re.MULTILINE):
        assert (tmp_path / name).is_file()


@pytest.mark.parametrize("guide", [name for name in GUIDES if "$ ctxaudit" in GUIDES[name]])
def test_commands_of_the_guides_exist(guide: str, command: Path) -> None:
    lines = re.findall(r"^ *\$ (ctxaudit .+)$", GUIDES[guide], re.MULTILINE)
    assert lines
    for words in map(shlex.split, lines):
        depth = 3 if words[1] == "golden" else 2
        shown = subprocess.run(
            [command, *words[1:depth], "--help"], capture_output=True, text=True, check=True
        ).stdout
        for option in (word for word in words if word.startswith("--")):
            assert option in shown, words


def test_the_configuration_of_the_guide_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", GUIDES["ci-gate"], re.MULTILINE | re.DOTALL)
    assert tomllib.loads(text)
    (tmp_path / "ctxaudit.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    made = plan(load())
    assert made.options.settings.tools == {"deploy_*": "mutation"}
    assert made.accepted.tables[0].tool == "search_*"


def test_the_rule_of_the_guide_is_one() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", GUIDES["plugins"], re.MULTILINE | re.DOTALL)
    space: dict[str, object] = {}
    exec(code, space)
    from ctxaudit.rules import RULES
    from ctxaudit.selection import _unfit

    assert _unfit(space["HugeArguments"], RULES) is None
