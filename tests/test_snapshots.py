"""The differ: what is cut out of a prompt is named, what is not is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxaudit.model import Kind, Turn
from ctxaudit.snapshots import Piece, Snapshot, turns

Item = tuple[str, ...]
SYSTEM: Item = ("system", "You help.")


def pieces(item: Any) -> list[Piece]:
    kind, *rest = item
    if kind == "call":
        return [Piece(Kind.CALL, f"f {rest[1]}", rest[0] or None, "f", None, {"x": rest[1]})]
    if kind == "result":
        return [Piece(Kind.RESULT, rest[1], rest[0] or None, "f")]
    return [Piece(Kind(kind), rest[0])]


def snapshot(
    line: int, items: list[Item], reply: list[Item] | None = None, **more: Any
) -> Snapshot:
    answer = None if reply is None else [p for item in reply for p in pieces(item)]
    fields: dict[str, Any] = {"session": "s", "reply": answer, **more}
    return Snapshot("log", line, items=items, pieces=pieces, schemas=lambda raw: {}, **fields)


def whole(path: str, line: int, error: Exception) -> None:
    """No snapshot is damaged but where one is meant to be."""
    raise error


def play(*prompts: tuple[list[Item], list[Item]], **more: Any) -> list[Turn]:
    return list(turns((snapshot(n, *prompt, **more) for n, prompt in enumerate(prompts, 1)), whole))


@st.composite
def conversations(draw: st.DrawFn) -> list[list[Item]]:
    """Rounds of user text, or of results, and the answer to each; texts may repeat."""
    words = st.sampled_from(["ok", "go on", "P-17", "what now"])
    named = draw(st.booleans())
    rounds: list[list[Item]] = []
    asked: list[str] = []
    for n in range(draw(st.integers(2, 8))):
        given_: list[Item] = [("result", i, draw(words)) for i in asked]
        given_ = given_ or [("user", draw(words))]
        count = draw(st.integers(0, 2 if named else 1))
        asked = [f"c{n}.{k}" if named else "" for k in range(count)]
        # Calls without an id are told apart by what they ask.
        answer: list[Item] = [("call", i, f"{n}.{k}") for k, i in enumerate(asked)]
        rounds.append([*given_, *(answer or [("assistant", draw(words))])])
    return rounds


def prompts(rounds: list[list[Item]]) -> list[tuple[list[Item], list[Item]]]:
    written = ("call", "assistant")
    out = []
    before: list[Item] = [SYSTEM]
    for items in rounds:
        before = [*before, *(i for i in items if i[0] not in written)]
        reply = [i for i in items if i[0] in written]
        out.append((before, reply))
        before = [*before, *reply]
    return out


@given(conversations())
def test_a_log_that_only_grows_yields_no_decision(rounds):
    for turn in play(*prompts(rounds)):
        assert turn.decisions == ()
        assert turn.withdrawn == ()


@given(conversations())
def test_answers_are_found_in_the_next_prompt(rounds):
    told = prompts(rounds)
    bare = list(turns((snapshot(n, items, None) for n, (items, _) in enumerate(told, 1)), whole))
    full = play(*told)
    for one, other in zip(bare[:-1], full[:-1], strict=True):
        assert [c.arguments for c in one.calls] == [c.arguments for c in other.calls]
        assert [s.id for s in one.added] == [s.id for s in other.added]
        assert one.where == other.where


@given(conversations(), st.data())
def test_what_is_cut_out_is_what_is_named(rounds, data):
    told = prompts(rounds)
    whole = [*told[-1][0], *told[-1][1]]
    old = whole[1:]
    cut = data.draw(st.sets(st.integers(0, len(told[-1][0]) - 2)))
    left = [SYSTEM, *(item for n, item in enumerate(old) if n not in cut)]
    assume(left != whole[: len(left)])  # the end alone was cut off: that is how one goes back
    turn = play(*told, ([*left, ("user", "and something new")], []))[-1]
    texts = {s.id: s.text for t in play(*told) for s in (*t.added, *t.reply)}
    texts |= {c.id: c.span().text for t in play(*told) for c in t.calls}
    gone = [texts[span] for decision in turn.decisions for span in decision.spans]
    assert turn.where.turn == len(told) + 1
    assert sorted(gone) == sorted(_text(pieces(old[n])[0]) for n in cut)
    assert [span.text for span in turn.added] == ["and something new"]


def _text(piece: Piece) -> str:
    """A call's span tells its arguments as JSON."""
    return f'f {{"x":"{piece.arguments["x"]}"}}' if piece.kind is Kind.CALL else piece.text


U: Item = ("user", "Whose plot is it?")
A: Item = ("call", "c1", "well")
R: Item = ("result", "c1", "P-17 belongs to Ines since May")
D: Item = ("assistant", "It is the plot of Ines.")
Q: Item = ("user", "And the next one?")
LONG: Item = ("user", "This is what was found so far: P-17 belongs to Ines.")

