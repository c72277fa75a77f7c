"""Which texts tell the model that a tool is withheld and can be had back."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.tombstones import renamed, tombstoned

DEFERRED = (
    "<system-reminder>\nThe following deferred tools are now available via ToolSearch. Their "
    "schemas are NOT loaded — calling them directly will fail with InputValidationError. Use "
    'ToolSearch with query "select:<name>[,<name>...]" to load tool schemas before calling '
    "them:\nTaskCreate\nupdate_x\nTaskStop\n</system-reminder>"
)
GONE = (
    "The following deferred tools are no longer available (their MCP server disconnected). Do "
    "not search for them — ToolSearch will return no match:\nTaskCreate\nupdate_x"
)
TOMBSTONES = [
    "[TOOL TOMBSTONE] 'update_x' schema withheld; request re-expansion before calling.",
    "[TOOL TOMBSTONE] update_x: exists; schema withheld.",
    "Tool schemas were discarded. Loadable: deploy_status, update_x.",
    "Loadable tools: deploy_status, update_x.",
    "[boundary] Tool schemas were discarded. Loadable: a, update_x. Summary: staging is up.",
    "Tools available on demand: y, update_x",
    "On-demand tools:\n- y: does y\n- update_x: updates\n- z",
    "The tool update_x was unloaded. Call load_tools to get it back.",
    "`update_x` must be activated before use (tools are folded).",
    "update_x is no longer available; request the schema with tool_search.",
    "More tools can be loaded with load_tools: z, update_x",
    "The schema of update_x is not loaded.",
    "Request re-expansion of the schema before calling update_x.",
    DEFERRED,
    GONE + "\n" + DEFERRED,
    "Loadable:\n  y\n  update_x",
    "<deferred_tools>\ny\nupdate_x\n</deferred_tools>",
    "工具 update_x 需先加载",
]


@pytest.mark.parametrize("text", TOMBSTONES)
def test_tombstone(text):
    assert tombstoned(text, "update_x")


NOT = [
    "",
    "Use update_x to change tickets.",
    "The tool update_x is no longer available.",
    "update_x has been removed from the tools.",
    "[TOOL TOMBSTONE] 'update_x2' schema withheld; request re-expansion.",
    "[TOOL TOMBSTONE] 'y' schema withheld; request re-expansion.\nupdate_x was used before.",
    "Available tools: update_x, y. More tools can be loaded with load_tools.",
    "Tools must be loaded using update_x before use.",
    "Call update_x to load the schema of y.",
    "The data must be loaded before you call it with update_x.",
    "update_x returned 3 rows. Loadable tools: y.",
    GONE,
    DEFERRED + "\n" + GONE,
]


@pytest.mark.parametrize("text", NOT)
def test_no_tombstone(text):
    assert not tombstoned(text, "update_x")


def test_the_loader_itself_is_not_withheld():
    assert not tombstoned(DEFERRED, "ToolSearch")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("The tools were renamed: `bash` is now `shell`.", "bash", "shell"),
        ("`bash` is now `shell`", "bash", "shell"),
        ("run_cmd was renamed to exec_cmd.", "run_cmd", "exec_cmd"),
        ("We renamed run_cmd to exec_cmd", "run_cmd", "exec_cmd"),
        ("run_cmd is deprecated: use exec_cmd instead of run_cmd", "run_cmd", "exec_cmd"),
        ("Renamed tools:\n- run_cmd -> exec_cmd", "run_cmd", "exec_cmd"),
        ("exec_cmd (formerly run_cmd)", "run_cmd", "exec_cmd"),
        ("run_cmd has been replaced by `exec_cmd`", "run_cmd", "exec_cmd"),
        ("bash is now available", "bash", None),
        ("The tool bash is now deprecated", "bash", None),
        ("bash -> output", "bash", None),
        ("Use the results instead of bash", "bash", None),
        ("run_cmd2 was renamed to exec_cmd", "run_cmd", None),
        ("run_cmd runs a command", "run_cmd", None),
        ("", "run_cmd", None),
    ],
)
def test_renamed(text, old, new):
    assert renamed(text, old) == new


@pytest.mark.parametrize("piece", ["update_x ", "update_x\n", "schema ", "use update_x; ", "- a\n"])
def test_hostile_text_is_cheap(piece):
    text = (piece * 60_000)[:300_000] + " update_x"
    start = time.perf_counter()
    tombstoned(text, "update_x")
    renamed(text, "update_x")
    assert time.perf_counter() - start < 2
