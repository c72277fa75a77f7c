from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.effects import Effect, Verdict, unwrap, verdict
from ctxaudit.knowledge.verbs import letter, words

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=12,
)

READS = [
    ("Read", {"file_path": "/w/a.py"}),
    ("Grep", {"pattern": "x"}),
    ("ToolSearch", {"query": "select:X"}),
    ("BashOutput", {"bash_id": "b1"}),
    ("list_dir", {"path": "."}),
    ("google_web_search", {"query": "delete from t"}),
    ("write_stdin", {"session_id": 7, "chars": ""}),
    ("str_replace_editor", {"command": "view", "path": "/w"}),
    ("memory", {"command": "view", "path": "/memories"}),
    ("computer", {"action": "screenshot"}),
    ("think", {"thought": "send it"}),
    ("calculate", {"expression": "1 + 1"}),
    ("calculator", {"operation": "add", "a": 1, "b": 2}),
    ("get_order_details", {"order_id": "W1"}),
    ("getOrderDetails", {}),
    ("mcp__tracker__get_issue", {"key": "QA-1"}),
    ("github.fetch_pr", {"pr_number": 1}),
    ("deploy_status", {"env": "prod"}),
    ("order_history", {}),
    ("message_search", {"text": "x"}),
    ("Books-Search", {"q": "x"}),
    ("run_tests", {"filter": "net"}),
    ("list_all_airports", {}),
    ("is_open", {}),
    ("http_request", {"method": "GET", "url": "https://x/y"}),
    ("run_sql", {"query": "SELECT a FROM t"}),
    ("execute_code", {"code": "import os\nprint(os.getcwd())"}),
    ("message", {"action": "read", "channel": "c"}),
    ("Bash", {"command": "git status"}),
    ("shell", {"command": ["bash", "-lc", "ls -la"]}),
]
SETS = [
    ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}),
    ("write", {"path": "a", "content": "x"}),
    ("apply_patch", "*** Begin Patch"),
    ("TodoWrite", {"todos": []}),
    ("str_replace_editor", {"command": "str_replace", "path": "/w/a"}),
    ("memory", {"command": "delete", "path": "/memories/a"}),
    ("computer", {"action": "left_click"}),
    ("update_task_status", {"id": 1}),
    ("delete_file", {"path": "a"}),
    ("set_preference", {"mode": "x"}),
    ("cancel_order", {"order_id": "W1"}),
    ("get_or_create_user", {"name": "a"}),
    ("upsertRecord", {}),
    ("transfer_to_human_agents", {"summary": "x"}),
    ("push_files", {"branch": "x"}),
    ("deploy", {"env": "prod"}),
    ("http_request", {"method": "PUT", "url": "https://x/y"}),
    ("run_sql", {"sql": "UPDATE t SET a = 1"}),
    ("cron", {"action": "remove", "id": "j1"}),
    ("python", {"code": "open('a', 'w').write('x')"}),
    ("Bash", {"command": "rm -rf build"}),
]
ADDS = [
    ("Task", {"prompt": "audit"}),
    ("spawn_agent", {"message": "x"}),
    ("save_memory", {"fact": "x"}),
    ("str_replace_editor", {"command": "insert", "path": "/w/a"}),
    ("message", {"action": "send", "channel": "c", "text": "x"}),
    ("message", {"to": "bob", "text": "x"}),
    ("book", {"code": "OS-77"}),
    ("book_reservation", {"user_id": "u"}),
    ("send_certificate", {"amount": 1}),
    ("createTask", {"title": "x"}),
    ("mcp__tracker__create_issue", {"title": "x"}),
    ("issue_create", {"title": "x"}),
    ("append_note", {"text": "x"}),
    ("increment_counter", {}),
    ("make_payment", {"amount": 1}),
    ("push_notification", {"text": "x"}),
    ("start_job", {"name": "x"}),
    ("trigger_pipeline", {}),
    ("http_request", {"method": "POST", "url": "https://x/orders"}),
    ("query_db", {"sql": "INSERT INTO t VALUES (1)"}),
    ("Bash", {"command": "gh pr create --fill"}),
]
UNKNOWNS = [
    ("visualize_chart", {"kind": "bar"}),
    ("weather2", {}),
    ("frobnicate", {"x": 1}),
    ("run_code", {"code": "import thing\nthing.go()"}),
    ("Bash", {"command": "./deploy.sh"}),
    ("write_stdin", {"session_id": 7, "chars": "y\n"}),
    ("http_request", {"method": "POST", "url": "https://x/_search"}),
    ("", {}),
    ("___", None),
]


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_reads(tool: str, arguments: object) -> None:
    assert verdict(tool, arguments).effect is Effect.READ


@pytest.mark.parametrize(("tool", "arguments"), SETS)
def test_changes_that_do_not_add(tool: str, arguments: object) -> None:
    found = verdict(tool, arguments)
    assert (found.effect, found.adds) == (Effect.MUTATION, False)


