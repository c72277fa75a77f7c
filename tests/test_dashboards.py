"""The worked examples for dashboards, each run against the engine that it is written for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest
from conftest import FIXTURES, ROOT
from prometheus_client.parser import text_string_to_metric_families
from test_cli import Run, run  # noqa: F401 - the fixture

GUIDE = (ROOT / "docs" / "guides" / "dashboards.md").read_text()
QUERIES = re.findall(r"^```sql\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
DASHBOARD = json.loads((ROOT / "integrations" / "grafana" / "ctxaudit.json").read_text())


@pytest.fixture
def runs(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    """Two days' runs over the shipped logs."""
    monkeypatch.chdir(tmp_path)
    for folder in ("findings", "reports"):
        (tmp_path / folder).mkdir()
    for day in ("2026-03-01", "2026-03-02"):
        outputs = [f"jsonl=findings/{day}.jsonl", f"json=reports/{day}.json"]
        run("scan", FIXTURES / "demo", "-q", *(x for o in outputs for x in ("--output", o)))
    return tmp_path


def rows(query: str) -> list[tuple[object, ...]]:
    return duckdb.sql(query).fetchall()


def test_findings_by_rule_and_day(runs: Path) -> None:
    told = rows(QUERIES[0])
    written = (runs / "findings" / "2026-03-01.jsonl").read_text().splitlines()
    assert {day for day, _, _ in told} == {"2026-03-01", "2026-03-02"}
    assert sum(int(str(n)) for _, _, n in told) == 2 * len(written)


def test_policies(runs: Path) -> None:
    told = rows(QUERIES[1])
    assert any(policy == "frequency-pruner" and grave for _, policy, _, grave in told)


def test_reexpansion(runs: Path) -> None:
    told = rows(QUERIES[2])
    (first, *_) = told
    assert "tombstone" in str(first[0])
    assert first[2:] == (1, 1, 1.0)


def test_what_comes_back(runs: Path) -> None:
    told = rows(QUERIES[3])
    assert told
    assert {count for *_, count in told} == {2}


def test_the_dashboard_asks_for_metrics_that_exist(run: Run, tmp_path: Path) -> None:  # noqa: F811
    run("scan", FIXTURES / "demo", "-q", "--output", f"prometheus={tmp_path / 'a.prom'}")
    text = (tmp_path / "a.prom").read_text()
    families = {f.name: f.samples for f in text_string_to_metric_families(text)}
    exprs = [t["expr"] for panel in DASHBOARD["panels"] for t in panel["targets"]]
    for expr in exprs:
        for name in re.findall(r"ctxaudit_\w+", expr):
            assert name in families
        for labels in re.findall(r"by \(([\w, ]+)\)", expr):
            (name,) = re.findall(r"ctxaudit_\w+", expr)
            assert set(labels.split(", ")) <= families[name][0].labels.keys()
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
