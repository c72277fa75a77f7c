"""Request logs: every fixture with the decisions that must be inferred from it."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from ctxaudit.adapters import requests
from ctxaudit.adapters.envelopes import opened
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, Turn

FIXTURES = Path(__file__).parent.parent / "fixtures" / "adapters" / "requests"
SUMMARY = "span-summarized"
EVICTED = "span-evicted"

#: Fixture, and (session, turn, kind, call and result spans or tools) of each decision.
PRUNED = {
    "sliding_window": [
        ("s1", 4, EVICTED, ("c1", "result:c1")),
        ("s1", 5, EVICTED, ("c2", "result:c2")),
    ],
    "clearing": [("s1", 4, "result-cleared", ("result:c1",))],
    "clearing_inputs": [
        ("s1", 4, "arguments-evicted", ("c1",)),
        ("s1", 4, "result-cleared", ("result:c1",)),
    ],
    "compaction": [("s1", 4, SUMMARY, ("c1", "result:c1", "c2", "result:c2"))],
    "compaction_in_other_words": [("s1", 4, SUMMARY, ("c1", "result:c1"))],
    "severed": [("s1", 3, SUMMARY, ("c1", "result:c1", "c2"))],
    "reused_ids": [
        ("s1", 5, EVICTED, ("functions.find_plot:0#2", "result:functions.find_plot:0#2"))
    ],
    "restored": [("s1", 4, EVICTED, ("c1", "result:c1"))],
    "equal_texts": [("s1", 5, EVICTED, ())],
    "gemini": [
        ("s1", 4, EVICTED, ("find_plot:4eb16fc5d8e6", "find_plot:e60d2056cea5")),
    ],
    "anthropic_edits": [
        ("s1", 3, "arguments-evicted", ("t1",)),
        ("s1", 3, "result-cleared", ("result:t1",)),
    ],
    "anthropic_compaction": [
        ("s1", 3, SUMMARY, ("t1", "result:t1", "t2")),
        ("s1", 5, SUMMARY, ("t3", "result:t3")),
    ],
    "anthropic_deferred": [
        ("s1", 4, "schema-pruned", ("note_visit",)),
        ("s1", 5, SUMMARY, ("srv1", "result:srv1", "t1", "result:t1")),
    ],
    "responses_items": [
        (
            "s1",
            4,
            SUMMARY,
            (
                "tool_search:aa0f37f752a1",
                "result:tool_search:aa0f37f752a1",
                *("f1", "result:f1", "ws_1", "result:ws_1", "p1", "result:p1"),
            ),
        )
    ],
}
#: Fixtures in which nothing was pruned, and the number of turns of each conversation.
WHOLE = {
    "extension": {"s1": 5},
    "retries": {"s1": 2},
    "rewind": {"s1": 6},
    "dated_system": {"s1": 4},
    "reordered": {"s1": 3},
    "regenerated_ids": {"s1": 4},
    "two_agents": {"s1": 3, "s1/agent-2": 2},
    "agent_hints": {"s1": 2, "s1/helper": 1},
    "no_session_ids": {"conversation-1": 3, "conversation-2": 3, "conversation-3": 3},
    "bare_chat": {"conversation-1": 4},
    "functions_of_old": {"s1": 2},
    "title_call": {"s1": 2, "s1/agent-2": 1},
    "anthropic": {"s1": 3},
    "streamed": {"a": 1, "b": 1, "c": 1, "d": 1},
    "responses_chain": {"s1": 5},
    "responses_conversation": {"s1": 3},
    "redacted": {"s1": 3},
    "mixed": {"s1": 2},
}


def read(name: str) -> list[Turn]:
    return list(requests.read(Source((Log(str(FIXTURES / f"{name}.jsonl")),))))


def told(turns: list[Turn]) -> list[tuple[str, int, str, tuple[str, ...]]]:
    """Decisions without the spans of texts, whose ids are digests."""
    texts = ("user:", "assistant:", "system:", "reasoning:")
    return [
        (
            turn.where.session,
            turn.where.turn,
            decision.kind.value,
            tuple(s for s in decision.spans if not s.startswith(texts)) or decision.tools,
        )
        for turn in turns
        for decision in turn.decisions
    ]


@pytest.mark.parametrize("name", PRUNED)
def test_pruned(name):
    assert told(read(name)) == PRUNED[name]


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_pruned(name):
    turns = read(name)
    assert told(turns) == []
    last = {turn.where.session: turn.where.turn for turn in turns}
    assert last == WHOLE[name]


def test_every_fixture_is_tested():
    assert {path.stem for path in FIXTURES.glob("*.jsonl")} == {*PRUNED, *WHOLE}


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_recognised(path):
    assert requests.recognises(Log(str(path)).head())


FOREIGN = {
    "claude code": {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user"}},
    "codex": {"timestamp": "t", "type": "response_item", "payload": {"type": "message"}},
    "otlp": {"resourceSpans": [{"scopeSpans": []}]},
    "openinference": {"name": "llm", "context": {}, "attributes": {"llm.model_name": "m"}},
    "langsmith": {"run_type": "llm", "inputs": {"messages": [[]]}, "outputs": {}},
    "fine-tuning data": {"messages": [{"role": "user"}, {"role": "assistant", "content": "hi"}]},
    "a session file": {"version": 1, "messages": [{"role": "user", "content": "hi"}]},
    "a message": {"role": "user", "content": "hi"},
    "embeddings": {"model": "text-embedding-x", "input": "hi"},
    "a list of texts": {"model": "m", "input": ["a", "b"]},
    "an http request": {"request": {"method": "GET", "url": "/"}, "response": {"status": 200}},
    "cut json": {"request": '{"messages": [', "response": None},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_not_recognised(name):
    assert not requests.recognises([FOREIGN[name], "text", None, 3])


def test_answers_of_bare_requests_belong_to_the_turn_that_asked():
    turns = read("bare_chat")
    assert [[call.id for call in turn.calls] for turn in turns] == [["c1"], ["c2"], [], []]
    assert turns[2].reply[0].text == "Ines has it; the visit is noted."
    assert [span.id for span in turns[1].added] == ["result:c1"]


def test_a_retry_is_the_same_turn_and_a_call_logged_twice_is_one():
    first, second, third = read("retries")
    assert (first.error, first.where.turn, second.where.turn) == ("529 overloaded", 1, 1)
    assert [call.id for call in second.calls] == ["c1"]
    assert third.where.turn == 2


def test_damaged_lines_are_told_and_the_others_go_on():
    log = Log(str(FIXTURES / "mixed.jsonl"))
    turns = list(requests.read(Source((log,))))
    assert [problem.line for problem in log.problems] == [3, 4, 8]
    assert [turn.where.line for turn in turns] == [2, 7]


def test_blocks_of_one_message_are_spans_of_their_own():
    _, second, third = read("anthropic")
    assert [span.text for span in second.added] == ["P-17\nInes", "<note>be brief</note>"]
    assert third.added[0].failed is True
    assert third.added[0].tool == "find_plot"
    assert second.prompt_tokens == 28


def test_server_side_edits_are_explicit_and_stay():
    turns = read("anthropic_edits")
    assert all(d.explicit and not d.exact for d in turns[2].decisions)
    assert turns[2].decisions[1].actor == "anthropic context_management"
    assert turns[3].decisions == ()


def test_a_sealed_summary_makes_the_decision_opaque():
    for name, n in (("anthropic_compaction", 4), ("responses_items", 3)):
        turn = read(name)[n]
        assert turn.decisions[0].opaque
        assert turn.gaps[0].aspect is Aspect.SUMMARIES
    assert not read("anthropic_compaction")[2].decisions[0].opaque


def test_deferred_tools_are_resident_from_their_load_on():
    deferred = [
        sorted(t.name for t in (turn.tools or {}).values() if t.deferred)
        for turn in read("anthropic_deferred")
    ]
    assert deferred == [["note_visit"], ["note_visit"], [], [], ["find_plot", "note_visit"]]
    assert "note_visit" not in (read("anthropic_deferred")[3].tools or {})
    loaded = read("anthropic_deferred")[1].tools
    assert loaded is not None
    assert loaded["find_plot"].parameters is not None


def test_a_restored_span_is_told():
    assert set(read("restored")[4].restored) >= {"c1", "result:c1"}


def test_unknown_responses_leave_a_gap():
    assert [bool(turn.gaps) for turn in read("responses_chain")] == [False] * 3 + [True] * 2


def test_streams_are_put_together():
    assert [turn.calls[0].arguments for turn in read("streamed")] == [{"holder": "well"}] * 4


@pytest.mark.parametrize("where", ["request", "response"])
def test_deep_nesting_breaks_nothing(where, tmp_path):
    deep = '{"content": [' * 450 + '"x"' + "]}" * 450
    told = {"request": '"hi"', "response": '"hi"', where: deep}
    path = tmp_path / "log.jsonl"
    path.write_text(
        f'{{"request": {{"messages": [{{"role": "user", "content": {told["request"]}}}]}}, '
        f'"response": {{"choices": [{{"message": {{"role": "assistant", '
        f'"content": {told["response"]}}}}}]}}}}\n'
    )
    log = Log(str(path))
    requests.recognises(log.head())
    assert len(list(requests.read(Source((log,))))) + len(log.problems) == 1


SESSIONS = [
    ({"session_id": "a", "trace_id": "t"}, {}, "a"),
    ({"metadata": {"session_id": "a"}}, {}, "a"),
    ({}, {"metadata": {"thread_id": 7}}, "7"),
    ({"session": {"id": "a"}}, {}, "a"),
    ({"trace_id": "t"}, {}, "t"),
    ({}, {"metadata": {"user_id": "user_0_account__session_0a1b2c3d-9"}}, "0a1b2c3d-9"),
    ({}, {"metadata": {"user_id": '{"device_id": "d", "session_id": "a"}'}}, "a"),
    ({}, {"metadata": {"user_id": "somebody"}}, None),
    ({}, {}, None),
]


@pytest.mark.parametrize(("outer", "body", "session"), SESSIONS)
def test_session(outer, body, session):
    exchange = opened({**outer, "request": {"messages": [], **body}})
    assert exchange is not None
    assert exchange.session == session


ERRORS = [
    ({"error": {"status": 400, "message": "bad"}}, "400 bad"),
    ({"error": "bad"}, "bad"),
    ({"response": {"status_code": 400, "body": {"error": {"message": "bad"}}}}, "bad"),
    ({"response": {"type": "error", "error": {"type": "x", "message": "bad"}}}, "bad"),
    ({"response": {"status": 500, "body": "oops"}}, "500 oops"),
    ({"response": {"status": 200, "body": {"choices": []}}}, None),
]


@pytest.mark.parametrize(("outer", "error"), ERRORS)
def test_error(outer, error):
    exchange = opened({"request": {"messages": []}, **outer})
    assert exchange is not None
    assert exchange.error == error


SHAPES = [
    {"request": {"messages": [{"role": "user", "content": "hi"}]}, "response": None},
    {"request": {"body": '{"messages": [{"role": "user", "content": "hi"}]}'}},
    {"input": {"messages": [{"role": "user", "content": "hi"}]}, "output": {"content": "yo"}},
    {"input": [{"role": "user", "content": "hi"}], "output": {"role": "assistant"}},
    {"messages": [{"role": "user", "content": "hi"}], "response": {"choices": []}},
    {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
    {"model": "m", "input": "hi"},
    {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]},
    {"contents": "hi"},
    {"contents": [{"parts": [{"text": "hi"}]}]},
    {"model": "m", "contents": {"role": "user", "parts": {"text": "hi"}}},
]


@pytest.mark.parametrize("data", SHAPES)
def test_shape(data, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(orjson.dumps(data) + b"\n")
    (turn,) = requests.read(Source((Log(str(path)),)))
    assert [(span.kind.value, span.text) for span in turn.added] == [("user", "hi")]
