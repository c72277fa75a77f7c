"""Which results are failures, of what kind, and what they name."""

from __future__ import annotations

import json
import time

import pytest

from ctxaudit.knowledge.errors import FailureKind as K
from ctxaudit.knowledge.errors import failure, schema_not_sent

#: text, fields named, tool named
VALIDATION = [
    (
        "<tool_use_error>InputValidationError: Plot failed due to the following issues:\n"
        "The required parameter `axes` is missing\nAn unexpected parameter `axis` was provided"
        "</tool_use_error>",
        ("axes", "axis"),
        "Plot",
    ),
    (
        "InputValidationError: Read failed due to the following issue(s):\nThe parameter `offset` "
        "type is expected as `number` but provided as `string`",
        ("offset",),
        "Read",
    ),
    (
        'MCP error -32602: Input validation error: Invalid arguments for tool add_note: [ {"code":'
        '"invalid_type","expected":"string","received":"undefined","path":["meta","title"],'
        '"message":"Required"} ]',
        ("meta.title",),
        "add_note",
    ),
    (
        'Mcp error: -32602: invalid params: validating "arguments": validating root: unexpected '
        'additional properties ["colour"]',
        ("colour",),
        None,
    ),
    (
        'invalid params: validating "arguments": validating root: required: missing properties: '
        '["name" "size"]',
        ("name", "size"),
        None,
    ),
    ("Unrecognized key(s) in object: 'priority'", ("priority",), None),
    ("Input validation error: 'query' is a required property", ("query",), None),
    (
        "Input validation error: Additional properties are not allowed ('limit' was unexpected)",
        ("limit",),
        None,
    ),
    ("Input validation error: 7 is not of type 'string'", (), None),
    (
        "1 validation error for call[create_page]\nparent.id\n  Field required [type=missing, "
        "input_value={'a': 1}, input_type=dict]",
        ("parent.id",),
        "create_page",
    ),
    (
        "2 validation errors for Order\nqty\n  Input should be a valid integer [type=int_parsing]\n"
        "note\n  Extra inputs are not permitted [type=extra_forbidden]",
        ("qty", "note"),
        None,
    ),
    (
        "Error invoking tool 'book' with kwargs {'a': 1} with error:\n day: Field required\n"
        " Please fix the error and try again.",
        ("day",),
        "book",
    ),
    (
        "ERROR: Your input to the tool was invalid (must have required property 'path')",
        ("path",),
        None,
    ),
    (
        'Validation failed for tool "edit":\n  - path: must have required properties path\n\n'
        "Received arguments:\n{}",
        ("path",),
        "edit",
    ),
    (
        "Invoking `pay()` failed as the following mandatory input parameters are not present:\n"
        "amount\ncurrency\nYou could retry calling this tool.",
        ("amount", "currency"),
        "pay",
    ),
    (
        "Missing value for required parameter 'regex'. Please retry with complete response.",
        ("regex",),
        None,
    ),
    ("missing required parameter: owner", ("owner",), None),
    ("Missing required parameters: owner, repo", ("owner", "repo"), None),
    (
        "Found 2 validation errors parsing tool input arguments:\n- 'x' is a required property",
        ("x",),
        None,
    ),
    ("[TOOL_ERROR] Tool execution failed: KeyError: 'city'", ("city",), None),
    ("TypeError: move() got an unexpected keyword argument 'speed'", ("speed",), None),
    (
        'Traceback (most recent call last):\n  File "<s>", line 1, in <module>\n'
        "TypeError: move() missing 2 required positional arguments: 'x' and 'y'",
        ("x", "y"),
        None,
    ),
    ('(KeyError) key "city" not found in: %{}', ("city",), None),
    ("Error: channel_id is required", ("channel_id",), None),
    ("`title` is required", ("title",), None),
    (
        "failed to parse function arguments: missing field `command` at line 1 column 9",
        ("command",),
        None,
    ),
    ("Invalid input for tool lookup: Type validation failed: Value: {}.", (), "lookup"),
    ("Invalid `path` parameter: a.py. The path should be absolute.", ("path",), None),
    ("Unknown parameter: 'tools[0].kind'.", ("tools[0].kind",), None),
    ("max_tokens: Field required", ("max_tokens",), None),
    ("params must have required property 'file_path'", ("file_path",), None),
    ("json: cannot unmarshal string into Go struct field Args.limit of type int", ("limit",), None),
    ('{"error": "invalid input", "field": "starts_at"}', ("starts_at",), None),
    ('{"error": "attendees is required"}', ("attendees",), None),
    (
        '{"errors": [{"loc": ["body", "qty"], "msg": "field required", "type": "missing"}]}',
        ("qty",),
        None,
    ),
    ('{"detail": [{"loc": ["body", "a", 0], "msg": "Input should be a string"}]}', ("a.0",), None),
    (
        '{"error": {"type": "validation_error", "message": "`kind` must be string"}}',
        ("kind",),
        None,
    ),
    ('{"code": 422, "message": "unprocessable", "errors": [{"field": "unit"}]}', ("unit",), None),
    ('{"code": 422, "message": "cannot be processed"}', (), None),
    ('{"error":{"code":-32602,"message":"Invalid params","data":{"param":"depth"}}}', (), None),
    ('{"name": ["This field is required."]}', ("name",), None),
    (
        '[{"instancePath":"/a/b","keyword":"required","params":{"missingProperty":"c"},'
        '"message":"must have required property \'c\'"}]',
        ("a.b.c",),
        None,
    ),
    (
        'Error calling tool: [{"code":"unrecognized_keys","keys":["x1"],"path":[],"message":"no"}]',
        ("x1",),
        None,
    ),
]
UNKNOWN_TOOL = [
    (
        "<tool_use_error>Error: No such tool available: mcp__s__find</tool_use_error>",
        "mcp__s__find",
    ),
    ("Model tried to call unavailable tool 'wiki'. Available tools: bash.", "wiki"),
    ('No tool named "sh" is currently available. Please use a tool from the list.', "sh"),
    ("Error: fetch is not a valid tool, try one of [a, b].", "fetch"),
    ("Tool 'browse' not found. Available: ['a']", "browse"),
    ("Unknown tool name: 'look'. Available tools: 'a'", "look"),
    ("Unknown tool: create_x", "create_x"),
    ("Error: tool 'go' not found in any workbench", "go"),
    ("Function go_far is not found in the tools_dict.", "go_far"),
    ("Tool go_far not found in agent Planner", "go_far"),
    ("Tool `go_far` not found", "go_far"),
    ('Tool "chart" called but was not available', "chart"),
    ("You tried to use the tool chart, but it doesn't exist. You must use one of: a", "chart"),
    ("Tool chart is currently disabled by the user, and cannot be called.", "chart"),
    ("unsupported call: update_x", "update_x"),
    ('{"error": "Tool \\"exit_mode\\" not found. Did you mean \\"enter_mode\\"?"}', "exit_mode"),
    ("MCP error -32602: Tool go_far not found", "go_far"),
    ("tool no longer available", None),
    (
        '{"type":"error","error":{"type":"invalid_request_error","message":'
        "\"Tool reference 'Go' not found in available tools\"}}",
        "Go",
    ),
]
OTHERS = [
    (
        K.PAIRING,
        "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1.",
    ),
    (K.PAIRING, "No tool output found for function call call_1."),
    (
        K.PAIRING,
        "Error code: 400 - {'error': {'message': \"Invalid parameter: messages with role "
        "'tool' must be a response to a preceeding message with 'tool_calls'.\"}}",
    ),
    (K.PAIRING, "invalid params, tool call result does not follow tool call (2013)"),
    (
        K.PAIRING,
        "Please ensure that the number of function response parts is equal to the number "
        "of function call parts of the function call turn.",
    ),
    (
        K.MALFORMED,
        "InputValidationError: Plot was called with input that could not be parsed as JSON.",
    ),
    (K.MALFORMED, "Invalid JSON input for tool go"),
    (K.MALFORMED, "failed to parse function arguments: EOF while parsing a value at line 1"),
    (K.MALFORMED, "Error: Expected ',' or '}' after property value in JSON at position 5"),
    (K.TRANSIENT, "tool call error: tool call failed for `a/b`\nCaused by: Transport closed"),
    (K.TRANSIENT, "MCP error -32001: Request timed out"),
    (K.TRANSIENT, "MCP error -32000: Connection closed"),
    (K.TRANSIENT, "Error: Request failed with status code 429"),
    (K.TRANSIENT, 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"oops"}}'),
    (K.TRANSIENT, '{"error":{"type":"overloaded_error","message":"Overloaded"}}'),
    (K.TRANSIENT, '{"code":503,"message":"come back"}'),
    (K.TRANSIENT, "503 Service Unavailable"),
    (K.REFUSED, "The user doesn't want to proceed with this tool use. The tool use was rejected"),
    (K.REFUSED, "User declined to run this tool. Don't try to make the same tool call again."),
    (K.REFUSED, "User rejected the plan: too wide."),
    (K.REFUSED, "Rejected by approver."),
    (K.REFUSED, "Permission for this action has been denied."),
    (K.REFUSED, '{"status": 403, "error": "blocked"}'),
    (K.REFUSED, '{"status": 403, "error": "blocked, try again later"}'),
    (K.REFUSED, '{"error": {"code": 403, "type": "api_error", "message": "connection closed"}}'),
    (K.REFUSED, '{"status": 451, "error": "unavailable_for_legal_reasons"}'),
    (K.REFUSED, '{"status": 451, "error": {"message": "service unavailable in your region"}}'),
    (K.REFUSED, '{"error": {"code": -32000, "message": "This domain is blocked"}}'),
    (K.REFUSED, "Error: Request failed with status code 451"),
    (K.TRANSIENT, '{"status": 403, "error": {"type": "rate_limit", "message": "slow down"}}'),
    (K.TRANSIENT, '{"status": 403, "message": "API rate limit exceeded for user 1"}'),
    (K.TRANSIENT, '{"status": 503, "message": "Service unavailable, request was blocked"}'),
    (K.TRANSIENT, '{"error": "Too many requests, you are blocked for a while"}'),
    (
        K.GUARD,
        "<tool_use_error>File has not been read yet. Read it first before writing to it."
        "</tool_use_error>",
    ),
    (K.GUARD, "Error: File has been modified since read, either by the user or by a linter."),
    (K.NOT_FOUND, "Error: File '/a/b.md' not found"),
    (K.NOT_FOUND, "ls: cannot access 'types/': No such file or directory"),
    (K.NOT_FOUND, "Error: user not found"),
    (K.NOT_FOUND, "NameError: name 'totals' is not defined"),
    (K.NOT_FOUND, "No task found with ID: b12"),
    (K.NOT_FOUND, "write_stdin failed: Unknown process id 51"),
    (K.NOT_FOUND, '{"status":404,"message":"Not Found"}'),
    (K.NOT_FOUND, "Exit code 1\ngh: Not Found (HTTP 404)"),
    (
        K.NOT_FOUND,
        "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
    ),
    (K.INTERRUPTED, "[Request interrupted by user for tool use]"),
    (K.INTERRUPTED, "Command aborted"),
    (K.BUSINESS, "Error: payment amount does not add up, total price is 12, but paid 11"),
    (K.BUSINESS, "Error: not enough seats on flight X1"),
    (K.BUSINESS, '{"ok": false, "error": "insufficient balance"}'),
    (K.BUSINESS, "Exit code 2\nTypeError: f() missing 1 required positional argument: 'x'"),
    (K.BUSINESS, '{"output":"boom","metadata":{"exit_code":3}}'),
]
PAGE = "\n".join(f"line {n}: nothing to see" for n in range(200))
#: Ordinary content, whatever it mentions.
CONTENT = [
    "",
    "ok",
    "No matches found",
    "The file /w/a.py has been updated.",
    "12\traise ValueError('missing required parameter: owner')",
    'src/a.py:3:    raise KeyError(f"{name} not found")',
    "# Errors\n\nWhen `owner` is missing the server says: missing required parameter: owner\n",
    "ok  \tpkg/strategy\t0.31s",
    PAGE + "\nInputValidationError: Plot failed due to the following issue:\nx",
    "Error handling guide\n" + PAGE,
    "error: the first line of a long log\n" + PAGE,
    "Not found pages are served from cache.\n" + PAGE,
    '{"id": "j1", "status": "failed", "error": "OOM"}',
    '{"errors": [], "data": {"a": 1}}',
    '{"error": null, "result": 5}',
    '{"code": 200, "message": "fine"}',
    '{"results": [{"path": ["a"], "title": "x"}]}',
    '{"output": "Error: quoted", "metadata": {"exit_code": 0}}',
    "Review is required before merging; see the guide.",
    "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nerror: x not found",
    json.dumps({"schema": {"required": ["owner"], "properties": {"owner": {"type": "string"}}}}),
]


