"""Chats of the Vercel AI SDK: steps, versions, and what a chat lacks when it is sent again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit, open_log
from ctxaudit.log import Source
from ctxaudit.model import DecisionKind, Severity, Turn

FOLDER = FIXTURES / "adapters" / "ai_sdk_chats"


def turns(name: str) -> list[Turn]:
    log, adapter = open_log(str(FOLDER / name))
    found = list(adapter.read(Source((log,))))
    assert log.problems == []
    return found


def test_each_step_is_a_turn() -> None:
    found = turns("chat.json")
    assert [[(c.tool, c.arguments) for c in turn.calls] for turn in found] == [
        [("findBook", {"title": "The Comet"})],
        [("findReader", {"name": "Ada"})],
        [],
        [("lendBook", {"bookId": "BOOK-52880J", "to": "Bob"})],
        [],
    ]
    results = [(s.call, s.failed) for turn in found for s in turn.added if s.call]
    assert results == [("a1", None), ("a2", True), ("a3", None)]


@pytest.mark.parametrize("name", ["chat.json", "version4.json", "model_messages.jsonl"])
def test_nothing_taken_out_nothing_found(name: str) -> None:
    (report,) = audit([Input(str(FOLDER / name))])
    assert (report.findings, report.problems) == ([], [])
    assert [session.decisions for session in report.sessions] == [0]


def test_chats_that_are_sent_again() -> None:
    found = turns("requests.jsonl")
    (fifth,) = [turn for turn in found if turn.decisions]
    (decision,) = fifth.decisions
    # What is missing in the middle was taken out; the answer at the end was asked again.
    assert (decision.kind, decision.explicit) == (DecisionKind.SPAN_EVICTED, False)
    assert {"a1", "result:a1", "a2", "result:a2"} <= set(decision.spans)
    assert fifth.withdrawn == ("line:3",)
    assert [[call.id for call in turn.calls] for turn in found] == [
        ["a1"],
        ["a2"],
        [],
        [],
        ["a3"],
        [],
    ]
    (report,) = audit([Input(str(FOLDER / "requests.jsonl"))])
    grave = [f for f in report.findings if f.severity > Severity.NOTE]
    assert ("OR202", 5, "BOOK-52880J") in [(f.rule, f.where.turn, f.handle) for f in grave]


def test_version_4_has_calls_beside_its_text() -> None:
    found = turns("version4.json")
    assert [[call.tool for call in turn.calls] for turn in found] == [
        ["findBook"],
        [],
        ["lendBook"],
        [],
    ]
    assert [[span.text for span in turn.reply] for turn in found] == [[], ["Found."], [], ["Lent."]]


def test_model_messages() -> None:
    found = turns("model_messages.jsonl")
    assert [[call.id for call in turn.calls] for turn in found] == [["c1"], ["c2"], []]
    failed = [(s.call, s.failed) for turn in found for s in turn.added if s.call]
    assert failed == [("c1", None), ("c2", True)]


@pytest.mark.parametrize(
    "bad", [7, {"role": "user", "content": 5, "toolInvocations": 3}, {"id": "x", "messages": 5}]
)
def test_damage_is_told_by_line(bad: Any, tmp_path: Path) -> None:
    rows = [
        json.dumps(message)
        for message in json.loads((FOLDER / "chat.json").read_text())["messages"]
    ]
    rows[1:1] = [json.dumps(bad)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(rows))
    (report,) = audit([Input(str(path))])
    assert {problem.line for problem in report.problems} <= {2}
    assert max(session.turns for session in report.sessions) == 5
