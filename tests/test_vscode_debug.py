"""Debug logs of VS Code: the files beside them, sub-agents, and what older versions do not log."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, expand, open_log
from ctxaudit.log import Source
from ctxaudit.model import Aspect, Extent, Turn

FOLDER = FIXTURES / "adapters" / "vscode_debug"


def turns(path: Path) -> list[Turn]:
    log, adapter = open_log(str(path))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


def test_a_session_is_its_folder() -> None:
    inputs = [Path(item.path).name for item in expand([str(FOLDER)])]
    assert inputs == ["helpers", "older.jsonl", "session"]


def test_sub_agents_are_sessions_with_tools_of_their_own() -> None:
    found = turns(FOLDER / "helpers")
    sessions = list(dict.fromkeys(turn.where.session for turn in found))
    assert sessions == ["kiln-1", "kiln-1/Explore-agent1", "kiln-1/kiln-2"]
    offers = {t.where.session: sorted(t.tools) for t in found if t.tools is not None}
    assert offers == {"kiln-1": ["runSubagent", "search"]}


def test_the_main_file_alone_finds_what_it_names(tmp_path: Path) -> None:
    whole = [turn for turn in turns(FOLDER / "session")]
    alone = [turn for turn in turns(FOLDER / "session" / "main.jsonl")]
    assert [t.tools for t in alone] == [t.tools for t in whole]
    shutil.copy(FOLDER / "session" / "main.jsonl", tmp_path / "main.jsonl")
    first = turns(tmp_path / "main.jsonl")[0]
    assert first.tools is None
    assert [str(span.kind) for span in first.added] == ["user"]


@pytest.mark.parametrize("name", ["../secret.json", "/etc/hostname", "a/b.json", "", 7, None])
def test_only_plain_names_are_looked_for(name: Any, tmp_path: Path) -> None:
    definition = [{"type": "function", "name": "t", "parameters": {"type": "object"}}]
    (tmp_path / "secret.json").write_text(json.dumps({"content": json.dumps(definition)}))
    inside = tmp_path / "session"
    inside.mkdir()
    row = json.loads((FOLDER / "session" / "main.jsonl").read_text().splitlines()[2])
    row["attrs"]["toolsFile"] = name
    (inside / "main.jsonl").write_text(json.dumps(row) + "\n")
    (turn,) = turns(inside / "main.jsonl")
    assert turn.tools is None


def test_a_refused_call_and_a_cut_prompt() -> None:
    own = [turn for turn in turns(FOLDER / "helpers") if turn.where.session == "kiln-1"]
    assert [turn.error for turn in own] == [None, None, "rate limited", None, None]
    assert [gap.extent for turn in own for gap in turn.gaps] == [Extent.PARTIAL]
    assert all(turn.decisions == () for turn in own)


def test_what_an_older_version_does_not_log_is_said() -> None:
    (report,) = audit([Input(str(FOLDER / "older.jsonl"))])
    (session,) = report.sessions
    assert (session.turns, session.calls, session.decisions) == (2, 1, 0)
    assert session.extent[Aspect.PROMPTS] is Extent.NONE
    assert session.extent[Aspect.RESULTS] is Extent.NONE
    assert report.findings == []


def test_damage_is_told_by_line(tmp_path: Path) -> None:
    rows = (FOLDER / "session" / "main.jsonl").read_text().splitlines()
    request = json.loads(rows[2])
    request["attrs"]["inputMessages"] = json.dumps([{"role": "user", "parts": 7}])
    path = tmp_path / "main.jsonl"
    path.write_text("\n".join([rows[0], "[]", json.dumps(request), rows[5], rows[6]]) + "\n")
    (report,) = audit([Input(str(path))])
    assert [problem.line for problem in report.problems] == [2, 3]
    assert report.sessions[0].turns == 1
