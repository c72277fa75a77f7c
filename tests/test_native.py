"""The native format: what a line means, what is refused and why, and that turns come back whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest
from conftest import FIXTURES, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxaudit.adapters import native
from ctxaudit.adapters.native_fields import LINE
from ctxaudit.audit import Input, audit, open_log
from ctxaudit.contract import schema
from ctxaudit.convert import dump
from ctxaudit.log import Log, Problem, Source
from ctxaudit.model import (
    Aspect,
    DecisionKind,
    Extent,
    Gap,
    Kind,
    Location,
    PruningDecision,
    Span,
    ToolCall,
    ToolSchema,
    Turn,
)
from ctxaudit.report import number

CONTRACT = jsonschema_rs.validator_for(orjson.loads(schema("log")))


def read(path: Path, *lines: Any) -> tuple[list[Turn], list[Problem]]:
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    log = Log(str(path))
    turns = list(native.read(Source((log,))))
    return turns, log.problems


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


# -- what a line means --------------------------------------------------------------------------


def test_a_whole_line(log: Path) -> None:
    line = {
        "ctxaudit": 1,
        "session": "s1",
        "turn": 3,
        "source": {"line": 17},
        "decisions": [
            {"kind": "schema-pruned", "tools": ["refund"], "explicit": False},
            {
                "kind": "result-cleared",
                "actor": "window",
                "reason": "old",
                "score": 0.31,
                "stubs": {"result:c1": "[cleared]"},
            },
        ],
        "withdrawn": ["u1"],
        "restored": ["u0"],
        "add": [{"kind": "result", "call": "c2", "text": "none", "failed": True}],
        "tools": ["search", {"name": "refund", "deferred": True}],
        "tools_complete": False,
        "reply": [{"kind": "reasoning", "text": "hm"}, "Done."],
        "calls": [{"id": "c3", "tool": "search", "arguments": {"q": 1}}],
        "error": "overloaded",
        "prompt_tokens": 812,
        "gaps": [{"aspect": "results", "extent": "none", "reason": "not logged"}],
    }
    assert CONTRACT.is_valid(line)
    (turn,), problems = read(log, line)
    where = Location(str(log), 1, "s1", 3)
    assert problems == []
    assert turn == Turn(
        where,
        (
            PruningDecision(DecisionKind.SCHEMA_PRUNED, where, tools=("refund",)),
            PruningDecision(
                DecisionKind.RESULT_CLEARED,
                where,
                ("result:c1",),
                order=1,
                actor="window",
                reason="old",
                score=0.31,
                explicit=True,
                stubs={"result:c1": "[cleared]"},
            ),
        ),
        (Span("result:c2", Kind.RESULT, "none", where, "c2", None, True),),
        {"search": ToolSchema("search"), "refund": ToolSchema("refund", deferred=True)},
        (
            Span("reasoning:1", Kind.REASONING, "hm", where),
            Span("assistant:2", Kind.ASSISTANT, "Done.", where),
        ),
        (ToolCall("c3", "search", {"q": 1}, where),),
        complete=False,
        error="overloaded",
        prompt_tokens=812,
        gaps=(Gap(Aspect.RESULTS, Extent.NONE, "not logged"),),
        restored=("u0",),
        withdrawn=("u1",),
    )


def test_what_may_be_left_out(log: Path) -> None:
    turns, problems = read(
        log,
        {"add": ["Hello."], "calls": [{"id": "c1", "tool": "ls"}]},
        {"add": [{"kind": "result", "call": "c1", "text": "a b"}], "reply": ["Two files."]},
        {"session": "other", "add": [{"text": "Hi."}]},
        {"add": [{"kind": "call", "id": "c9", "tool": "cat", "arguments": {"f": 1}}]},
        {"final": True, "add": [{"kind": "summary", "text": "So far."}]},
    )
    assert problems == []
    assert [(t.where.session, t.where.turn) for t in turns] == [
        ("", 1),
        ("", 2),
        ("other", 1),
        ("", 3),
        ("", 3),
    ]
    (hello,), (result,), (hi,), (history,), (summary,) = (t.added for t in turns)
    assert (hello.kind, hello.text, hi.kind) == (Kind.USER, "Hello.", Kind.USER)
    assert (result.id, result.tool) == ("result:c1", "ls")
    assert (history.call, history.text) == ("c9", 'cat {"f":1}')
    assert turns[0].calls[0].arguments == {}
    assert turns[1].reply[0].kind is Kind.ASSISTANT
    assert turns[4].final
    assert summary.kind is Kind.SUMMARY
    assert all(t.tools is None and t.complete for t in turns)


def test_tools_stay_until_told_otherwise(log: Path) -> None:
    turns, _ = read(
        log,
        {"session": "a", "tools": ["x"], "tools_complete": False},
        {"session": "b", "add": ["-"]},
        {"session": "a"},
        {"session": "a", "tools": None},
        {"session": "a", "tools": []},
        {"session": "a", "tools": ["y", {"nome": "z"}]},
        {"session": "a"},
        {"session": "a", "tools": ["y"]},
        {"session": "a", "tools": ["x"], "add": 1},
        {"session": "a"},
    )
    told = [
        (t.where.session, None if t.tools is None else list(t.tools), t.complete) for t in turns
    ]
    assert told == [
        ("a", ["x"], False),
        ("b", None, True),
        ("a", ["x"], False),
        ("a", None, True),
        ("a", [], True),
        ("a", None, True),  # a damaged line leaves the tools unknown, not as they were
        ("a", ["y"], True),
        ("a", None, True),
    ]
    assert turns[0].tools is turns[2].tools
    assert [t.where.turn for t in turns if t.where.session == "a"] == [1, 2, 3, 4, 6, 7, 9]


def test_the_page_tells_the_truth(log: Path) -> None:
    page = (ROOT / "docs" / "native-format.md").read_text()
    log.write_text(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0])
    (report,) = audit([Input(str(log))])
    assert report.problems == []
    assert [f.rule for f in report.findings] == ["GT101", "GT102", "GT103"]
    table = page.split("## A line")[1].split("**Spans**")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == LINE.keys()
    assert all(f"`{kind}`" in page for kind in DecisionKind)


# -- what is refused ----------------------------------------------------------------------------

DAMAGED = [
    (7, "`the line` holds an integer where an object belongs"),
    ({"ctxaudit": 2, "add": []}, "`ctxaudit` is 2; this reads version 1"),
    ({"call": []}, "`call` is no field of the native format"),
    ({"session": 4}, "`session` is an integer, not a string"),
    ({"turn": "3"}, "`turn` is a string, not an integer"),
    ({"turn": True}, "`turn` is a boolean, not an integer"),
    ({"turn": -1}, "`turn` is negative"),
    ({"final": 1}, "`final` is an integer, not a boolean"),
    ({"add": {}}, "`add` is an object, not an array"),
    ({"add": None}, "`add` is null, not an array"),
    ({"add": [None]}, "`add` holds null where an object belongs"),
    ({"add": [{"kind": "usr", "text": ""}]}, "`add.kind` is 'usr', none of system, user, "),
    ({"add": [{"kind": "user"}]}, "`add.text` is missing"),
    ({"add": [{"kind": "user", "text": None}]}, "`add.text` is null, not a string"),
    ({"add": [{"kind": "user", "text": "", "id": 3}]}, "`add.id` is an integer, not a string"),
    ({"add": [{"text": "", "failed": "no"}]}, "`add.failed` is a string, not a boolean or null"),
    ({"reply": [{"txt": "-"}]}, "`reply.txt` is no field"),
    ({"calls": ["c1"]}, "`calls` holds a string where an object belongs"),
    ({"calls": [{"id": "c1"}]}, "`calls.tool` is missing"),
    ({"tools": {"x": {}}}, "`tools` is an object, not an array or null"),
    ({"tools": [{"parameters": {}}]}, "`tools.name` is missing"),
    ({"tools": [{"name": "x", "parameters": "{}"}]}, "`tools.parameters` is a string, not an ob"),
    ({"tools_complete": None}, "`tools_complete` is null, not a boolean"),
    ({"decisions": [{}]}, "`decisions.kind` is missing"),
    ({"decisions": [{"kind": "pruned"}]}, "`decisions.kind` is 'pruned', none of schema-pruned, "),
    ({"decisions": [{"kind": "unrecorded", "spans": "c1"}]}, "`decisions.spans` is a string, not "),
    ({"decisions": [{"kind": "unrecorded", "tools": [1]}]}, "`decisions.tools` does not hold str"),
    ({"decisions": [{"kind": "unrecorded", "score": "1"}]}, "`decisions.score` is a string, not "),
    ({"decisions": [{"kind": "unrecorded", "stubs": {"a": 1}}]}, "`decisions.stubs` does not ho"),
    ({"gaps": [{"aspect": "tools", "extent": "none"}]}, "`gaps.aspect` is 'tools', none of sch"),
    ({"gaps": [{"aspect": "results", "extent": "some"}]}, "`gaps.extent` is 'some', none of none"),
    ({"gaps": [{"aspect": "results"}]}, "`gaps.extent` is missing"),
    ({"restored": [1]}, "`restored` does not hold strings"),
    ({"withdrawn": "u1"}, "`withdrawn` is a string, not an array"),
    ({"error": 500}, "`error` is an integer, not a string or null"),
    ({"prompt_tokens": 1.5}, "`prompt_tokens` is a number, not an integer or null"),
]


@pytest.mark.parametrize(("line", "message"), DAMAGED, ids=lambda value: str(value)[:40])
def test_damage_names_the_field(log: Path, line: Any, message: str) -> None:
    turns, problems = read(log, {"add": ["-"]}, line, {"add": ["-"]})
    assert [t.where.line for t in turns] == [1, 3]
    ((where, told),) = [(p.line, p.message) for p in problems]
    assert where == 2
    assert message in told
    assert not CONTRACT.is_valid(line), "the schema must refuse what the reader refuses"


def test_damage_in_a_known_format_is_no_unknown_format(log: Path) -> None:
    read(log, {"ctxaudit": 1, "add": ["-"]}, {"ad": []}, {"ad": []})
    (report,) = audit([Input(str(log))])
    assert report.format == "native"
    assert [p.line for p in report.problems] == [2, 3]


RECOGNISED = [
    [{"ctxaudit": 1}],
    [{"session": "s", "turn": 1, "tools": []}],
    [{"add": []}, {"add": []}, {"ad": []}],
    [{"turn": 1, "add": []}, {"turn": 2, "prompt_tokens": 3}, {"turn": 3, "calls": []}],
]
FOREIGN = [
    [],
    [[]],
    ["add"],
    [{"session": "s", "turn": 1}],
    [{"session": "s", "error": "x"}],
    [{"messages": [], "tools": []}],
    [{"session": "s", "request": {}, "response": {}}],
    [{"add": []}, {"uuid": "x"}, {"uuid": "y"}],
]


@pytest.mark.parametrize("head", RECOGNISED, ids=str)
def test_recognised(head: list[Any]) -> None:
    assert native.recognises(head)


@pytest.mark.parametrize("head", FOREIGN, ids=str)
def test_not_recognised(head: list[Any]) -> None:
    assert not native.recognises(head)


# -- round trips --------------------------------------------------------------------------------

text = st.text(max_size=12)
maybe_text = st.none() | text
scalars = st.none() | st.booleans() | text | st.integers(-(2**63), 2**63 - 1)
values = st.recursive(
    scalars | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
objects = st.none() | st.dictionaries(text, values, max_size=3)


def tuples(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=3).map(tuple)


def parts(where: Location) -> dict[str, st.SearchStrategy[Any]]:
    """Strategies for the fields of a turn at a place."""
    here = st.just(where)
    spans = st.builds(
        Span,
        id=text,
        kind=st.sampled_from(Kind),
        text=text,
        where=here,
        call=maybe_text,
        tool=maybe_text,
        failed=st.none() | st.booleans(),
        arguments=values,
    )
    decisions = st.builds(
        PruningDecision,
        kind=st.sampled_from(DecisionKind),
        where=here,
        spans=tuples(text),
        tools=tuples(text),
        order=st.integers(0, 3),
        actor=maybe_text,
        reason=maybe_text,
        score=st.none() | st.floats(0, 1),
        explicit=st.booleans(),
        exact=st.booleans(),
        opaque=st.booleans(),
        external=st.booleans(),
        stubs=st.dictionaries(text, text, max_size=2),
    )
    tools = st.builds(ToolSchema, text, objects, text, st.booleans(), objects)
    gaps = st.builds(Gap, st.sampled_from(Aspect), st.sampled_from(Extent), text)
    return {
        "where": here,
        "decisions": tuples(decisions),
        "added": tuples(spans),
        "tools": st.none() | st.lists(tools, max_size=2).map(lambda ts: {t.name: t for t in ts}),
        "reply": tuples(spans),
        "calls": tuples(st.builds(ToolCall, text, text, values, here)),
        "complete": st.booleans(),
        "final": st.booleans(),
        "error": maybe_text,
        "prompt_tokens": st.none() | st.integers(0, 10**7),
        "gaps": tuples(gaps),
        "restored": tuples(text),
        "withdrawn": tuples(text),
    }


@st.composite
def logs(draw: st.DrawFn, path: str) -> list[Turn]:
    turns: list[Turn] = []
    for line in range(1, draw(st.integers(1, 4)) + 1):
        session, count = draw(st.sampled_from(["", "s", "t"])), draw(st.integers(0, 5))
        turn = draw(st.builds(Turn, **parts(Location(path, line, session, count))))
        turns.append(turn)
    return turns


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_turns_come_back_whole(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.native.jsonl"
    turns = data.draw(logs(str(path)))
    path.write_bytes(b"".join(dump(turns)))
    assert all(CONTRACT.is_valid(orjson.loads(line)) for line in path.read_bytes().splitlines())
    opened, adapter = open_log(str(path))
    assert adapter.NAME == native.NAME
    assert list(adapter.read(Source((opened,)))) == turns
    assert opened.problems == []


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", ["half a pair: \ud800", 2**70, deep(300)], ids=["text", "number", "depth"]
)
def test_values_that_orjson_does_not_write(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    where = Location(str(path), 1, "s", 1)
    turn = Turn(where, calls=(ToolCall("c1", "put", {"value": value}, where),))
    path.write_bytes(b"".join(dump([turn])))
    source = Source((Log(str(path)),))
    (back,) = native.read(source)
    assert back.calls[0].arguments == {"value": value}
    assert source.logs[0].problems == []


def test_tools_are_written_when_they_change() -> None:
    where = Location("x", 0, "s", 1)
    offer = {"a": ToolSchema("a", {"type": "object"})}
    turns = [
        Turn(where, tools=offer),
        Turn(where, tools=dict(offer)),
        Turn(where, tools=offer, complete=False),
        Turn(where, tools={}),
        Turn(where),
    ]
    lines = [orjson.loads(line) for line in dump(turns)]
    assert [line.get("tools", "-") for line in lines] == [
        [{"name": "a", "parameters": {"type": "object"}}],
        "-",
        [{"name": "a", "parameters": {"type": "object"}}],
        [],
        None,
    ]
    assert [line.get("ctxaudit") for line in lines] == [1, None, None, None, None]
    assert not any("source" in line for line in lines)


def told(path: Path) -> list[tuple[Any, ...]]:
    """What a scan finds, apart from lines and words."""
    (report,) = audit([Input(str(path))])
    assert report.problems == []
    return [
        (
            n.id,
            n.incident,
            n.finding.rule,
            (n.finding.where.session, n.finding.where.turn),
            (n.finding.severity, n.finding.confidence),
            (n.finding.tool, n.finding.handle),
            n.finding.cause
            and (n.finding.cause.kind, n.finding.cause.where.turn, n.finding.cause.explicit),
        )
        for n in number(report.findings)
    ]


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("demo/*.jsonl")), ids=lambda p: p.name)
def test_a_converted_log_scans_as_the_original(path: Path, tmp_path: Path) -> None:
    opened, adapter = open_log(str(path))
    converted = tmp_path / "converted.native.jsonl"
    converted.write_bytes(b"".join(dump(adapter.read(Source((opened,))))))
    assert told(converted) == told(path)