#: What became of the results of the third prompt, by how the fourth tells it.
CASES = [
    ([SYSTEM, U, A, R, D, Q], []),
    ([SYSTEM, A, R, D, Q], ["span-evicted"]),
    ([SYSTEM, LONG, A, R, D, Q], ["span-summarized"]),
    ([SYSTEM, U, A, ("result", "c1", "P-17"), D, Q], ["result-cleared"]),
    ([SYSTEM, U, A, ("result", "c1", "[cleared]"), D, Q], ["result-cleared"]),
    ([SYSTEM, U, A, ("result", "c1", "P-17  belongs to Ines\nsince May"), D, Q], []),
    ([SYSTEM, U, ("call", "c1", ""), R, D, Q], ["arguments-evicted"]),
    ([SYSTEM, U, A, D, Q], ["span-evicted"]),
    ([SYSTEM, U, R, D, Q], ["span-evicted"]),
    ([SYSTEM, U, A, R, ("assistant", "It is Ines's plot."), Q], []),
    ([("system", "You help. It is Monday."), U, A, R, D, Q], []),
    ([("system", "You help. It is Monday."), A, R, D, Q], ["span-evicted"]),
    ([SYSTEM, U], []),
    ([SYSTEM, U, A, R, D, Q, U], []),
]


@pytest.mark.parametrize(("items", "kinds"), CASES)
def test_kinds(items, kinds):
    turn = play(([SYSTEM, U], [A]), ([SYSTEM, U, A, R], [D]), (items, []))[-1]
    assert turn.where.session == "s"
    assert [decision.kind.value for decision in turn.decisions] == kinds


def test_a_cut_record_proves_nothing():
    first = snapshot(1, [SYSTEM, U], [A])
    cut = snapshot(2, [SYSTEM, ("result", "c1", "P-17")], [D], partial=True)
    last = snapshot(3, [SYSTEM, U, A, ("result", "c1", "P-17"), D, Q], [])
    assert [turn.decisions for turn in turns([first, cut, last], whole)] == [(), (), ()]


def test_going_back_to_an_abandoned_branch_prunes_nothing():
    one, two = [SYSTEM, U, D, Q], [SYSTEM, U, D, ("user", "Or the last one?")]
    found = play((one, [A]), (two, [D]), ([*one, A, R], [D]), ([*two, D, Q], []))
    assert [turn.decisions for turn in found] == [()] * 4
    assert {turn.where.session for turn in found} == {"s"}


def test_a_shortened_result_that_is_whole_again_is_restored():
    short = [SYSTEM, U, A, ("result", "c1", "[cleared]"), D, Q]
    found = play(([SYSTEM, U, A, R], [D]), (short, [D]), ([SYSTEM, U, A, R, D, Q, D, U], []))
    assert found[2].restored == ("result:c1",)
    assert found[2].decisions == ()


def test_an_announced_result_that_comes_later_takes_its_place():
    soon: Item = ("result", "c1", "running")
    turn = play(([SYSTEM, U, A, soon], [D]), ([SYSTEM, U, A, R, D, Q], []))[-1]
    assert turn.withdrawn == ("result:c1",)
    assert turn.added[0].id == "result:c1"


def test_a_wrong_item_is_told_and_leaves_the_conversation_as_it_was():
    told: list[tuple[int, str]] = []
    snapshots = [
        snapshot(1, [SYSTEM, U], [A]),
        snapshot(2, [SYSTEM, U, A, ("no such kind", "x")], []),
        snapshot(3, [SYSTEM, U, A, R], [D]),
    ]
    found = list(turns(snapshots, lambda path, line, reason: told.append((line, reason))))
    assert [turn.where.turn for turn in found] == [1, 2]
    assert [line for line, _ in told] == [2]


def test_without_a_session_id_equal_beginnings_are_conversations_of_their_own():
    greeting = [SYSTEM, ("user", "hello")]
    told = [
        (greeting, [("assistant", "hi")]),
        (greeting, [("assistant", "hi")]),
        ([*greeting, ("assistant", "hi"), U], [D]),
        ([*greeting, ("assistant", "hi"), Q], [D]),
    ]
    found = play(*told, session=None)
    assert [turn.where.turn for turn in found] == [1, 1, 2, 2]
    assert not any(turn.decisions for turn in found)


def test_many_conversations_without_a_session_id_are_found_again():
    def prompt(n: int, turn: int) -> list[Item]:
        talk = [("user" if k % 2 else "assistant", f"{n} says {k}") for k in range(1, 2 * turn)]
        return [SYSTEM, *talk]

    told = [
        (prompt(n, t), [("assistant", f"{n} says {2 * t}")]) for t in (1, 2, 3) for n in range(99)
    ]
    found = play(*told, session=None)
    assert len({turn.where.session for turn in found}) == 99
    assert not any(turn.decisions for turn in found)
    assert max(turn.where.turn for turn in found) == 3
