"""Lines that repeat lines before: whatever they hold, they are parsed as if each stood alone."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxaudit.repeats import SHORT, Parser

PAD = "x" * SHORT
TRICKY = [
    '"messages": [',
    '], "tools": [',
    "]",
    ",",
    '"]}, "response": {"',
    "\\",
    "ü",
    '{"messages": []}',
]
texts = st.one_of(st.sampled_from(TRICKY), st.text(max_size=6))
values = st.recursive(
    st.one_of(texts, st.integers(-5, 5), st.none(), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["messages", "tools", "input"]), texts), inner, max_size=3
        ),
    ),
    max_leaves=6,
)
Line = dict[str, Any]


@st.composite
def line(draw: st.DrawFn, messages: list[Any]) -> Line:
    """A request around some messages, in one of several layouts."""
    body: Line = {"model": "m", "messages": messages}
    if draw(st.booleans()):
        body["tools"] = draw(st.sampled_from([[], [1], [{"name": "a", "messages": []}], [[["]"]]]]))
    if draw(st.booleans()):
        body["extra"] = draw(values)
    layout = draw(st.integers(0, 3))
    if layout == 0:
        return {"request": body, "response": draw(values)}
    if layout == 1:
        return {
            "time": draw(st.integers(0, 9)),
            "request": {"body": body},
            "messages_too": draw(values),
        }
    if layout == 2:
        return {**body, "response": draw(values), "meta": draw(values)}
    return {"meta": draw(values), "request": body}


@st.composite
def logs(draw: st.DrawFn) -> list[Line]:
    """Conversations that grow, are cut and interleave."""
    running: list[list[Any]] = [[PAD], [PAD, "other"]]
    made = []
    for _ in range(draw(st.integers(2, 12))):
        messages = running[draw(st.integers(0, 1))]
        if draw(st.integers(0, 5)) == 0:
            del messages[-1:]
        messages += draw(st.lists(values, max_size=2))
        made.append(draw(line([*messages])))
    return made


@settings(max_examples=300, deadline=None)
@given(log=logs(), spaced=st.booleans())
def test_the_same_as_alone(log: list[Line], spaced: bool) -> None:
    parser = Parser()
    for item in log:
        raw = orjson.dumps(item)
        if spaced:
            raw = raw.replace(b'":', b'": ').replace(b"},{", b"}, {")
        try:
            alone = orjson.loads(raw)
        except orjson.JSONDecodeError:
            with pytest.raises(orjson.JSONDecodeError):
                parser.loads(raw)
        else:
            assert parser.loads(raw) == alone


def grown(turns: int) -> list[bytes]:
    """Lines of a conversation that grows by a message a line."""
    tools = [{"name": "a"}, {"name": "b"}]
    return [
        orjson.dumps(
            {"request": {"messages": [PAD, *range(n)], "tools": tools}, "response": {"n": n}}
        )
        for n in range(1, turns)
    ]


def test_what_is_repeated_is_the_same_object() -> None:
    parser = Parser()
    one, two, three = (parser.loads(raw)["request"] for raw in grown(4))
    assert all(a is b for a, b in zip(two["messages"], three["messages"], strict=False))
    assert one["messages"][0] is three["messages"][0]
    assert one["tools"] is three["tools"]
    assert three["messages"] == [PAD, 0, 1, 2]


def test_a_damaged_line_is_told_and_does_no_harm() -> None:
    parser = Parser()
    first, second, third = grown(4)
    parser.loads(first)
    for broken in (second[:-1], second.replace(b"]", b"", 1), second + b"}"):
        with pytest.raises(orjson.JSONDecodeError):
            parser.loads(broken)
    assert parser.loads(third) == orjson.loads(third)


def test_a_log_without_repetition_is_left_alone() -> None:
    parser = Parser()
    for n in range(100):
        parser.loads(orjson.dumps({"messages": [f"{n}{PAD}"]}))
    assert parser.misses < 100
