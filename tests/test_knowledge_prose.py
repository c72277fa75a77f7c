"""Which sentences of the assistant rule something out."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.prose import conclusions

RULED_OUT = [
    "DNS is ruled out.",
    "That rules the cache out as well.",
    "The proxy is not the cause.",
    "The limit isn't the issue here.",
    "The open files limit is unlimited, so the limit is not it.",
    "The index is fine, so it must be the query.",
    "This is a dead end.",
    "The crash did not reproduce with 2.1.",
    "Raising the timeout does not help.",
    "Changing the flag had no effect.",
    "We decided against Redis.",
    "I'm abandoning the polling approach.",
]
OPEN = [
    "Could the proxy be ruled out?",
    "Let me rule out DNS first.",
    "If the cache is not the cause, look at DNS.",
    "I need to check whether it did not reproduce.",
    "DNS has not been ruled out yet.",
    "All tests pass now.",
    "Do not work on this now.",
    "# Why the migration does not help",
    "```\nraise Error('dead end')\n```",
]


@pytest.mark.parametrize("text", RULED_OUT)
def test_conclusions(text):
    assert conclusions(f"I looked at the logs. {text} Next, the query.") == (text,)


@pytest.mark.parametrize("text", OPEN)
def test_nothing_concluded(text):
    assert conclusions(text) == ()


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
    conclusions(text)
    assert time.perf_counter() - start < 0.7