@pytest.mark.parametrize(("tool", "arguments"), ADDS)
def test_changes_that_add(tool: str, arguments: object) -> None:
    found = verdict(tool, arguments)
    assert (found.effect, found.adds) == (Effect.MUTATION, True)


@pytest.mark.parametrize(("tool", "arguments"), UNKNOWNS)
def test_unknown(tool: str, arguments: object) -> None:
    found = verdict(tool, arguments)
    assert (found.effect, found.adds) == (Effect.UNKNOWN, False)


@pytest.mark.parametrize(
    ("tool", "hints", "expected"),
    [
        ("frob", {"readOnlyHint": True}, Verdict(Effect.READ, False, "declared")),
        ("create_x", {"readOnlyHint": True}, Verdict(Effect.READ, False, "declared")),
        ("frob", {"destructiveHint": True}, Verdict(Effect.MUTATION, False, "declared")),
        ("create_x", {"readOnlyHint": False}, Verdict(Effect.MUTATION, True, "declared")),
        (
            "create_x",
            {"readOnlyHint": False, "idempotentHint": True},
            Verdict(Effect.MUTATION, False, "declared"),
        ),
        (
            "frob",
            {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
            Verdict(Effect.MUTATION, True, "declared"),
        ),
        ("frob", {"idempotentHint": True}, Verdict(Effect.UNKNOWN, False, "unknown")),
        ("get_x", {"title": "X"}, Verdict(Effect.READ, False, "verb")),
    ],
)
def test_annotations(tool: str, hints: dict[str, object], expected: Verdict) -> None:
    assert verdict(tool, {}, hints) == expected


def test_a_look_through_an_annotated_shell_is_a_look() -> None:
    hints = {"readOnlyHint": False, "destructiveHint": True}
    assert verdict("bash", {"command": "ls"}, hints).effect is Effect.READ
    assert verdict("bash", {"command": "./x"}, hints).effect is Effect.MUTATION


@pytest.mark.parametrize(
    ("tool", "declared", "letters"),
    [
        ("send_x", {"send_x": "read"}, (Effect.READ, False)),
        ("get_x", {"get_*": "mutation"}, (Effect.MUTATION, False)),
        ("get_x", {"*": "read", "get_*": "adds"}, (Effect.MUTATION, True)),
        ("get_x", {"get_*": "adds", "get_x": "read"}, (Effect.READ, False)),
        ("get_x", {"put_*": "adds"}, (Effect.READ, False)),
        ("get_x", {"get_x": "nonsense"}, (Effect.READ, False)),
    ],
)
def test_configuration_comes_first(
    tool: str, declared: dict[str, str], letters: tuple[Effect, bool]
) -> None:
    found = verdict(tool, {}, {"readOnlyHint": False, "destructiveHint": True}, declared)
    if found.source == "config":
        assert (found.effect, found.adds) == letters
    else:
        assert found.source == "declared"


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("call_tool", {"name": "a", "arguments": {"x": 1}}, ("a", {"x": 1})),
        ("call_tool", {"name": "a", "arguments": '{"x": 1}'}, ("a", {"x": 1})),
        ("use_mcp_tool", {"server_name": "s", "tool_name": "a", "arguments": "{}"}, ("a", {})),
        ("mcp__hub__call_tool", {"tool": "a", "args": {}}, ("a", {})),
        (
            "call_tool",
            {"name": "tool_call", "arguments": {"name": "b", "arguments": {"y": 2}}},
            ("b", {"y": 2}),
        ),
        ("call_tool", '{"name": "a", "arguments": {}}', ("a", {})),
        (
            "create_user",
            {"name": "a", "arguments": {}},
            ("create_user", {"name": "a", "arguments": {}}),
        ),
        ("call_tool", {"x": 1}, ("call_tool", {"x": 1})),
        ("call_tool", "not json", ("call_tool", "not json")),
    ],
)
def test_unwrap(tool: str, arguments: object, expected: tuple[str, object]) -> None:
    assert unwrap(tool, arguments) == expected


def test_a_bridge_is_judged_by_its_call() -> None:
    bridged = {"name": "send_mail", "arguments": {"to": "a"}}
    assert verdict("call_tool", bridged).adds
    assert verdict("call_tool", bridged, {"readOnlyHint": True}).adds
    assert verdict("call_tool", bridged, None, {"send_*": "read"}).effect is Effect.READ


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_user_by_id", ("get", "user", "by", "id")),
        ("getUserByID", ("get", "user", "by", "id")),
        ("list-HTTPServers", ("list", "http", "servers")),
        ("", ()),
    ],
)
def test_words(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


@pytest.mark.parametrize("name", ["log", "run_thing", "request_url", "common_posts", "data"])
def test_a_name_that_does_not_say(name: str) -> None:
    assert letter(name) == "u"


@given(st.text(max_size=60), JSON)
def test_never_raises(tool: str, arguments: object) -> None:
    for name in (tool, "call_tool", "Bash", "http_request", "run_sql", "memory", "exec"):
        assert verdict(name, arguments).effect in Effect
