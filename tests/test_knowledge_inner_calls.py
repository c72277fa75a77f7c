"""Calls within programs: what is read of them, and that nothing can make the reader fall over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.effects import Effect, verdict
from ctxaudit.knowledge.inner_calls import inner_calls
from ctxaudit.knowledge.sameness import same


@pytest.mark.parametrize(
    ("program", "calls"),
    [
        (
            'const r = await tools.exec_command({cmd: "git status", "workdir": "/w", n: 10_000});',
            [("exec_command", {"cmd": "git status", "workdir": "/w", "n": 10000})],
        ),
        (
            "r = tools.mail.send(to='a@b.c', body=f'Hi', tags=['x', 2.5], quiet=True)",
            [("mail.send", {"to": "a@b.c", "body": "Hi", "tags": ["x", 2.5], "quiet": True})],
        ),
        ("call_tool('send_mail', {'to': 'a'})", [("send_mail", {"to": "a"})]),
        ("await client.callTool(\"look\", {id: 'X-1'})", [("look", {"id": "X-1"})]),
        (
            "for (const id of ids) { await tools.drop({id: id, hard: !soft, n: 1 + 2, k: 'v'}) }",
            [("drop", {"id": None, "hard": None, "n": None, "k": "v"})],
        ),
        (
            "tools.a({s: 'it\\'s', t: `x${y}`, u: `plain`})",
            [("a", {"s": "it's", "t": None, "u": "plain"})],
        ),
        (
            "tools.a({deep: {er: [{k: null}]}}); tools.b()",
            [("a", {"deep": {"er": [{"k": None}]}}), ("b", {})],
        ),
        ("tools.a({x: f(1, 'no, }'), y: 2}) // tools.c(", [("a", {"x": None, "y": 2}), ("c", {})]),
        ("mytools.a(1); print('x')", []),
    ],
)
def test_what_is_read(program: str, calls: list[tuple[str, dict[str, object]]]) -> None:
    assert inner_calls("exec", program) == calls
    assert inner_calls("run_code", {"code": program}) == calls


def test_a_program_that_is_only_written_is_text() -> None:
    program = "tools.send_mail(to='a')"
    assert inner_calls("write_file", {"path": "a.py", "code": program}) == []
    assert inner_calls("run", {"file_path": "a.py", "code": program}) == []


@pytest.mark.parametrize(
    ("program", "effect", "adds"),
    [
        ('tools.exec_command({cmd: "rg -n foo src"})', Effect.READ, False),
        ('tools.exec_command({cmd: "git push"})', Effect.MUTATION, False),
        ("tools.get_order({id: 1}); tools.send_mail({to: 'a'})", Effect.MUTATION, True),
        ("tools.get_order({id: 1}); tools.list_orders({})", Effect.READ, False),
    ],
)
def test_what_it_does(program: str, effect: Effect, adds: bool) -> None:
    found = verdict("exec", program)
    assert (found.effect, found.adds) == (effect, adds)


def test_the_call_counts_and_not_the_program() -> None:
    one = "const r = await tools.check_limits({shell: true}); text(r)"
    two = "text((await tools.check_limits({ shell: true })).output)"
    assert same("exec", one, "exec", two)
    assert same("exec", one, "check_limits", {"shell": True})
    assert not same("exec", one, "exec", one.replace("true", "false"))


@given(st.text(alphabet="tools.a({[\"'`\\:=,)}]x1 \n/*#$", max_size=80))
def test_any_text_is_read_to_its_end(text: str) -> None:
    inner_calls("exec", "tools.a(" + text)
