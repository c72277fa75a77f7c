"""tau-bench: conversations from which nothing was ever taken."""

from __future__ import annotations

from pathlib import Path

from conftest import FIXTURES

from ctxaudit.audit import Input, audit


def test_each_trajectory_is_a_session() -> None:
    (report,) = audit([Input(str(FIXTURES / "adapters" / "tau_bench" / "results.json"))])
    assert report.problems == []
    told = [(s.session, s.turns, s.calls, s.decisions) for s in report.sessions]
    assert told == [("task-0", 4, 3, 0), ("task-0/trial-1", 1, 1, 0)]
    assert report.findings == []


def test_real_conversations(real_logs: Path) -> None:
    (report,) = audit([Input(str(real_logs / "requests" / "gpt-4o-airline.json"))])
    sessions = report.sessions
    assert len(sessions) == 200
    assert sum(session.turns for session in sessions) == 2454
    assert sum(session.calls for session in sessions) == 1164
    assert (report.findings, report.problems) == ([], [])
