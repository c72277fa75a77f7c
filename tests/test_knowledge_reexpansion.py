"""Asking for what was withheld, by a tool or in words, and getting it."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.reexpansion import asked_in_words, granted, requested


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("ToolSearch", {"query": "select:A,B_c"}, ("A", "B_c")),
        ("ToolSearch", '{"query": "select:A, A", "max_results": 2}', ("A",)),
        ("ToolSearch", {"query": "slack send"}, ()),
        ("tool_search_tool_regex", {"pattern": "weather"}, ()),
        ("mcp__hub__load_tools", {"names": ["deploy_a", "b"]}, ("deploy_a", "b")),
        ("functions.select_tools", {"names": ["x_y"]}, ("x_y",)),
        ("get_tool_schema", {"tool": "update_x"}, ("update_x",)),
        ("tool_describe", {"name": "mcp.x"}, ("mcp.x",)),
        ("request_tool_schema", {"tool_name": "a_b"}, ("a_b",)),
        ("loadTools", {"toolNames": ["a_b"]}, ("a_b",)),
        ("enable_extension", {"extension_name": "jira"}, ("jira",)),
        ("load_capability", {"capability": "web"}, ("web",)),
        ("reactivate_tools", {"tools": [{"name": "q_r"}]}, None),
        ("activate_tools", {"tools": [{"name": "q_r"}]}, ("q_r",)),
        ("activate_browser_group", {}, ()),
        ("retrieve_tool_result", {"ref": "sha:1"}, ()),
        ("recall", {"toolCallId": "c1"}, ()),
        ("read_omitted_content", {"id": 4}, ()),
        ("restore_pruned_output", {"id": 4}, ()),
        ("recall", {"query": "birthday"}, None),
        ("activate_user", {"id": "u1"}, None),
        ("get_schema", {"table": "t"}, None),
        ("get_table_schema", {"name": "t"}, None),
        ("list_extensions", {}, None),
        ("get_capability_statement", {"name": "x"}, None),
        ("list_tool_calls", {}, None),
        ("create_tool", {"name": "x"}, None),
        ("create_incident", {"name": "x"}, None),
        ("search_flights", {"query": "select:x"}, None),
        ("tool_call", {"name": "x"}, None),
        ("get_product", None, None),
    ],
)  # fmt: skip
def test_requested(tool, arguments, expected):
    assert requested(tool, arguments) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please re-enable update_x so that I can go on.", ("update_x",)),
        ("I need the schema of update_x before I can call it.", ("update_x",)),
        ("Could you load the tool `update_x`?", ("update_x",)),
        ("I don't have update_x's schema.", ("update_x",)),
        ("I need update_x to be loaded first.", ("update_x",)),
        ("Requesting re-expansion of update_x.", ("update_x",)),
        ("I need access to update_x and close_y.", ("update_x",)),
        ("I will call update_x now.", ()),
        ("Please enable alerts using update_x.", ()),
        ("Please check that update_x2 is enabled.", ()),
        ("I have updated the schema. Then update_x ran.", ()),
        ("", ()),
    ],
)
def test_asked_in_words(text, expected):
    assert asked_in_words(text, ["update_x", "close_y"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"type":"tool_reference","tool_name":"A"},{"tool_name":"B","schema":""}]', ("A", "B")),
        ('{"tool_references":[{"type":"tool_reference","tool_name":"A"}]}', ("A",)),
        ('{"loaded": ["deploy_status"]}', ("deploy_status",)),
        ('{"tools":[{"name":"x","parameters":{"type":"object"}}]}', ("x",)),
        ('[{"type":"text","text":"Loaded deploy_status."}]', ("deploy_status",)),
        ("loaded deploy_status", ("deploy_status",)),
        ("Loaded tools: bash, deploy_logs", ("bash", "deploy_logs")),
        ("Tool `shell` has been activated.", ("shell",)),
        ("deploy_status and deploy_logs are now available", ("deploy_status", "deploy_logs")),
        ('<functions>\n<function>{"description": "d", "name": "x_y"}</function>', ("x_y",)),
        ("Schema for update_x:\n{}", ("update_x",)),
        ("loaded successfully", ()),
        ("deploy_status could not be loaded", ()),
        ("No matching deferred tools found", ()),
        ('{"error": "unknown tool", "tools": ["a"]}', ()),
        ("", ()),
    ],
)  # fmt: skip
def test_granted(text, expected):
    assert granted(text) == expected


@pytest.mark.parametrize("piece", ["load ", "a, ", "please x ", "loaded: a, ", "<function>{", "[["])
def test_hostile_text_is_cheap(piece):
    text = (piece * 40_000)[:100_000]
    start = time.perf_counter()
    granted(text)
    asked_in_words(text + " update_x", ["update_x", "x", "a"])
    requested("load_tools", text)
    assert time.perf_counter() - start < 2
