"""The outputs for machines: agreement, limits, and what readers that others wrote make of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest
from conftest import FIXTURES
from junitparser import JUnitXml
from prometheus_client.parser import text_string_to_metric_families
from sarif_pydantic import Sarif
from test_cli import Run, run  # noqa: F401 - the fixture
from test_reporters import full, hostile, written

from ctxaudit.audit import Input, audit
from ctxaudit.contract import schema
from ctxaudit.model import Finding, Location, Severity
from ctxaudit.report import LogReport, Report
from ctxaudit.reporters import REPORTERS

DEMO = FIXTURES / "demo"
LIMITED = ("github", "markdown")


def demo() -> Report:
    return Report(audit([Input(str(p)) for p in sorted(DEMO.glob("*.requests.jsonl"))]))


def many(count: int) -> Report:
    """A log with very many findings of all severities."""
    base = next(log for log in demo().logs if log.findings)
    (found, *_) = base.findings
    findings = [
        replace(
            found,
            severity=Severity(n % 4),
            where=Location("a.jsonl", n + 1, base.sessions[0].session, n + 1),
            about=str(n),
        )
        for n in range(count)
    ]
    return Report([LogReport("a.jsonl", "requests", base.sessions, findings)])


# -- agreement ----------------------------------------------------------------------------------


def ids(name: str, text: str) -> set[str]:
    """The ids of the findings in an output, as far as it has them."""
    if name == "json":
        return {f["id"] for f in json.loads(text)["findings"]}
    if name == "jsonl":
        return {json.loads(line)["id"] for line in text.splitlines()}
    if name == "sarif":
        results = json.loads(text)["runs"][0]["results"]
        return {r["partialFingerprints"]["ctxauditFinding/v1"] for r in results}
    if name == "gitlab":
        issues = json.loads(text)
        return {i["fingerprint"] for i in issues if i["check_name"] != "ctxaudit-problem"}
    return set(re.findall(r'id="f-([0-9a-f]{16})"', text))


@pytest.mark.parametrize("name", ["json", "jsonl", "sarif", "gitlab", "html"])
@pytest.mark.parametrize("report", [demo, full])
def test_all_name_the_same_findings(name: str, report: object) -> None:
    made = report()  # type: ignore[operator]
    assert ids(name, written(name, made)) == {item.id for item in made.findings()}


def test_all_count_the_same() -> None:
    report = demo()
    count = len(report.findings())
    violations = sum(item.violation for item in report.findings())
    assert f"{count} findings" in written("concise", report)
    assert f"{count} findings" in written("markdown", report)
    assert f"{count} findings" in written("github", report)
    families = {f.name: f for f in text_string_to_metric_families(written("prometheus", report))}
    assert sum(s.value for s in families["ctxaudit_findings"].samples) == count
    assert families["ctxaudit_violations"].samples[0].value == violations
    assert families["ctxaudit_exit_code"].samples[0].value == report.exit_code


def test_several_outputs_at_once(run: Run, tmp_path: Path) -> None:  # noqa: F811
    wanted = [x for name in REPORTERS for x in ("--output", f"{name}={tmp_path / name}")]
    ran = run("scan", DEMO / "incident.requests.jsonl", "--format", "json", *wanted)
    assert ran.code == 1
    assert {path.name for path in tmp_path.iterdir()} == set(REPORTERS)
    assert (tmp_path / "json").read_text() == ran.out


def test_jobs_change_no_output(run: Run, tmp_path: Path) -> None:  # noqa: F811
    texts = []
    for jobs in (1, 3):
        wanted = [x for name in REPORTERS for x in ("--output", f"{name}={tmp_path / name}")]
        run("scan", DEMO, "-j", jobs, "--quiet", *wanted)
        texts.append({name: (tmp_path / name).read_bytes() for name in REPORTERS})
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("xml=a.xml", "no output is called 'xml'"),
        ("sarf=a", "did you mean sarif?"),
        ("sarif", "FORMAT=PATH is expected"),
        ("sarif=no/such/folder/a", "No such file or directory"),
    ],
)
def test_slips(run: Run, option: str, message: str) -> None:  # noqa: F811
    ran = run("scan", DEMO / "incident.requests.jsonl", "--output", option, "-q")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_two_outputs_do_not_share_a_file(run: Run, tmp_path: Path) -> None:  # noqa: F811
    both = [f"sarif={tmp_path}/a", f"junit={tmp_path}/./a"]
    ran = run("scan", DEMO, *(x for one in both for x in ("--output", one)))
    assert (ran.code, list(tmp_path.iterdir())) == (2, [])


# -- foreign readers ----------------------------------------------------------------------------


@pytest.mark.parametrize("report", [demo, full])
def test_jsonl_keeps_its_contract(report: object) -> None:
    contract = jsonschema_rs.validator_for(json.loads(schema("finding")))
    lines = written("jsonl", report()).splitlines()  # type: ignore[operator]
    assert lines
    for line in lines:
        contract.validate(json.loads(line))


@pytest.mark.parametrize("report", [demo, full])
def test_sarif_is_read(report: object) -> None:
    made = report()  # type: ignore[operator]
    (one,) = Sarif.model_validate_json(written("sarif", made)).runs
    assert len(one.results or []) == len(made.findings())
    rules = one.tool.driver.rules or []
    for result in one.results or []:
        assert rules[result.rule_index or 0].id == result.rule_id


def test_sarif_tells_the_way_to_a_finding() -> None:
    (one,) = json.loads(written("sarif", demo()))["runs"]
    result = next(r for r in one["results"] if r["ruleId"] == "OR202")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    texts = [step["location"]["message"]["text"] for step in steps]
    assert [re.sub(r"^turn \d+: ", "", text).split()[0].rstrip(":") for text in texts] == [
        "binding",
        "result-cleared",
        "OR202",
    ]
    assert one["tool"]["driver"]["rules"][0]["help"]["markdown"].count("## ") == 4


def test_accepted_findings_are_suppressed_in_sarif() -> None:
    report = demo()
    report.accept = lambda item: "known" if item.finding.rule == "GT101" else None
    results = json.loads(written("sarif", report))["runs"][0]["results"]
    assert {r["ruleId"] for r in results if "suppressions" in r} == {"GT101"}


@pytest.mark.parametrize("report", [demo, full])
def test_junit_is_read(report: object) -> None:
    made = report()  # type: ignore[operator]
    suites = JUnitXml.fromstring(written("junit", made).encode())
    cases = [case for suite in suites for case in suite]
    failed = {(log.path, i.finding.where.session) for log in made.logs for i in made.findings()
              if i.violation and i.finding.where.path == log.path}  # fmt: skip
    assert suites.tests == len(cases)
    assert suites.failures == sum(bool(c.result and c.is_failure) for c in cases) == len(failed)
    assert suites.errors == sum(c.is_error for c in cases)


# -- limits -------------------------------------------------------------------------------------


def test_ten_thousand_findings() -> None:
    report = many(10_000)
    results = json.loads(written("sarif", report))["runs"][0]
    assert len(results["results"]) == 5_000
    assert {r["properties"]["severity"] for r in results["results"]} == {"critical", "error"}
    (note,) = results["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("5000 more findings")
    lines = written("github", report).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert [kinds.count(f"::{kind}") for kind in ("error", "warning", "notice")] == [10, 10, 10]
    assert all("(critical)" in line for line in lines[:10])
    assert lines[-1].endswith("; 9970 more are not annotated")
    assert len(written("markdown", report).encode()) < 1 << 20
    assert "more findings do not fit here" in written("markdown", report)
    suites = JUnitXml.fromstring(written("junit", report).encode())
    assert suites.tests == len(report.sessions)
    assert len(written("jsonl", report).splitlines()) == 10_000
    assert len(json.loads(written("gitlab", report))) == 10_000


# -- hostile content ----------------------------------------------------------------------------

EVIL = "x\n::error::owned\r\n<img src=x onerror=1> | `a` [l](http://e) @you %0A::set-output =1+1"


@pytest.mark.parametrize("name", REPORTERS)
def test_no_command_reaches_a_workflow(name: str) -> None:
    text = written(name, hostile(EVIL, "a,b:c\n::d.jsonl"))
    for line in text.splitlines():
        if line.startswith("::"):
            assert name == "github"
            assert line.startswith("::error file=a%2Cb%3Ac\\n%3A%3Ad.jsonl,line=1,title=")
            assert "%250A" in line


def test_markdown_has_no_markup_of_a_log() -> None:
    text = written("markdown", hostile(EVIL, "a.jsonl"))
    assert "<img" not in text.replace("\\<img", "")
    assert "](http" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)[|]", row)) for row in rows} == {5}


def test_labels_are_escaped() -> None:
    found = many(1).logs[0].findings[0]
    report = Report([LogReport("a", 'x"\\\ny', findings=[replace(found, name='q"\\\nz')])])
    families = text_string_to_metric_families(written("prometheus", report))
    (family,) = [f for f in families if f.name == "ctxaudit_findings"]
    assert family.samples[0].labels["name"] == 'q"\\\\nz'


def test_a_finding_of_an_unknown_rule_is_written_everywhere() -> None:
    found = many(1).logs[0].findings[0]
    odd: Finding = replace(found, rule="ZZ999", name="of-a-plugin", family="ghost-tool")
    sessions = many(1).sessions
    for name in REPORTERS:
        assert "ZZ999" in written(name, Report([LogReport("a.jsonl", "x", sessions, [odd])]))
