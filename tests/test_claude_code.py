"""Claude Code sessions: every fixture with its turns and with what was pruned before them."""

from __future__ import annotations

import csv
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson
import pytest
from conftest import FIXTURES, resident

from ctxaudit.adapters import claude_code, claude_stream, detect
from ctxaudit.audit import audit, expand
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Turn

FOLDER = FIXTURES / "adapters" / "claude_code"
STREAM = FIXTURES / "adapters" / "claude_stream" / "run.jsonl"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))

#: Fixture, and (session, turn, line, calls) of each turn, session by session.
TURNS = {
    "again": [("s1", 1, 2, ["t1"]), ("s1", 2, 6, []), ("s1", 3, 11, [])],
    "between": [("s1", 1, 2, ["t1", "t2"]), ("s1", 2, 4, ["t3"]), ("s1", 3, 8, [])],
    "compaction": [("s1", 1, 2, ["t1"]), ("s1", 2, 4, ["t2"]), ("s1", 3, 8, ["t3"])],
    "damaged": [("s1", 1, 2, ["t1"]), ("s1", 2, 18, [])],
    "lanes": [
        *(("s1", 1, 2, ["t1", "t2"]), ("s1", 2, 13, [])),
        *(("s1/agent-1", 1, 5, ["t3"]), ("s1/agent-1", 2, 9, [])),
        *(("s1/agent-2", 1, 6, ["t4"]), ("s1/agent-2", 2, 10, [])),
        ("s1/agent-c3", 1, 15, []),
    ],
    "queue": [("s1", 1, 2, ["t1"]), ("s1", 2, 8, []), ("s1", 3, 10, [])],
    "slice": [("s1", 1, 2, ["t1"]), ("s1", 2, 6, [])],
    "streaming": [("s1", 1, 3, ["t1", "t2"]), ("s1", 2, 11, ["t3"]), ("s1", 3, 13, ["t4"])],
}

SUMMARY = DecisionKind.SPAN_SUMMARIZED
PRUNED = DecisionKind.SCHEMA_PRUNED
MANUAL, AUTO, MICRO = "manual compact", "auto-compact", "microcompact"
#: Fixture, and (turn, line, kind, spans or tools, actor) of each decision.
DECISIONS: dict[str, list[tuple[int, int, DecisionKind, tuple[str, ...], str | None]]] = {
    "again": [(3, 4, SUMMARY, ("u1", "t1", "result:t1"), AUTO)],
    "between": [(3, 5, SUMMARY, ("u1", "t1", "t2", "result:t1"), AUTO)],
    "carried": [
        (5, 14, SUMMARY, ("u1", "u2", "u3", "t1", "result:t1", "t2", "result:t2", "u10"), MANUAL),
        (5, 14, PRUNED, ("TaskList",), MANUAL),
    ],
    "cleared": [],
    "compaction": [
        (3, 6, SUMMARY, ("u1", "t1", "result:t1", "t2", "result:t2"), AUTO),
        (3, 6, PRUNED, ("SendNotice",), AUTO),
    ],
    "damaged": [],
    "lanes": [],
    "microcompaction": [
        (4, 9, DecisionKind.RESULT_CLEARED, ("result:t1", "result:t3"), MICRO),
        (4, 9, DecisionKind.SPAN_EVICTED, ("u6",), MICRO),
    ],
    "queue": [(3, 11, SUMMARY, ("u1", "t1", "line-4", "result:t1", "u8", "u9", "u10"), AUTO)],
    "rewind": [(4, 8, SUMMARY, ("u1", "t1", "result:t1", "u4", "u5", "t2", "result:t2"), AUTO)],
    "servers": [
        (3, 8, PRUNED, ("LSP",), None),
        (3, 9, PRUNED, ("mcp__cat__find", "mcp__cat__move"), "mcp server"),
    ],
    "slice": [(2, 4, SUMMARY, ("result:t0", "t1", "result:t1"), AUTO)],
    "snapshot": [],
    "streaming": [],
    "token_fall": [(4, 8, DecisionKind.UNRECORDED, (), None)],
}
#: Fixture, and the tools of each turn that is a model call: + loaded, - only the name.
TOOLS = {
    "carried": [
        *("-TaskCreate -TaskList -WebFetch", "+TaskCreate +TaskList -WebFetch"),
        *("+TaskCreate +TaskList -WebFetch", "+TaskCreate +TaskList -WebFetch"),
        "+TaskCreate -TaskList -WebFetch",
    ],
    "compaction": [None, "+SendNotice", "-SendNotice"],
    "servers": [
        "-LSP -mcp__cat__find -mcp__cat__move",
        "-LSP +mcp__cat__find -mcp__cat__move",
        *(None, "+mcp__cat__find -mcp__cat__move"),
    ],
    "snapshot": [
        "-Move +Read +ToolSearch -WebFetch",
        "+Move +Read +ToolSearch -WebFetch",
        "+Edit +Move +ToolSearch -WebFetch",
    ],
    "streaming": [None, None, None],
}
ENVELOPE = {"sessionId": "s1", "isSidechain": False}


