"""Kinds of incidents from public reports, retold: what is to be reported is, the traps are not.

``report_*`` names what went wrong, and ``EXPECTED`` the rules that say so; ``quiet_*`` is
legitimate, or not a pruner's doing, and has nothing at warning or above.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, audit
from ctxaudit.model import Finding, Severity

FOLDER = FIXTURES / "cards"
#: (rule, turn) that must be among the findings of a fixture.
EXPECTED = {
    "schema_lost_at_compaction": {("GT101", 3), ("GT103", 3), ("GT103", 4)},
    "tool_dropped": {("GT102", 3), ("GT103", 3)},
    "schema_emptied": {("GT105", 3)},
    "blind_calls": {("GT103", 2), ("GT103", 3)},
    "only_in_the_history": {("GT102", 1)},
    "dangling_tool_reference": {("GT101", 3), ("GT103", 3)},
    "result_without_its_call": {("OR204", 3)},
    "call_without_its_result_once": {("OR204", 3)},
    "approval_that_lost_its_call": {("OR202", 4), ("OR203", 4)},
    "summary_names_a_missing_file": {("OR208", 3)},
    "unchanged_but_gone": {("OR208", 4)},
    "placeholder_written": {("OR206", 3)},
    "message_sent_twice_in_other_words": {("RN304", 4)},
    "summary_says_it_is_still_to_do": {("RN304", 3)},
    "agent_started_twice": {("RN304", 4)},
    "empty_search_again": {("RN302", 4)},
    "refused_and_tried_again": {("RN305", 4)},
}
QUIET = sorted(FOLDER.glob("quiet_*.jsonl"))


def found(path: Path) -> list[Finding]:
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    return report.findings


@pytest.mark.parametrize("name", EXPECTED)
def test_reported(name: str) -> None:
    findings = found(FOLDER / f"report_{name}.jsonl")
    told = [(f.rule, f.where.turn) for f in findings]
    assert set(told) >= EXPECTED[name]
    assert len(told) == len(set(told)), "each is told once"


@pytest.mark.parametrize("path", QUIET, ids=lambda path: path.stem)
def test_quiet(path: Path) -> None:
    assert [f for f in found(path) if f.severity >= Severity.WARNING] == []


def test_no_fixture_is_left_out() -> None:
    assert {p.stem.removeprefix("report_") for p in FOLDER.glob("report_*.jsonl")} == set(EXPECTED)
    assert len(QUIET) > 15
