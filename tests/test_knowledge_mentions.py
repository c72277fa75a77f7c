"""Where a handle is mentioned, and what is a slip of another."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.mentions import mentions, near


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("run_1", "run_1"),
        ('{"id": "run_1"}', "run_1"),
        ("see run_1.", "run_1"),
        ("run_12 and run_1", "run_1"),
        ("a\\nrun_1", "run_1"),
        ("\\u0022run_1\\u0022", "run_1"),
        ("/srv/a/", "/srv/a"),
        ("/srv/a", "/srv/a/"),
        ("\\/srv\\/a", "/srv/a"),
        ("/repo/src/a.py", "./src/a.py"),
        ("C:\\\\data\\\\a", "C:\\data\\a"),
        ("order #W12 ok", "#W12"),
        ("caf\\u00e9_1", "café_1"),
        ("no. 12345, then", "12345"),
        ("see /srv/a.py.", "/srv/a.py"),
    ],
)
def test_mentions(text, value):
    assert mentions(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("run_12", "run_1"),
        ("prun_1", "run_1"),
        ("", "run_1"),
        ("x", ""),
        ("0.12345", "12345"),
        ("12345.67", "12345"),
        ("/x/srv/a", "/srv/a"),
        ("/srv/a.py.bak", "/srv/a.py"),
        ("/srv/app-old", "/srv/app"),
        ("C:\\\\nrun_1", "run_1"),
    ],
)
def test_does_not_mention(text, value):
    assert not mentions(text, value)


@pytest.mark.parametrize(
    ("value", "other", "expected"),
    [
        ("run_88412", "run_88421", True),
        ("credit_card_7334", "credit_card_7335", True),
        ("INV-22071", "INV-22017", True),
        ("#W9911714", "#W9911741", True),
        ("FQ8APE", "FQ8APF", True),
        ("019f440b-a3b5-7132-b47e-c1b93549f1c8", "019f440b-a3b5-7132-b47e-c1b9aaaaf1c8", True),
        ("run_8841", "run_8841", False),
        ("run_1", "run_2", False),
        ("build_101", "build_102", False),
        ("run_88412", "job_88412", False),
        ("run_88412", "run_11937", False),
        ("june_invoice", "june_invoices", False),
        ("/tmp/a1.txt", "/tmp/a2.txt", False),
        ("9f2c1ab", "9f2c1ab77de1", False),
    ],
)
def test_near(value, other, expected):
    assert near(value, other) is expected


@pytest.mark.parametrize("piece", ["run_", "a_", "1.", "\\n", "\\u0022", "/"])
def test_hostile_text_is_cheap(piece):
    text = (piece * 200_000)[:400_000]
    start = time.perf_counter()
    mentions(text, "run_1")
    mentions(text, "/a_1")
    near(text[:500], text[:499] + "1")
    assert time.perf_counter() - start < 1
