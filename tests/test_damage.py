"""Damaged logs: whatever stands where, it is told in a line, and the rest is audited."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES
from test_formats import LOGS

from ctxaudit.adapters import adapters
from ctxaudit.audit import Input, audit
from ctxaudit.log import Log

FOLDER = FIXTURES / "adapters"
TEXTS = (".json", ".jsonl", ".traj")
#: How often each log is damaged; more at will.
ROUNDS = int(os.environ.get("CTXAUDIT_ROUNDS", "4"))
SHARE = 0.02  # of all values that are replaced
WRONG: list[Any] = [None, True, 3, -1.5, "x", [], [1], {}, {"a": None}, [[{}]]]


def damaged(value: Any, chance: random.Random) -> Any:
    """A value of which some parts are replaced by others, or gone."""
    if chance.random() < SHARE:
        return chance.choice(WRONG)
    if isinstance(value, dict):
        kept = {k: inner for k, inner in value.items() if chance.random() > SHARE / 2}
        return {key: damaged(inner, chance) for key, inner in kept.items()}
    if isinstance(value, list):
        return [damaged(inner, chance) for inner in value]
    return value


def damage(path: Path, chance: random.Random) -> None:
    """Damage a file of JSON, or of JSON lines."""
    text = path.read_text()
    try:
        made = json.dumps(damaged(json.loads(text), chance))
    except ValueError:
        rows = []
        for line in text.splitlines():
            try:
                rows.append(json.dumps(damaged(json.loads(line), chance)))
            except ValueError:
                rows.append(line)
        made = "".join(f"{row}\n" for row in rows)
    path.write_text(made)


def files(path: Path) -> list[Path]:
    found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return [file for file in found if file.suffix in TEXTS]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_nothing_in_a_log_is_a_fault_of_ours(path: Path, tmp_path: Path) -> None:
    if not files(path):
        pytest.skip("is no text")
    for number in range(ROUNDS):
        log = tmp_path / str(number) / path.name
        log.parent.mkdir()
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, log)
        chance = random.Random(f"{path.name} {number}")
        for file in files(log):
            damage(file, chance)
        head = Log(str(log)).head()
        for adapter in adapters():
            adapter.recognises(head)
        for report in audit([Input(str(log))]):
            faults = [p.message for p in report.problems if p.message.startswith("internal")]
            assert faults == [], f"round {number}"