def turns(name: str) -> list[Turn]:
    return list(claude_code.read(Source((Log(str(FOLDER / f"{name}.jsonl")),))))


def written(tmp_path: Path, *rows: Any) -> list[Turn]:
    """The turns of records that are linked in their order."""
    path = tmp_path / "session.jsonl"
    links = ({"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None} for n in range(len(rows)))
    lines = [orjson.dumps(link | ENVELOPE | row) for link, row in zip(links, rows, strict=True)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return list(claude_code.read(Source((Log(str(path)),))))


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def result(call: str, content: Any, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {"type": "user", "message": {"role": "user", "content": [block]}, **fields}


def answer(
    *blocks: Any, tokens: int = 0, model: str = "claude-x", **message: Any
) -> dict[str, Any]:
    usage = {"usage": {"input_tokens": tokens}} if tokens else {}
    body = {"role": "assistant", "model": model, "content": list(blocks), **usage, **message}
    return {"type": "assistant", "message": body}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, tool: str = "Read", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": arguments}


def attachment(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "attachment", "attachment": {"type": kind, **fields}}


def boundary(**meta: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "compactMetadata": meta}


def summary() -> dict[str, Any]:
    return user("This session is being continued.", isCompactSummary=True)


def loads(*tools: str) -> list[dict[str, Any]]:
    return [{"type": "tool_reference", "tool_name": tool} for tool in tools]


def shown(turn: Turn) -> str | None:
    """The tools of a turn in one line."""
    if turn.tools is None:
        return None
    marks = sorted((t.name, "-" if t.deferred else "+") for t in turn.tools.values())
    return " ".join(mark + name for name, mark in marks)


def model_calls(found: list[Turn]) -> list[Turn]:
    return [turn for turn in found if not turn.final]


# -- fixtures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_is_recognised_by_nobody_else(name: str) -> None:
    head = Log(str(FOLDER / f"{name}.jsonl")).head()
    assert detect(head) is claude_code
    assert not claude_stream.recognises(head)


@pytest.mark.parametrize(
    "head",
    [
        [],
        [[]],
        [{"type": "user", "message": {"role": "user", "content": "x"}}],
        [{"type": "user", "sessionId": "s"}],
        [{"type": "summary", "summary": "x"}],
        [{"sessionId": "s", "messages": []}],
        [{"type": ["user"], "sessionId": "s", "message": {}}],
    ],
)
def test_other_records_are_not_recognised(head: list[Any]) -> None:
    assert not claude_code.recognises(head)


@pytest.mark.parametrize("name", TURNS)
def test_turns(name: str) -> None:
    found = [
        (t.where.session, t.where.turn, t.where.line, [c.id for c in t.calls])
        for t in model_calls(turns(name))
    ]
    assert sorted(found) == TURNS[name]


@pytest.mark.parametrize("name", NAMES)
def test_decisions(name: str) -> None:
    found = [
        (d.where.turn, d.where.line, d.kind, d.spans or d.tools, d.actor)
        for turn in turns(name)
        for d in turn.decisions
    ]
    assert found == DECISIONS[name]


@pytest.mark.parametrize("name", TOOLS)
def test_tools(name: str) -> None:
    assert [shown(turn) for turn in model_calls(turns(name))] == TOOLS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_span_is_there_before_it_goes(name: str) -> None:
    seen: set[str] = set()
    for turn in turns(name):
        gone = {s for d in turn.decisions for s in d.spans}
        assert gone | set(turn.withdrawn) | set(turn.restored) <= seen
        entered = [s.id for s in (*turn.added, *turn.reply)] + [c.id for c in turn.calls]
        assert not seen & set(entered)
        assert len(entered) == len(set(entered))
        seen |= set(entered)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_of_the_turn(name: str) -> None:
    for turn in turns(name):
        assert all(d.where.turn == turn.where.turn for d in turn.decisions)
        assert all(s.where.turn == turn.where.turn for s in (*turn.added, *turn.reply))
        assert all(c.where.turn == turn.where.turn for c in turn.calls)


QUIET = sorted(set(NAMES) - {"compaction"})


@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_found_where_nothing_went_wrong(name: str) -> None:
    reports = audit(expand([str(FOLDER / f"{name}.jsonl")]))
    assert [f for report in reports for f in report.findings] == []


def test_a_schema_lost_to_compaction_is_found() -> None:
    (report,) = audit(expand([str(FOLDER / "compaction.jsonl")]))
    found = {(f.rule, f.where.turn, f.tool) for f in report.findings}
    assert {("GT103", 3, "SendNotice"), ("GT108", 3, "SendNotice")} & found
    assert {f.tool for f in report.findings if f.rule.startswith("GT")} == {"SendNotice"}


# -- messages and their results -----------------------------------------------------------------


def test_a_message_is_its_lines() -> None:
    first, second, third, final = turns("streaming")
    assert [s.kind for s in first.reply] == [Kind.REASONING, Kind.ASSISTANT]
    assert [s.id for s in second.added] == ["result:t1", "result:t2"]
    assert [(s.failed, s.tool) for s in second.added] == [(None, "Read"), (True, "Read")]
    assert third.calls[0].arguments == '{"command": '
    assert final.final
    assert final.where == third.where


def test_tokens_are_those_of_the_last_line_and_of_the_message_itself() -> None:
    assert [t.prompt_tokens for t in turns("streaming")] == [1024, 2102, None, None]


def test_images_are_named() -> None:
    assert turns("streaming")[2].added[0].text == "a.txt\n[image]"


def test_a_message_that_comes_back_later_is_history(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        *(user("Go."), answer(text("a"), id="m1"), answer(text("b"), id="m2")),
        *(answer(text("a"), call("t9"), id="m1"), result("t9", "x"), answer(text("c"), id="m3")),
    )
    assert [[(s.kind, s.call) for s in t.added] for t in found] == [
        [(Kind.USER, None)],
        [],
        [(Kind.CALL, "t9"), (Kind.RESULT, "t9")],
    ]


def test_a_result_is_taken_once(tmp_path: Path) -> None:
    rows = (user("Go."), answer(call("t1")), result("t1", "first"), result("t1", "second"))
    (_, final) = written(tmp_path, *rows)
    assert [s.text for s in final.added] == ["first"]


def test_the_error_of_the_tool_stands_in_for_a_missing_result(tmp_path: Path) -> None:
    told = result("t1", None, toolUseResult="Error: gone")
    (_, final) = written(tmp_path, user("Go."), answer(call("t1")), told)
    assert final.added[0].text == "Error: gone"


def test_records_without_ids_of_messages_are_turns_of_their_own(tmp_path: Path) -> None:
    found = written(tmp_path, user("Go."), answer(text("a")), answer(text("b")))
    assert [t.where.turn for t in found] == [1, 2]


@pytest.mark.parametrize(
    "fields",
    [{"isApiErrorMessage": True}, {"message": {"model": "<synthetic>", "content": "No."}}],
)
def test_what_the_program_says_is_no_turn(tmp_path: Path, fields: dict[str, Any]) -> None:
    found = written(tmp_path, user("Go."), {**answer(text("a")), **fields}, answer(text("b")))
    assert [[s.text for s in t.reply] for t in found] == [["b"]]


# -- what the prompt holds ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "kind", "told"),
    [
        (attachment("queued_command", prompt="Stop."), Kind.USER, "Stop."),
        (
            attachment("queued_command", prompt="Done.", commandMode="task-notification"),
            *(Kind.SYSTEM, "Done."),
        ),
        (
            attachment("edited_text_file", filename="/a", snippet="1\tb"),
            *(Kind.SYSTEM, "/a\n1\tb"),
        ),
        (
            attachment("nested_memory", path="/a", content={"type": "User", "content": "Rule."}),
            *(Kind.SYSTEM, "/a\nRule."),
        ),
        (attachment("hook_additional_context", content=["x", "y"]), Kind.SYSTEM, "x\ny"),
        (attachment("brand_new", message="Hear."), Kind.SYSTEM, "Hear."),
        (
            attachment("brand_new", message="x", rendered=[{"content": "Exact."}]),
            *(Kind.SYSTEM, "Exact."),
        ),
        (user("Meta.", isMeta=True), Kind.SYSTEM, "Meta."),
        (user("<task-notification>x"), Kind.SYSTEM, "<task-notification>x"),
        (user("Told.", origin={"kind": "channel"}), Kind.SYSTEM, "Told."),
        (user("Typed.", origin={"kind": "human"}), Kind.USER, "Typed."),
        (
            {"type": "system", "subtype": "local_command", "content": "out"},
            *(Kind.SYSTEM, "out"),
        ),
    ],
)
def test_what_enters(tmp_path: Path, row: dict[str, Any], kind: Kind, told: str) -> None:
    (turn,) = written(tmp_path, row, answer(text("a")))
    assert [(s.kind, s.text) for s in turn.added] == [(kind, told)]


@pytest.mark.parametrize(
    "row",
    [
        attachment("hook_success", hookEvent="Stop", content="x", stdout="y"),
        attachment("hook_system_message", content="x"),
        attachment("command_permissions", allowedTools=["x"]),
        attachment("task_reminder", content=[], itemCount=0),
        user("Seen by the user only.", isVisibleInTranscriptOnly=True),
        {"type": "system", "subtype": "stop_hook_summary", "content": "x"},
        {"type": "progress", "data": {"type": "hook_progress"}},
        {"type": "queue-operation", "operation": "enqueue", "content": "x"},
    ],
)
def test_what_does_not_enter(tmp_path: Path, row: dict[str, Any]) -> None:
    (turn,) = written(tmp_path, row, answer(text("a")))
    assert turn.added == ()


def test_what_was_typed_while_the_model_worked() -> None:
    told = [[s.text for s in t.added if s.kind is Kind.USER] for t in turns("queue")]
    assert told == [["Write a plan."], ["Keep it short."], ["And this?"], []]


def test_what_compaction_keeps_and_puts_in_again() -> None:
    ctx = resident(turns("carried"))
    assert {"t3", "result:t3", "u13", "t5"} <= ctx.resident.keys()
    assert any("shelf A is full" in span.text for span in ctx.resident.values())
    assert not {"t2", "result:t2", "u10"} & ctx.resident.keys()


def test_a_record_kept_by_a_compaction_but_written_after_it_comes_before() -> None:
    second = turns("again")[1]
    assert [s.text for s in second.reply] == ["Shelf A."]
    assert "a2" in resident(turns("again")).resident


def test_a_record_that_is_written_again_replaces_its_first_writing() -> None:
    first, second, _ = turns("again")
    assert first.added[0].text == "Start again."
    assert second.added[0].text == "1\tshelf A", "the first writing of a result was fuller"


# -- what leaves it -----------------------------------------------------------------------------


def test_a_call_that_compaction_left_open_keeps_its_place() -> None:
    ctx = resident(turns("between"))
    assert {"t3", "result:t3"} <= ctx.resident.keys()
    assert "t2" in ctx.evicted, "it is never answered"


def test_a_compaction_at_the_end_is_before_no_prompt() -> None:
    *_, final = turns("queue")
    assert final.final
    assert final.decisions[0].where.turn == 3


def test_the_reason_of_a_compaction_tells_the_tokens() -> None:
    reasons = [d.reason for t in turns("carried") for d in t.decisions]
    assert reasons[0] == "150000 → 4000 tokens"


def test_a_compaction_without_its_summary_is_opaque(tmp_path: Path) -> None:
    rows = (user("Go."), answer(text("a")), boundary(), user("On."), answer(text("b")))
    second = written(tmp_path, *rows)[1]
    assert [d.opaque for d in second.decisions] == [True]
    assert Aspect.SUMMARIES in {gap.aspect for gap in second.gaps}


def test_a_summary_without_a_boundary_is_a_compaction(tmp_path: Path) -> None:
    rows = (user("Go."), answer(text("a")), summary(), answer(text("b")))
    second = written(tmp_path, *rows)[1]
    assert [(d.kind, d.spans, d.opaque) for d in second.decisions] == [
        (SUMMARY, ("u0", "u1"), False)
    ]


def test_a_log_that_begins_with_a_summary_was_pruned_elsewhere(tmp_path: Path) -> None:
    (turn,) = written(tmp_path, summary(), answer(text("b")))
    assert turn.decisions == ()
    assert [s.kind for s in turn.added] == [Kind.SUMMARY]


def test_cleared_results_leave_a_stub() -> None:
    ctx = resident(turns("microcompaction"))
    assert ctx.resident["result:t1"].text == "[Old tool result content cleared]"
    assert ctx.resident["result:t2"].text == "a.txt:1"
    assert ctx.evicted["result:t3"].span.text == "1\tshelf C"


def test_a_rewind_blames_nobody_and_undoes_the_compaction() -> None:
    found = turns("rewind")
    assert set(found[-1].withdrawn) == {"u5", "t2", "result:t2", "u9", "u10"}
    assert found[-1].restored == ("u1", "t1", "result:t1", "u4")
    assert set(resident(found).resident) == {"u1", "t1", "result:t1", "u4", "u11", "u12"}


def test_a_new_start_blames_nobody() -> None:
    found = turns("cleared")
    assert [set(t.withdrawn) for t in found if t.withdrawn] == [
        {"u2", "t1", "result:t1"},
        {"u6", "u7"},
    ]


@pytest.mark.parametrize(
    "row",
    [
        user("On.", parentUuid="u1"),
        user("On.", parentUuid="unknown"),
        user("On.", parentUuid="u0", isMeta=True),
        result("t1", "x", parentUuid="u0"),
    ],
)
def test_what_is_no_rewind(tmp_path: Path, row: dict[str, Any]) -> None:
    root = user("Go.")
    found = written(tmp_path, root, answer(call("t1")), result("t1", "a"), row, answer(text("b")))
    assert all(not t.withdrawn for t in found)


def test_records_that_name_no_parents_are_no_new_start(tmp_path: Path) -> None:
    rows = [user("Go."), answer(text("a")), user("On."), answer(text("b"))]
    found = written(tmp_path, *({**row, "parentUuid": None} for row in rows))
    assert [t.withdrawn for t in found] == [(), ()]


def test_the_user_goes_back_to_a_record_by_name(tmp_path: Path) -> None:
    pinned = {"type": "last-prompt", "leafUuid": "u1", "explicit": True}
    rows = (user("Go."), answer(text("a")), answer(text("b")), pinned)
    found = written(tmp_path, *rows, user("On.", parentUuid="u1"), answer(text("c")))
    assert found[-1].withdrawn == ("u2",)


# -- tools --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "meta", "kept"),
    [
        (None, {}, False),
        ("2.1.70", {}, False),
        ("2.1.76", {}, True),
        ("2.1.111", {}, True),
        ("2.1.112", {}, False),
        ("2.1.232", {"preCompactDiscoveredTools": ["Move"]}, True),
        ("2.1.232", {"preCompactDiscoveredTools": ["Copy"]}, False),
        ("2.1.60", {"preservedMessages": {"uuids": ["u2"]}}, True),
    ],
)
def test_loaded_schemas_and_compaction(
    tmp_path: Path, version: str | None, meta: dict[str, Any], kept: bool
) -> None:
    rows = (
        *(user("Go."), answer(call("t1", "ToolSearch")), result("t1", loads("Move"))),
        *(answer(text("a")), boundary(**meta), summary(), answer(text("b"))),
    )
    found = model_calls(written(tmp_path, *({**row, "version": version} for row in rows)))
    assert "+Move" in (shown(found[1]) or "")
    assert ("+Move" in (shown(found[2]) or "")) is kept
    pruned = [d for d in found[2].decisions if d.kind is PRUNED]
    assert [(d.tools, d.explicit, d.exact) for d in pruned] == [(("Move",), False, True)] * (
        not kept
    )


def test_a_tool_that_was_loaded_twice_stays_with_one_result(tmp_path: Path) -> None:
    micro = {"compactedToolIds": ["t1"]}
    found = written(
        tmp_path,
        *(user("Go."), answer(call("t1", "ToolSearch"), call("t2", "ToolSearch"))),
        *(result("t1", loads("Move", "Copy")), result("t2", loads("Move")), answer(text("a"))),
        {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": micro},
        answer(text("b")),
    )
    assert shown(model_calls(found)[-1]) == "-Copy +Move"
    assert [d.tools for d in found[-1].decisions if d.kind is PRUNED] == [("Copy",)]


def test_servers_that_died_are_not_the_pruners_doing() -> None:
    decisions = [d for t in turns("servers") for d in t.decisions]
    assert all(d.external and d.explicit for d in decisions)
    assert [t.withdrawn for t in turns("servers")] == [(), (), ("u2",), ()]


def test_announced_tools_have_a_tombstone() -> None:
    ctx = resident(turns("carried"))
    assert ctx.tombstone("WebFetch") is not None


def test_exact_schemas() -> None:
    first, second, third = turns("snapshot")
    assert all(t.complete for t in (first, second, third))
    assert first.tools is not None
    assert second.tools is not None
    assert first.tools["Read"].parameters == {
        "type": "object",
        "properties": {"file_path": {"type": "string"}},
        "required": ["file_path"],
    }
    assert second.tools["Move"].parameters is not None
    assert first.added[0].text == "You keep a library."
    assert third.withdrawn == ("u1",)


def test_tools_that_do_not_change_are_the_same_object() -> None:
    found = model_calls(turns("carried"))
    assert found[1].tools is found[2].tools


# -- what the log does not show -----------------------------------------------------------------


def test_an_unrecorded_fall_tells_its_figures() -> None:
    found = turns("token_fall")
    assert [len(t.decisions) for t in found] == [0, 0, 0, 1]
    assert "50000" in (found[3].decisions[0].reason or "")
    assert "46999" in found[3].gaps[0].reason


@pytest.mark.parametrize(
    "between",
    [
        (boundary(), summary()),
        (user("Again.", parentUuid="u0"),),
        (user("<command-name>/clear</command-name>"),),
    ],
)
def test_a_fall_that_the_log_explains(tmp_path: Path, between: tuple[Any, ...]) -> None:
    found = written(
        tmp_path,
        *(user("Go."), user("Go.", parentUuid="u0"), answer(text("a"), tokens=90_000)),
        *(*between, answer(text("b"), tokens=20_000)),
    )
    kinds = {d.kind for t in found for d in t.decisions}
    assert DecisionKind.UNRECORDED not in kinds


def test_clearing_by_the_server_is_told_but_not_what(tmp_path: Path) -> None:
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 4}]}
    (turn,) = written(tmp_path, user("Go."), answer(text("a"), context_management=edits))
    assert [(d.kind, d.explicit) for d in turn.decisions] == [(DecisionKind.UNRECORDED, True)]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.0.98", ("not logged before",)),
        ("2.1.20", ("not logged before",)),
        ("2.1.40", ("not logged before", "clearing of old results")),
        ("2.1.232", ("clearing of old results",)),
        (None, ()),
        ("dev", ()),
    ],
)
def test_gaps_by_version(tmp_path: Path, version: str | None, words: tuple[str, ...]) -> None:
    rows = ({**row, "version": version} for row in (user("Go."), answer(text("a"))))
    (turn,) = written(tmp_path, *rows)
    told = [gap.reason for gap in turn.gaps if "system prompt" not in gap.reason]
    assert len(told) == len(words)
    assert all(word in reason for word, reason in zip(words, told, strict=True))
    assert all(gap.extent is Extent.PARTIAL for gap in turn.gaps)


