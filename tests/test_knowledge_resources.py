from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.resources import (
    is_polling,
    is_test_run,
    may_affect,
    patched,
    path_of,
    touches,
    url_of,
)

Call = tuple[str, object]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=12,
)


def bash(command: str, **more: object) -> Call:
    return "Bash", {"command": command, **more}


def edit(path: str) -> Call:
    return "Edit", {"file_path": path, "old_string": "a", "new_string": "b"}


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"

AFFECTS = [
    (edit("/w/a.py"), bash("npm test")),
    (edit("/w/a.py"), ("run_tests", {"filter": "x"})),
    (edit("/w/a.py"), ("Read", {"file_path": "/w/a.py"})),
    (edit("/w/src/a.py"), bash("grep -rn x src")),
    (edit("/w/src/a.py"), bash("cd /w && cat src/a.py")),
    (edit("src/a.py"), ("Read", {"file_path": "/w/src/a.py"})),
    (edit("/w/a.py"), bash("git diff")),
    (edit("/w/a.py"), bash("rg foo")),
    (edit("/w/a.py"), ("Grep", {"pattern": "x"})),
    (edit("/w/a.py"), ("Grep", {"pattern": "x", "path": "/w"})),
    (("apply_patch", PATCH), bash("cat src/a.py")),
    (("apply_patch", {"input": PATCH}), bash("pytest")),
    (bash("echo x > a.txt"), bash("cat a.txt")),
    (bash("sed -i s/a/b/ a.py"), bash("pytest a.py")),
    (bash("git checkout main"), bash("cat a.py")),
    (bash("npm install"), bash("npm test")),
    (bash("git commit -m x"), bash("git log")),
    (bash("./setup.sh"), bash("ulimit -a")),
    (bash("sudo systemctl restart x"), bash("ps aux")),
    (bash("kubectl apply -f x.yaml"), bash("kubectl get pods")),
    (bash("curl -X POST https://h/a -d 1"), bash("curl https://h/b")),
    (("update_order", {"order_id": "W1", "x": "y"}), ("get_order", {"order_id": "W1"})),
    (("cancel_thing", {"ref": "W1"}), ("get_order", {"order_id": "W1"})),
    (("create_task", {"title": "a b"}), ("list_tasks", {})),
    (("mcp__t__create_issue", {"title": "a b"}), ("mcp__t__get_issue", {"key": "QA-1"})),
    (("mcp__t__update_thing", {"key": "QA-1"}), ("mcp__t__search", {"query": "x"})),
    (("set_mode", {"mode": "fast"}), ("check_speed", {})),
    (("reset", {}), ("check_speed", {})),
]
DOES_NOT = [
    (("edit_file", {"path": "a.txt", "patch": "+x"}), ("read_file", {"path": "b.txt"})),
    (edit("/w/a.py"), bash("ci status night")),
    (edit("/w/a.py"), bash("ulimit -a")),
    (edit("/w/a.py"), ("Read", {"file_path": "/w/b.py"})),
    (edit("/w/a.py"), bash("grep -n x docs/b.md")),
    (edit("/w/a.py"), ("get_order", {"order_id": "W1"})),
    (edit("/w/a.py"), ("check_limits", {})),
    (edit("/w/a.py"), bash("kubectl get pods")),
    (edit("/w/a.py"), bash("dig example.com")),
    (bash("ls"), bash("npm test")),
    (bash("npm test"), bash("npm test")),
    (bash("npm test > /tmp/x.log"), bash("ulimit -n")),
    (bash("rm docs/a.md"), bash("cat src/a.py")),
    (bash("gh pr create --fill"), bash("ulimit -a")),
    (("Read", {"file_path": "/w/a.py"}), bash("npm test")),
    (("update_order", {"order_id": "W1"}), ("get_order", {"order_id": "W2"})),
    (("send_mail", {"to": "bob", "body": "a b"}), bash("npm test")),
    (("message", {"action": "send", "channel": "c", "text": "a b"}), bash("ulimit -a")),
    (("mcp__t__update_issue", {"key": "QA-1"}), ("mcp__t__get_issue", {"key": "QA-2"})),
    (("update_user", {"user_id": "u1"}), ("get_flight", {"flight": "HAT1"})),
]


@pytest.mark.parametrize(("write", "check"), AFFECTS)
def test_may_affect(write: Call, check: Call) -> None:
    assert may_affect(touches(*write), touches(*check))


