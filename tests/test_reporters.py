"""Reports made by hand through every reporter, compared as a whole; and hostile content in them."""

from __future__ import annotations

import json
import re
from io import BytesIO, StringIO, TextIOWrapper

import jsonschema_rs
import pytest
from conftest import FIXTURES, check_golden

from ctxaudit.contract import schema
from ctxaudit.log import Problem
from ctxaudit.model import (
    Aspect,
    Cause,
    Confidence,
    Evidence,
    Extent,
    Finding,
    Location,
    Severity,
)
from ctxaudit.report import LogReport, Report, SessionReport
from ctxaudit.reporters import REPORTERS, reporter

GOLDENS = FIXTURES / "reports"
METRICS = {
    "reexpansion_requests": 3,
    "tombstoned_tools": 1,
    "reexpansions_per_tombstone": 3.0,
    "pruned_tokens_estimate": 1200,
    "tombstone_tokens_estimate": 14,
    "invalid_calls": 1,
    "invalid_calls_per_40_turns": 3.333,
    "affected_turns": 2,
    "affected_prompt_tokens": 5210,
    "affected_prompt_tokens_estimated": True,
    "sound_turns_share": 0.75,
}
QUIET = dict.fromkeys(METRICS, 0) | {"affected_prompt_tokens_estimated": False}
FULL = dict.fromkeys(Aspect, Extent.FULL)


def at(turn: int, log: str = "runs/refunds.jsonl", session: str = "main") -> Location:
    return Location(log, turn, session, turn)


PRUNED = Cause(
    "schema-pruned",
    at(5),
    "refund_order",
    explicit=True,
    actor="frequency-pruner",
    reason="score 0.12 is below 0.3",
    decision="5 schema-pruned 0 refund_order",
)
CLEARED = Cause("result-cleared", at(3, session="helper"), "result:c1", decision="3 result-cleared")


def ghost(
    code: str, name: str, turn: int, severity: Severity, message: str, **more: object
) -> Finding:
    return Finding(
        code,
        name,
        severity,
        Confidence.PROVEN,
        at(turn),
        message,
        f"keep the schema of refund_order while its calls are in the history ({code})",
        PRUNED,
        "refund_order",
        family="ghost-tool",
        **more,  # type: ignore[arg-type]
    )


INCIDENT = [
    ghost(
        "GT101",
        "ghost-tool",
        5,
        Severity.ERROR,
        "refund_order: schema no longer in the prompt, but the history still holds the arguments "
        "of an earlier call",
        evidence=(
            Evidence("prior-call", at(2), 'refund_order {"order":"A-7731","reason":"late"}'),
        ),
        state=True,
    ),
    ghost(
        "GT102",
        "ghost-call",
        7,
        Severity.ERROR,
        "refund_order is called without its schema in the prompt",
        evidence=(
            Evidence("prior-call", at(2), 'refund_order {"order":"A-7731","reason":"late"}'),
        ),
    ),
    ghost(
        "GT103",
        "ghost-rejection",
        7,
        Severity.CRITICAL,
        "refund_order was rejected with a validation error naming `reason`",
        evidence=(
            Evidence("rejection", at(8), "Error: password=hunter2: field required: reason"),
            *(Evidence("rejection", at(n), f"the same at {n}") for n in range(9, 13)),
        ),
    ),
]
LONELY = Finding(
    "RN306",
    "rederived-hypothesis",
    Severity.WARNING,
    Confidence.POSSIBLE,
    at(6, session="helper"),
    "the reasoning takes up again what had been ruled out",
    "write down what was ruled out",
    CLEARED,
    evidence=(Evidence("first-conclusion", at(2, "runs/earlier.jsonl"), "it is not the network"),),
    family="rederived-negative",
)
CAUSELESS = Finding(
    "OR204",
    "severed-pair",
    Severity.NOTE,
    Confidence.LIKELY,
    at(9, session="helper"),
    "a result without its call",
    "drop calls and results together",
    family="orphaned-reference",
)


def session(
    log: str, name: str, turns: int, calls: int, decisions: int, **more: object
) -> SessionReport:
    given = {"extent": FULL, "notes": (), "metrics": QUIET} | more
    return SessionReport(log, name, "requests", turns, calls, decisions, **given)  # type: ignore[arg-type]


GAPS = ("the log does not tell which tools were offered", "a summary is encrypted")
UNCHECKED = tuple((code, "the log shows no schemas") for code in ("GT101", "GT102", "GT103"))