def test_results_of_calls_that_the_log_does_not_hold() -> None:
    first = turns("slice")[0]
    assert [(s.kind, s.call, s.tool) for s in first.added] == [(Kind.RESULT, None, None)]
    assert any("middle of the session" in gap.reason for gap in first.gaps)


def test_lines_that_are_damaged_are_told() -> None:
    log = Log(str(FOLDER / "damaged.jsonl"))
    assert len(list(claude_code.read(Source((log,))))) == 2
    assert sorted(problem.line for problem in log.problems) == list(range(3, 13))


def test_no_cut_of_a_record_ends_in_a_traceback(tmp_path: Path) -> None:
    """Every value of every record replaced by something of another shape."""
    path = tmp_path / "session.jsonl"
    rows = [orjson.loads(line) for n in NAMES for line in _lines(n)]
    rows += [orjson.loads(line) for line in STREAM.read_bytes().splitlines()]
    odd: tuple[Any, ...] = (None, 7, "x", [], {}, [7], {"a": [None]}, True, [[{}]])
    for value in odd:
        path.write_bytes(b"\n".join(orjson.dumps(v) for row in rows for v in _bent(row, value)))
        for adapter in (claude_code, claude_stream):
            list(adapter.read(Source((Log(str(path)),))))


def _lines(name: str) -> list[bytes]:
    raw = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
    return [line for line in raw if line.startswith(b"{")]


