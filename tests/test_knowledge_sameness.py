from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.sameness import NEAR, key, near_same, near_text, same

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=12,
)


def bash(command: str, **more: object) -> tuple[str, object]:
    return "Bash", {"command": command, **more}


def send(text: str, channel: str = "ops") -> tuple[str, object]:
    return "message", {"action": "send", "channel": channel, "text": text}


def task(prompt: str, **more: object) -> tuple[str, object]:
    return "Task", {"prompt": prompt, **more}


EQUAL = [
    (("t", {"a": 1, "b": 2}), ("t", {"b": 2, "a": 1})),
    (("t", {"a": 1}), ("t", '{"a": 1}')),
    (("t", {"a": 1}), ("t", {"a": "1", "b": None})),
    (("t", {"a": 1.0}), ("t", {"a": 1})),
    (("t", {"path": "src/"}), ("t", {"path": "./src"})),
    (("t", {"q": " x  y "}), ("t", {"q": "x y"})),
    (("t", {"q": "x", "timeout": 5}), ("t", {"q": "x"})),
    (("call_tool", {"name": "t", "arguments": {"a": 1}}), ("t", {"a": 1})),
    (bash("npm test"), bash("cd /w && npm test 2>&1 | tail -3", description="run", timeout=9)),
    (("shell", {"command": ["bash", "-lc", "ls"]}), ("shell", {"command": "ls"})),
    (("exec_command", {"cmd": "ls", "workdir": "/w"}), ("exec_command", {"cmd": "cd /w; ls"})),
]
DIFFERENT = [
    (("t", {"a": 1}), ("t", {"a": 2})),
    (("t", {"a": 1}), ("u", {"a": 1})),
    (("t", {"a": True}), ("t", {"a": False})),
    (("t", {"a": "x" * 900 + "1"}), ("t", {"a": "x" * 900 + "2"})),
    (bash("npm test"), bash("npm run lint")),
    (bash("cd /w/a && npm test"), bash("cd /w/b && npm test")),
    (bash("x" * 20_000 + "1"), bash("x" * 20_000 + "2")),
    (
        ("exec_command", {"cmd": "ls", "workdir": "/a"}),
        ("exec_command", {"cmd": "ls", "workdir": "/b"}),
    ),
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_equal_calls(a: tuple[str, object], b: tuple[str, object]) -> None:
    assert key(*a) == key(*b)
    assert same(*a, *b)
    assert near_same(*a, *b) == 1.0


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_different_calls(a: tuple[str, object], b: tuple[str, object]) -> None:
    assert not same(*a, *b)
    assert near_same(*a, *b) < NEAR


NEARLY = [
    (
        task("Audit unit 7, write out/unit7.md", description="audit unit 7"),
        task("Audit unit 7, write the report to out/unit7.md", description="audit unit 7 again"),
    ),
    (("t", {"a": [1, 2]}), ("t", {"a": [2, 1]})),
    (send("Night build 8841 is green."), send("The night build (8841) is green.")),
    (send("Release 2.4.1 is out"), send("The release 2.4.1 is out!")),
    (
        task("Audit unit 7, write out/unit7.md"),
        task("Audit unit 7 and write the report to out/unit7.md"),
    ),
    (
        task("Review PR #12", description="Review"),
        task("Please review PR #12", description="PR review"),
    ),
    (bash("ls -la src"), bash("ls -a -l src")),
    (bash("grep -rn foo src"), bash("grep -rni foo src/")),
    (bash("git log --oneline -5"), bash("git log -5 --oneline")),
    (bash("npm test -- --silent"), bash("npm test --")),
    (("search", {"path": "src", "q": "x", "limit": 10}), ("search", {"path": "src", "q": "x"})),
    (("search", {"q": "x", "limit": 10}), ("search", {"q": "x", "limit": 50})),
    (("search", {"q": "x", "case": True}), ("search", {"q": "x"})),
]
FAR = [
    (task("Audit unit 7"), task("Audit unit 8")),
    (task("Audit unit 7"), task("Audit units 7 and 8")),
    (task("Write out/a.md from the notes"), task("Write out/b.md from the notes")),
    (
        task("Audit the billing module and write the findings"),
        task("Audit the auth module and write the findings"),
    ),
    (send("Deploy started."), send("Deploy finished.")),
    (send("Tests pass on main"), send("Tests do not pass on main")),
    (send("Build is green"), send("Build is green", channel="dev")),
    (send("Invoice INV-1 was sent to Ann"), send("Invoice INV-2 was sent to Ann")),
    (send("hello there"), send("something else entirely")),
    (bash("grep -rn foo src"), bash("grep -rn bar src")),
    (bash("cat a.py"), bash("cat b.py")),
    (bash("pytest tests/a"), bash("pytest tests/b")),
    (bash("ls"), bash("ls | wc -l")),
    (("get", {"id": "a1"}), ("get", {"id": "a2"})),
    (("get", {"id": "a1", "page": 1}), ("get", {"id": "a1", "page": 2})),
    (("get", {"ids": ["a", "b"]}), ("get", {"ids": ["a", "c"]})),
    (("get", {"id": "a1"}), ("fetch", {"id": "a1"})),
    (("pay", {"amount": 10, "to": "bob"}), ("pay", {"amount": 11, "to": "bob"})),
]


@pytest.mark.parametrize(("a", "b"), NEARLY)
def test_the_same_in_other_words(a: tuple[str, object], b: tuple[str, object]) -> None:
    assert NEAR <= near_same(*a, *b) <= 1.0
    assert near_same(*a, *b) == near_same(*b, *a)


@pytest.mark.parametrize(("a", "b"), FAR)
def test_not_the_same(a: tuple[str, object], b: tuple[str, object]) -> None:
    assert near_same(*a, *b) < NEAR
    assert near_same(*a, *b) == near_same(*b, *a)


def test_other_numbers_are_never_near() -> None:
    assert near_text("Audit unit 7", "Audit unit 8") == 0.0
    assert near_text("x" * 9000 + " a", "x" * 9000 + " b") == 0.0


@given(st.text(max_size=20), JSON, JSON)
def test_never_raises(tool: str, a: object, b: object) -> None:
    for name in (tool, "Bash", "call_tool"):
        assert len(key(name, a)) < 400
        assert near_same(name, a, name, a) == 1.0
        assert 0.0 <= near_same(name, a, name, b) <= 1.0
