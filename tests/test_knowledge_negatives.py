"""Which results say no."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.negatives import NegativeKind as N
from ctxaudit.knowledge.negatives import negative

NEGATIVE = [
    (N.ZERO_HITS, "No matches found"),
    (N.ZERO_HITS, "No files found"),
    (N.ZERO_HITS, "No results found for 'abc' in src/."),
    (N.ZERO_HITS, "Found 0 matches"),
    (N.ZERO_HITS, "search for 'x' in src/ -> 0 matches"),
    (N.ZERO_HITS, "0 results"),
    (N.ZERO_HITS, "(0 rows)"),
    (N.ZERO_HITS, "0"),
    (N.ZERO_HITS, "[]"),
    (N.ZERO_HITS, '{"results":[]}'),
    (N.ZERO_HITS, '{"matches": [], "truncated": false}'),
    (N.ZERO_HITS, '{"count": 0}'),
    (N.ZERO_HITS, '{"output": "[]"}'),
    (N.ZERO_HITS, "Chunk ID: a1\nProcess exited with code 0\nOutput:\n[]\n"),
    (N.NOT_FOUND, '{"found": false}'),
    (N.NOT_FOUND, "Error: File '/a/b.md' not found"),
    (N.NOT_FOUND, "ls: x: No such file or directory"),
    (N.NOT_FOUND, "<tool_use_error>File does not exist.</tool_use_error>"),
    (N.NOT_FOUND, "Error: user not found"),
    (N.ERROR, '{"ok": false}'),
    (N.ERROR, "Error: not enough seats on flight X1"),
    (N.ERROR, "Error: flight X1 not available on date 2024-01-02"),
    (N.ERROR, '{"error": "insufficient balance"}'),
    (
        N.ERROR,
        "InputValidationError: Go failed due to the following issue:\nThe required parameter "
        "`x` is missing",
    ),
    (N.NONZERO_EXIT, "Exit code 1\nboom"),
    (N.NONZERO_EXIT, "Exit code 1"),
    (N.NONZERO_EXIT, "1 failed (exit code 1)"),
    (N.NONZERO_EXIT, "1 failed: test_retry"),
    (N.NONZERO_EXIT, "collected 3\n...\n===== 1 failed, 2 passed in 0.12s ====="),
    (N.NONZERO_EXIT, '{"output":"","metadata":{"exit_code":1}}'),
    (N.REFUSED, "User rejected the plan: too wide."),
    (N.REFUSED, "The user doesn't want to proceed with this tool use. The tool use was rejected"),
    (N.STATE, "open files (-n) unlimited"),
    (N.STATE, "unlimited"),
    (N.STATE, "feature_x: disabled"),
    (N.STATE, "proxy is not set"),
    (N.STATE, "Already up to date."),
    (N.STATE, "On branch main\nnothing to commit, working tree clean"),
    (N.STATE, "null"),
]
LONG = "\n".join(f"def part_{n}(): return not_set" for n in range(80))
#: Positive answers, and no answers at all.
NO_NEGATIVE = [
    "Found 3 matches\nsrc/a.py\nsrc/b.py",
    "ok",
    "12 passed, 0 failed",
    "Success: no issues found in 2 source files",
    "0 errors, 2 warnings in total",
    '{"ok": true, "message_id": "m1"}',
    '{"results": [{"id": 1}], "count": 1}',
    '{"id": "x", "deleted_count": 0, "rows": [1]}',
    "The file /w/a.py has been updated.",
    "src/a.py:3: # not found pages are disabled",
    LONG,
    LONG + "\nThe option is disabled and no matches found",
    "1\tresult = 'not found'\n2\treturn result",
    "[Old tool result content cleared]",
    "[cleared]",
    "[Tool result missing due to internal error]",
    "File unchanged since last read. The content from the earlier Read tool_result in this "
    "conversation is still current \u2014 refer to that instead of re-reading.",
    "tool call error: tool call failed for `a/b`\nCaused by: Transport closed",
    "Error: Request failed with status code 429",
    "MCP error -32001: Request timed out",
    "<tool_use_error>File has not been read yet. Read it first before writing to it."
    "</tool_use_error>",
    "[Request interrupted by user for tool use]",
    "",
    "  \n",
    "(Bash completed with no output)",
]


@pytest.mark.parametrize(("kind", "text"), NEGATIVE)
def test_negative(kind, text):
    found = negative(text)
    assert found is not None
    assert found.kind is kind, found
    assert found.excerpt
    assert len(found.excerpt) <= 120


@pytest.mark.parametrize("text", NO_NEGATIVE)
def test_no_negative(text):
    assert negative(text) is None
    assert negative(text, False) is None


@pytest.mark.parametrize(
    "text", ["", "\n", "(no output)", "{}", '{"output":"","metadata":{"exit_code":0}}']
)
def test_silence_counts_only_where_asked(text):
    assert negative(text) is None
    assert negative(text, silent_is_negative=True).kind is N.EMPTY


def test_flag_makes_a_negative_of_anything_but_a_stub():
    assert negative("something odd", True).kind is N.ERROR
    assert negative("No matches found", True).kind is N.ZERO_HITS
    assert negative("[Old tool result content cleared]", True) is None


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
    negative(text, True)
    assert time.perf_counter() - start < 0.7