def _bent(value: Any, odd: Any) -> list[Any]:
    """The value once for each place in it, with something odd in that place."""
    if isinstance(value, dict):
        return [{**value, key: bent} for key in value for bent in (odd, *_bent(value[key], odd))]
    if isinstance(value, list):
        return [
            [*value[:n], bent, *value[n + 1 :]]
            for n, item in enumerate(value)
            for bent in (odd, *_bent(item, odd))
        ]
    return []


def test_the_cost_is_linear(tmp_path: Path) -> None:
    """Every prompt rewinds to the same record; a quadratic walk would be seen at once."""

    def cost(size: int) -> float:
        rows = [user("Go."), answer(text("a"))]
        for n in range(size):
            rows += [user("On.", parentUuid="u1"), answer(call(f"t{n}"))]
        start = perf_counter()
        assert len(model_calls(written(tmp_path, *rows))) == size + 1
        return perf_counter() - start

    small = min(cost(500) for _ in range(3))
    assert min(cost(4_000) for _ in range(2)) < 24 * small


# -- the stream ---------------------------------------------------------------------------------


def test_the_stream_is_recognised_by_nobody_else() -> None:
    head = Log(str(STREAM)).head()
    assert detect(head) is claude_stream
    assert not claude_code.recognises(head)


def test_the_stream_has_the_same_turns() -> None:
    found = list(claude_stream.read(Source((Log(str(STREAM)),))))
    seen = [(t.where.session, t.where.line, [c.id for c in t.calls]) for t in model_calls(found)]
    assert sorted(seen) == [
        *(("s1", 2, ["t1"]), ("s1", 8, ["t3"]), ("s1", 15, ["t4"]), ("s1", 19, [])),
        *(("s1/agent-t1", 4, ["t2"]), ("s1/agent-t1", 6, [])),
    ]
    decisions = [(d.kind, d.tools, d.reason) for t in found for d in t.decisions]
    assert decisions == [
        (PRUNED, ("mcp__my_cat__find",), "the server disconnected"),
        (SUMMARY, (), "9000 → 800 tokens"),
    ]
    main = [t for t in model_calls(found) if t.where.session == "s1"]
    assert [shown(t) for t in main[1:3]] == ["+Bash +Task +mcp__my_cat__find", "+Bash +Write"]
    assert [s.kind for s in main[2].added] == [Kind.SUMMARY]
    assert set(main[3].withdrawn) >= {"t4", "result:t4"}