@pytest.mark.parametrize(("text", "fields", "tool"), VALIDATION)
@pytest.mark.parametrize("flag", [None, False, True])
def test_validation(text, fields, tool, flag):
    found = failure(text, flag)
    assert found is not None
    assert (found.kind, found.fields, found.tool) == (K.VALIDATION, fields, tool), found


@pytest.mark.parametrize(("text", "tool"), UNKNOWN_TOOL)
@pytest.mark.parametrize("flag", [None, True])
def test_unknown_tool(text, tool, flag):
    found = failure(text, flag)
    assert found is not None
    assert (found.kind, found.tool) == (K.UNKNOWN_TOOL, tool), found


@pytest.mark.parametrize(("kind", "text"), OTHERS)
@pytest.mark.parametrize("flag", [None, True])
def test_other_kinds(kind, text, flag):
    found = failure(text, flag)
    assert found is not None
    assert found.kind is kind, found


@pytest.mark.parametrize("text", CONTENT)
@pytest.mark.parametrize("flag", [None, False])
def test_content_is_no_failure(text, flag):
    assert failure(text, flag) is None


def test_flag_alone():
    assert failure("something odd", True).kind is K.BUSINESS
    assert failure("No files found", True) is None
    assert failure("something odd", False) is None


def test_name_error_names_it():
    assert failure("NameError: name 'totals' is not defined").fields == ("totals",)


def test_schema_not_sent():
    proof = (
        "<tool_use_error>InputValidationError: Ask failed due to the following issue:\nThe "
        "required parameter `q` is missing\n\nThis tool's schema was not sent to the API \u2014 it "
        "was not in "
        'the discovered-tool set. Load the tool first: call ToolSearch with query "select:Ask", '
        "then retry this call.</tool_use_error>"
    )
    assert schema_not_sent(proof) == "Ask"
    assert failure(proof).fields == ("q",)
    assert (
        schema_not_sent("Docs say: This tool's schema was not sent to the API. select:Ask") is None
    )
    assert schema_not_sent("all is well") is None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 15_000,
        '{"a":' * 3_000 + "1" + "}" * 3_000,
        "Error: " * 5_000,
        "Error: " + "a." * 10_000,
        "missing required parameter " + "a, " * 10_000,
        "Error invoking tool 'x' with kwargs " + " with" * 5_000,
        "\x1b[" + "1;" * 10_000,
        "validation error " * 3_000,
        "Error: " + "`" * 20_000,
    ],
)
def test_hostile_texts_are_quick(text):
    start = time.perf_counter()
    failure(text, True)
    failure(text)
    assert time.perf_counter() - start < 0.5