@pytest.mark.parametrize(("write", "check"), DOES_NOT)
def test_does_not_affect(write: Call, check: Call) -> None:
    assert not may_affect(touches(*write), touches(*check))


@pytest.mark.parametrize(
    ("call", "reads", "writes", "everything"),
    [
        (edit("/w/a.py"), {"path:/w/a.py"}, {"path:/w/a.py"}, False),
        (bash("cat a.py"), {"path:a.py"}, set(), False),
        (bash("cd /w && cat a.py"), {"path:/w/a.py"}, set(), False),
        (bash("npm test"), {"tree:"}, set(), True),
        (bash("echo x > a"), set(), {"path:a"}, False),
        (bash("rm -f a b/"), set(), {"path:a", "path:b"}, False),
        (bash("git commit -m x"), set(), {"tree:", "service:git"}, False),
        (bash("./x.sh"), {"*"}, {"*"}, False),
        (bash("curl https://h/a/"), {"url:h/a"}, set(), False),
    ],
)
def test_touches(call: Call, reads: set[str], writes: set[str], everything: bool) -> None:
    found = touches(*call)
    assert (set(found.reads), set(found.writes), found.everything) == (reads, writes, everything)


POLLS = [
    bash("sleep 30 && gh pr checks 12"),
    bash("gh run watch 1"),
    bash("kubectl get pods -w"),
    bash("kubectl rollout status deploy/x"),
    bash("tail -f log"),
    bash("systemctl status x"),
    bash("curl -s http://localhost:8000/health"),
    bash("docker ps"),
    bash("ci status night"),
    ("execute_bash", {"command": ""}),
    ("BashOutput", {"bash_id": "b"}),
    ("write_stdin", {"session_id": 1, "chars": ""}),
    ("wait_agent", {"timeout_ms": 1}),
    ("get_job_status", {"id": "j1"}),
    ("poll_run", {"run": "r1"}),
    ("process", {"action": "poll", "id": "p"}),
]
NO_POLLS = [
    bash("git status"),
    bash("npm test"),
    bash("ulimit -a"),
    bash("cat status.txt"),
    bash("sleep 1 && rm x"),
    ("write_stdin", {"session_id": 1, "chars": "y"}),
    ("update_task_status", {"id": 1}),
    ("get_order", {"id": 1}),
    ("Read", {"file_path": "/w/status"}),
]


@pytest.mark.parametrize("call", POLLS)
def test_polling(call: Call) -> None:
    assert is_polling(*call)


@pytest.mark.parametrize("call", NO_POLLS)
def test_no_polling(call: Call) -> None:
    assert not is_polling(*call)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (bash("cd /w && npm test"), True),
        (bash("uv run pytest -q"), True),
        (bash("make build"), True),
        (("run_tests", {}), True),
        (("mcp__ide__getDiagnostics", {}), True),
        (("call_tool", {"name": "run_lint", "arguments": {}}), True),
        (bash("ls tests"), False),
        (bash("git status"), False),
        (("create_test", {}), False),
        (("get_latest", {}), False),
    ],
)
def test_test_runs(call: Call, expected: bool) -> None:
    assert is_test_run(*call) is expected


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("./a/../b/", None, "b"),
        ("a", "/w", "/w/a"),
        ("/a", "/w", "/a"),
        ("C:\\x\\y", "/w", "C:/x/y"),
        ("file:///a", None, "/a"),
        ("", None, "."),
    ],
)
def test_paths(text: str, base: str | None, expected: str) -> None:
    assert path_of(text, base) == expected


def test_urls_and_patches() -> None:
    assert url_of("https://H.x/a/?b=1") == "h.x/a"
    assert url_of("a/b") is None
    assert url_of("http://[") is None
    assert patched(PATCH) == ("src/a.py",)
    assert patched("--- a/x.py\n+++ b/x.py\n") == ("x.py", "x.py")


@given(st.text(max_size=20), JSON)
def test_never_raises(tool: str, arguments: object) -> None:
    for name in (tool, "Bash", "Edit", "call_tool"):
        found = touches(name, arguments)
        assert isinstance(may_affect(found, found), bool)
        assert is_polling(name, arguments) in (True, False)
        assert is_test_run(name, arguments) in (True, False)
