"""What counts as a handle, alone and in a call's arguments."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.handles import HandleKind, handles, kind_of

X, U, P = HandleKind.OPAQUE, HandleKind.UUID, HandleKind.PATH
L, N, W = HandleKind.URL, HandleKind.NUMBER, HandleKind.WORD

KINDS = [
    ("run_8841", X),
    ("run_1", X),
    ("toolu_01AbCdEf", X),
    ("FQ8APE", X),
    ("HAT001", X),
    ("#W9911714", X),
    ("gift_card_4332117", X),
    ("sophia_silva_7557", X),
    ("INV-2207", X),
    ("OS-77", X),
    ("FY26Q2", X),
    ("bnzkx0ylm", X),
    ("9f2c1ab", X),
    ("functions.search:0", X),
    ("arn:aws:s3:::bucket/key", X),
    ("acme/site#123", X),
    ("#123", N),
    ("#4821", N),
    ("#123456", N),
    ("call_rLc", X),
    ("toolu_AbCdEf", X),
    ("msg_xkqRtz", X),
    ("call_getUser", W),
    ("file_userId", W),
    ("run_parseURL", W),
    ("fetch_rLc", W),
    ("01ARZ3NDEKTSV4RRFFQ69G5FAV", X),
    ("10.0.12.7", None),
    ("doc_4a1", X),
    ("019f440b-a3b5-7132-b47e-c1b93549f1c8", U),
    ("/srv/cron/jobs.json", P),
    ("src/app.py:12", P),
    ("out/unit7.md", P),
    ("jobs.json", P),
    ("~/notes", P),
    ("C:\\data\\a.txt", P),
    ("https://example.test/a/1", L),
    ("s3://bucket/key", L),
    ("8841002", N),
    ("1656367028", N),
    ("june_invoices", W),
    ("C-ops", W),
    ("parse_token_v2", W),
    ("fetchRows", W),
    ("token2", W),
    ("checkpoint1ID", W),
    ("a.b@example.test", W),
]


@pytest.mark.parametrize(("value", "kind"), KINDS)
def test_kind_of(value, kind):
    assert kind_of(value) is kind


PLAIN = """
production|fast|true|20|1234|2025-03-01
|2025-03-01T10:00:00Z|20250301|10:30|10:30:00|v1.2.3|1.2.3|^1.2|420p|0o644|10,20p|2026-02-11T|python3.13|a-zA-Z0-9_|0-9a-fA-F
|1.2.3-beta.1|#fff|#333|#000000|#001122|#1a2b3c|#12|#a1b2c3|10px|100kb|1.5x|30d|utf-8|sha256|python3|x86_64|step-2|page_3|2024-Q1|Q3-2025
|0.25|3.14159|text/html|Europe/Oslo|and/or|1/2|a|hello
|Hello world|ECO|10-20|5m|1st|v2|12:30 pm|Mar 5
|../|.|UTC+2|PT5M|1920x1080|$12.50
"""


@pytest.mark.parametrize("value", [v.strip("\n") for v in PLAIN.split("|")])
def test_plain_values_are_no_handles(value):
    assert kind_of(value.strip()) is None


def found(arguments):
    return [(h.value, h.kind, h.path) for h in handles(arguments)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"run": "run_8841"}, [("run_8841", X, "run")]),
        ({"a": {"b": [{"id": "FQ8APE"}]}}, [("FQ8APE", X, "a.b[0].id")]),
        ({"session_id": 7}, [("7", N, "session_id")]),
        ({"reservation_id": "JMFYKO"}, [("JMFYKO", X, "reservation_id")]),
        ({"user_id": "alice"}, [("alice", W, "user_id")]),
        ({"account": 8841002}, [("8841002", N, "account")]),
        ({"path": "src/app.py:12"}, [("src/app.py", P, "path")]),
        (
            {"path": "/runs/run_8841/log.txt"},
            [("/runs/run_8841/log.txt", P, "path"), ("run_8841", X, "path")],
        ),
        ({"ref": "batch-20250301-1430"}, [("batch-20250301-1430", X, "ref")]),
        ({"cmd": "kubectl logs web-7f9c4 --tail 50"}, [("web-7f9c4", X, "cmd")]),
        ({"cmd": "cat /tmp/a.log | head -100"}, [("/tmp/a.log", P, "cmd")]),
        ({"code": "mail.move([x['id'] for x in june_invoices])"}, [("june_invoices", W, "code")]),
        (
            {"prompt": "Audit it, write out/unit7.md and close INV-2207."},
            [("out/unit7.md", P, "prompt"), ("INV-2207", X, "prompt")],
        ),
        (
            {"url": "https://x.test/jobs/job_5512?full=1"},
            [("https://x.test/jobs/job_5512?full=1", L, "url"), ("job_5512", X, "url")],
        ),
        ({"issue": "#123"}, [("#123", N, "issue")]),
        ({"ref": "see acme/site#4821, then"}, [("acme/site#4821", X, "ref")]),
        ({"text": "Closes acme/site#123."}, [("acme/site#123", X, "text")]),
        ({"log": "call_rLc has no result"}, [("call_rLc", X, "log")]),
        ({"text": "Night build 88412 is green."}, [("88412", N, "text")]),
    ],
)  # fmt: skip
def test_handles(arguments, expected):
    assert found(arguments) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 20, "on": "2025-03-01", "mode": "fast", "flag": True, "none": None},
        {"timeout": 120000, "max_tokens": 16384, "amount": 250.75, "total": 99999},
        {"text": "Please re-run the well-known check at 10:30 on 2025-03-01, about 50% done."},
        {"command": "pytest -q tests && head -n20"},
        {"query": "SELECT count(*) FROM logs LIMIT 1000"},
        {"content": "We use a queue for retries and/or back-off. Use UTF-8 and sha256."},
        {"cron": "0 9 * * 1"},
        {"color": "#123", "background_color": "#123456", "fill": "#456"},
        {"text": "It is #123 on the list, #4821 too, in #123456 or #333."},
        {"path": "----- /-- /--- ./.--- end"},
        {"style": "color: #a1b2c3; width: 100px"},
        {"html": "<span class='text-gray-800'></span>", "cmd": "sed -n '1,420p' x"},
        {"exit_code": 1, "order": 2, "task": 3, "status_code": 200},
        {"link": "http://localhost:3000"},
        {"v": "requires python3.11 and numpy==1.26.4"},
        {},
        None,
        "",
    ],
)
def test_no_handles(arguments):
    assert found(arguments) == []


def test_odd_arguments():
    nested: object = "run_8841"
    for _ in range(5_000):
        nested = [nested]
    assert [h.value for h in handles(nested)] == ["run_8841"]
    assert found("run_8841") == [("run_8841", X, "")]
    assert len(found({"c": " ".join(f"run_{i}x9" for i in range(9_000))})) < 5_000


@pytest.mark.parametrize(
    "piece", ["a_", "a/", "a-", "1.", "a.b@", "x://", "#", "a1B", "/", "0x", "P1D"]
)
def test_hostile_text_is_cheap(piece):
    text = (piece * 200_000)[:400_000]
    start = time.perf_counter()
    kind_of(text[:500])
    list(handles({"a": text, "b": text[:500]}))
    assert time.perf_counter() - start < 1