# -- real logs ----------------------------------------------------------------------------------


def _counts(folder: Path) -> list[dict[str, str]]:
    table = folder / "COUNTS.tsv"
    if not table.is_file():
        pytest.skip(f"no table of counts in {folder}")
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [row for row in rows if row["log"].startswith("claude-code/")]


def test_real_logs_have_the_counts_that_others_counted(real_logs: Path) -> None:
    rows = _counts(real_logs)
    assert rows
    for row in rows:
        log = Log(str(real_logs / row["log"]))
        assert detect(log.head()) is claude_code
        found = list(claude_code.read(Source((log,))))
        failed = sum(s.failed is True for t in found for s in t.added)
        compactions = sum(d.kind is SUMMARY for t in found for d in t.decisions)
        assert log.problems == []
        assert sum(len(t.calls) for t in found) == int(row["tool_calls"]), row
        assert failed == int(row["error_results"]), row
        assert compactions == int(row["compactions_or_prunings"]), row


def test_no_real_log_loses_a_span_that_was_not_there(real_logs: Path) -> None:
    logs = sorted((real_logs / "claude-code").glob("*.jsonl"))
    assert logs
    for path in logs:
        seen: set[tuple[str, str]] = set()
        for turn in claude_code.read(Source((Log(str(path)),))):
            lane = turn.where.session
            gone = {s for d in turn.decisions for s in d.spans} | set(turn.withdrawn)
            assert {(lane, span) for span in gone} <= seen
            seen |= {(lane, s.id) for s in (*turn.added, *turn.reply)}
            seen |= {(lane, c.id) for c in turn.calls}