def full() -> Report:
    """An incident of three findings, lonely ones, gaps, and problems."""
    path = "runs/refunds.jsonl"
    blind = dict(FULL) | {Aspect.SCHEMAS: Extent.NONE, Aspect.SUMMARIES: Extent.PARTIAL}
    first = LogReport(
        path,
        "requests",
        [
            session(path, "main", 12, 9, 1, metrics=METRICS),
            session(path, "helper", 9, 4, 1, extent=blind, notes=GAPS, unchecked=UNCHECKED),
        ],
        [*INCIDENT, LONELY, CAUSELESS],
        [Problem(path, 11, "not JSON: unexpected end of data")],
    )
    quiet = session("runs/calm.jsonl", "s2", 3, 2, 0, notes=GAPS[:1], unchecked=UNCHECKED)
    sound = session("runs/calm.jsonl", "s3", 30, 25, 4)
    gone = LogReport("runs/gone.jsonl", problems=[Problem("runs/gone.jsonl", 0, "No such file")])
    return Report([first, LogReport("runs/calm.jsonl", "requests", [quiet, sound]), gone])


def clean() -> Report:
    path = "runs/calm.jsonl"
    return Report([LogReport(path, "requests", [session(path, "", 1, 1, 0)])])


def nothing() -> Report:
    path = "runs/*.jsonl"
    return Report([LogReport(path, problems=[Problem(path, 0, "no file matches", nothing=True)])])


REPORTS = {"full": full, "clean": clean, "nothing": nothing}


def written(name: str, report: Report, *, color: bool = False) -> str:
    stream = StringIO()
    reporter(name).write(report, stream, color=color)
    return stream.getvalue()


@pytest.mark.parametrize("name", [name for name in REPORTERS if name != "html"])  # has its own
@pytest.mark.parametrize("which", REPORTS)
def test_golden(name: str, which: str, update: bool) -> None:
    suffix = {"rich": "rich.txt", "junit": "junit.xml", "gitlab": "gitlab.json"}.get(name, name)
    check_golden(GOLDENS / f"{which}.{suffix}", written(name, REPORTS[which]()), update)


@pytest.mark.parametrize("name", REPORTERS)
def test_the_same_report_is_the_same_text(name: str) -> None:
    assert name == reporter(name).NAME
    assert written(name, full()) == written(name, full())
    assert written(name, full()).endswith("\n")


@pytest.mark.parametrize("which", REPORTS)
def test_json_keeps_its_contract(which: str) -> None:
    document = json.loads(written("json", REPORTS[which]()))
    jsonschema_rs.validate(json.loads(schema("report")), document)
    assert document["summary"]["findings"] == len(document["findings"])


@pytest.mark.parametrize("width", [60, 80, 200])
def test_rich_fits_its_width(width: int, update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = written("rich", full())
    assert max(len(line) for line in text.splitlines()) <= width
    if width == 60:
        check_golden(GOLDENS / "full.60.rich.txt", text, update)
    wide = "".join(written("rich", full()).split())
    for word in ("GT103", "frequency-pruner", "runs/earlier.jsonl:2", "drop"):
        assert word in wide


def test_rich_colours_are_only_colours() -> None:
    coloured = written("rich", full(), color=True)
    assert "\x1b[" in coloured
    lines = re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()
    assert [line.rstrip() for line in lines] == written("rich", full()).splitlines()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_rich_in_a_narrow_encoding(encoding: str) -> None:
    stream = TextIOWrapper(BytesIO(), encoding=encoding)
    reporter("rich").write(full(), stream)
    stream.flush()
    assert b"exit code" in stream.buffer.getvalue()  # type: ignore[attr-defined]


HOSTILE = [
    "[bold red]not red[/bold red] [link=http://evil]x[/link] :skull:",
    "\x1b[2J\x1b]0;title\x07\r\n\x9b31m\x00",
    "user\u202egnp.exe\u200b\ufeff \U000e0041",
    "half \ud800 a pair",
    "x" * 100_000,
    "<script>alert(1)</script> & </a> ]]> %0A::error::",
]


def hostile(text: str, path: str) -> Report:
    where = Location(path, 1, text, 1)
    cause = Cause("span-evicted", where, text, True, text, text)
    evidence = (Evidence("prior-call", where, text),)
    found = Finding(
        "GT101", "ghost-tool", Severity.ERROR, Confidence.PROVEN, where, text, text, cause,
        text, text, evidence, family="ghost-tool",
    )  # fmt: skip
    seen = session(where.path, text, 1, 1, 1, notes=(text,), unchecked=(("GT102", text),))
    return Report(
        [LogReport(where.path, "requests", [seen], [found], [Problem(where.path, 1, text)])]
    )


@pytest.mark.parametrize("name", REPORTERS)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_content_is_inert(name: str, text: str) -> None:
    out = written(name, hostile(text, f"{text[:50]}.jsonl"))
    assert len(out) < 150_000
    out.encode()
    for char in "\x1b\x07\r\x9b\x00\u202e\u200b\ufeff\ud800\U000e0041":
        assert char not in out
    if name == "rich" and "bold" in text:
        assert "[bold red]not" in out
        assert ":skull:" in out


@pytest.mark.parametrize("name", REPORTERS)
def test_secrets_do_not_reach_a_report(name: str) -> None:
    secret = "hunter2hunter2"
    assert secret not in written(name, hostile(f"password={secret} and go on", "a.jsonl"))
    assert "hunter2" not in written(name, full())
