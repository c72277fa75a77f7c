"""When two answers to one check are the same, when they contradict each other."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.answers import contradicts, same_answer

LONG = "\n".join(f"def part_{n}(): return not_set" for n in range(80))
SAME = [
    ("No matches found", "no matches  found\n"),
    ("No matches found", "[]"),
    ("", "No matches found"),
    ("2 passed in 0.12s", "2 passed in 3.4s"),
    ("started 2024-05-01T10:00:00Z pid 123", "started 2024-05-02T11:30:09Z pid 99"),
    ("Wall time: 1 s\nOutput:\nup", "Wall time: 2 s\nOutput:\nup"),
    ("wrote /tmp/a1/x", "wrote /tmp/b2/y"),
]
CONTRADICTING = [
    ("unlimited", "open files 1024"),
    ("No matches found", "src/a.py:3: x"),
    ("0 matches", "3 matches"),
    ("", "src/a.py"),
    ("1 failed (exit code 1)", "1 passed"),
    ("Error: user not found", '{"user": "u1"}'),
    ("feature: disabled", "feature: enabled"),
    ("feature: disabled", "feature: unlimited"),
    ("replicas: 3", "replicas: 5"),
    ('{"found": false}', '{"found": true}'),
]
#: Neither the same nor a contradiction, or no answers.
NEITHER = [
    ("No matches found", "[Old tool result content cleared]"),
    ("No matches found", "MCP error -32001: Request timed out"),
    ("Error: user a not found", "Error: not enough seats"),
    (LONG, LONG + "\ndef last(): pass"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same_answer(a, b):
    assert same_answer(a, b)
    assert same_answer(b, a)
    assert not contradicts(a, b)


@pytest.mark.parametrize(("a", "b"), CONTRADICTING)
def test_contradicts(a, b):
    assert contradicts(a, b)
    assert contradicts(b, a)
    assert not same_answer(a, b)


@pytest.mark.parametrize(("a", "b"), NEITHER)
def test_neither(a, b):
    assert not same_answer(a, b)
    assert not contradicts(a, b)
    assert not contradicts(b, a)


@pytest.mark.parametrize(
    "text",
    [
        "a " * 20_000,
        "0 " * 20_000,
        "no x " * 9_000,
        "ruled a " * 5_000,
        "1" * 20_000,
        "```" * 9_000,
        "abcdef0" * 5_000,
        "(" * 20_000,
        "so it " * 9_000,
        "/tmp/" * 9_000,
    ],
)
def test_hostile_texts_are_quick(text):
    start = time.perf_counter()
    same_answer(text, text + "x")
    contradicts(text, text + "x")
    assert time.perf_counter() - start < 0.7
