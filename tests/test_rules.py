"""Every rule against its own fixtures: ``bad*`` reports what its golden says, ``good*`` nothing."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from conftest import FIXTURES, check_golden

from ctxaudit.audit import Input, Options, audit
from ctxaudit.rule import Rule
from ctxaudit.rules import RULES

FOLDERS = FIXTURES / "rules"
SECTIONS = ["What it does", "Why it matters", "What to do", "What it leaves alone"]


def folder(rule: type[Rule]) -> Path:
    return FOLDERS / rule.__module__.rsplit(".", 1)[-1]


def cases(pattern: str) -> list[tuple[type[Rule], Path]]:
    return [(rule, path) for rule in RULES for path in sorted(folder(rule).glob(pattern))]


def label(value: object) -> str:
    return value.code if isinstance(value, type) else Path(str(value)).stem


def told(rule: type[Rule], path: Path) -> str:
    (report,) = audit([Input(str(path))], Options(rules=(rule,)))
    assert not report.problems
    lines = []
    for finding in report.findings:
        where = f"{finding.where.session}:{finding.where.turn}"
        grade = f"{finding.severity.label}/{finding.confidence.label}"
        lines.append(f"{where} {finding.rule} {grade} {finding.message}")
        cause = finding.cause
        if cause is not None:
            lines.append(f"    cause {cause.kind} of {cause.subject} at turn {cause.where.turn}")
        lines += [f"    {e.role} at turn {e.where.turn}" for e in finding.evidence]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(("rule", "path"), cases("bad*.jsonl"), ids=label)
def test_bad_is_reported(rule: type[Rule], path: Path, update: bool) -> None:
    text = told(rule, path)
    assert text
    check_golden(path.with_suffix(".txt"), text, update)


@pytest.mark.parametrize(("rule", "path"), cases("good*.jsonl"), ids=label)
def test_good_is_silent(rule: type[Rule], path: Path) -> None:
    assert told(rule, path) == ""


@pytest.mark.parametrize("rule", RULES, ids=label)
def test_rule_is_complete(rule: type[Rule]) -> None:
    doc = inspect.getdoc(rule) or ""
    assert re.findall(r"^## (.+)$", doc, re.MULTILINE) == SECTIONS
    assert doc.splitlines()[0].endswith(".")
    module = rule.__module__.rsplit(".", 1)[-1]
    assert rule.name.replace("-", "_") == module
    assert list(folder(rule).glob("bad*.jsonl")), "a rule needs a log that it reports"
    assert list(folder(rule).glob("good*.jsonl")), "a rule needs a log that it leaves alone"


def test_codes_ascend_within_families_and_are_unique() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(codes)
    assert len(set(codes)) == len(codes)
