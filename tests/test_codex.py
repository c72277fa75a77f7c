"""Codex rollouts: every fixture with its turns and with what was pruned before them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from conftest import FIXTURES, resident

from ctxaudit.adapters import codex, detect
from ctxaudit.audit import audit, expand
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Residency, Turn

FOLDER = FIXTURES / "adapters" / "codex"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))

#: Fixture, and (session, turn, line, calls) of each turn.
TURNS = {
    "bare": [("s1", 1, 6, ["c1"]), ("s1", 2, 9, ["c2"]), ("s1", 3, 11, [])],
    "local": [
        *(("s1", 1, 6, ["c1"]), ("s1", 2, 8, ["c2"])),
        *(("s1", 3, 12, ["c3"]), ("s1", 4, 14, [])),
    ],
    "parallel": [
        *(("s1", 1, 7, ["c1", "c2"]), ("s1", 2, 13, ["line:13"])),
        *(("s1", 3, 19, []), ("s1", 4, 21, ["c3"])),
    ],
    "code_mode": [
        *(("s1", 1, 3, ["c1"]), ("s1", 2, 6, ["c2"])),
        *(("s1", 3, 9, ["c3"]), ("s1", 4, 13, [])),
    ],
    "forked": [("s2", 1, 7, ["c1#2"]), ("s2", 2, 9, []), ("s3", 1, 12, [])],
}

#: Fixture, and (turn, line, kind, spans or tools, opaque) of each decision.
SUMMARY = DecisionKind.SPAN_SUMMARIZED
UNKNOWN = DecisionKind.UNRECORDED
FIRST = ("c1", "result:c1")
DECISIONS: dict[str, list[tuple[int, int, DecisionKind, tuple[str, ...], bool]]] = {
    "bare": [],
    "code_mode": [],
    "forked": [],
    "parallel": [],
    "rolled_back": [],
    "local": [(3, 10, SUMMARY, (*FIRST, "c2", "result:c2"), False)],
    "legacy": [(4, 10, SUMMARY, ("line:4", "line:6", *FIRST), False)],
    "encrypted": [(4, 15, SUMMARY, (*FIRST, "line:9", "c2", "result:c2"), True)],
    "stripped": [(2, 6, SUMMARY, ("line:2", *FIRST), True)],
    "tool_search": [
        (3, 7, SUMMARY, (*FIRST, "c2", "result:c2"), True),
        (3, 7, DecisionKind.SCHEMA_PRUNED, ("set_valve",), False),
    ],
    "kept_calls": [
        (4, 9, DecisionKind.RESULT_CLEARED, ("result:c1", "result:c2"), False),
        (4, 9, SUMMARY, ("c3", "result:c3"), False),
    ],
    "token_fall": [(5, 16, UNKNOWN, (), False)],
    "unread": [(2, 5, UNKNOWN, (), True)],
}


def turns(name: str) -> list[Turn]:
    return list(codex.read(Source((Log(str(FOLDER / f"{name}.jsonl")),))))


def written(tmp_path: Path, *rows: Any) -> list[Turn]:
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return list(codex.read(Source((Log(str(path)),))))


def item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


@pytest.mark.parametrize("name", NAMES)
def test_is_recognised_by_nobody_else(name: str) -> None:
    assert detect(Log(str(FOLDER / f"{name}.jsonl")).head()) is codex


@pytest.mark.parametrize(
    "head",
    [
        [],
        [[]],
        [{"type": "message", "role": "user", "content": "x"}],
        [{"type": "function_call", "name": "x", "arguments": "{}", "call_id": "c1"}],
        [{"id": "s", "timestamp": "t", "instructions": "x", "type": "session"}],
        [{"type": "session_meta", "data": {}}],
    ],
)
def test_other_records_are_not_recognised(head: list[Any]) -> None:
    assert not codex.recognises(head)


@pytest.mark.parametrize("name", TURNS)
def test_turns(name: str) -> None:
    found = [
        (t.where.session, t.where.turn, t.where.line, [c.id for c in t.calls])
        for t in turns(name)
        if not t.final
    ]
    assert found == TURNS[name]


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions(name: str) -> None:
    found = [
        (d.where.turn, d.where.line, d.kind, d.spans or d.tools, d.opaque)
        for turn in turns(name)
        for d in turn.decisions
    ]
    assert found == DECISIONS[name]


def test_every_span_is_there_before_it_goes() -> None:
    for name in DECISIONS:
        seen: set[str] = set()
        for turn in turns(name):
            gone = {s for d in turn.decisions for s in d.spans} | set(turn.withdrawn)
            assert gone <= seen
            entered = [s.id for s in (*turn.added, *turn.reply)] + [c.id for c in turn.calls]
            assert not (seen & set(entered)) or turn.where.session == "s3"
            seen |= set(entered)


def test_what_compaction_repeats_stays() -> None:
    ctx = resident(turns("local"))
    summary = [s for s in ctx.resident.values() if s.kind is Kind.SUMMARY]
    assert [s.text.partition("\n")[2] for s in summary] == ["The pump of bed 4 is running."]
    assert {"line:2", "line:3", "line:4", "instructions"} <= ctx.resident.keys()
    assert not {"c1", "result:c1", "c2", "result:c2"} & ctx.resident.keys()


def test_of_equal_messages_the_newest_stays(tmp_path: Path) -> None:
    again = said("user", "go on")
    found = written(
        tmp_path,
        *(item(**again), item(**said("assistant", "a")), item(**again)),
        *(item(**said("assistant", "b")), item(**again)),
        {"type": "compacted", "payload": {"message": "", "replacement_history": [again]}},
        item(**said("assistant", "c")),
    )
    (decision,) = found[-1].decisions
    assert decision.spans == ("line:1", "line:2", "line:3", "line:4")
    assert found[0].where.session == "rollout"


@pytest.mark.parametrize(
    ("text", "kind", "opaque"),
    [
        ("So far: the valve of bed 4 is open.", Kind.SUMMARY, False),
        ("<summary>The valve of bed 4 is open.</summary>", Kind.SUMMARY, False),
        ("Water bed 4, then [12 tokens truncated]", Kind.SUMMARY, False),
        ("# AGENTS.md instructions for /v\n\nNone.", Kind.USER, True),
        ("<environment_context>\n</environment_context>", Kind.USER, True),
        ("Water bed 4", Kind.USER, True),
    ],
)
def test_what_is_a_summary(tmp_path: Path, text: str, kind: Kind, opaque: bool) -> None:
    compacted = {"message": "", "replacement_history": [said("user", text)]}
    found = written(
        tmp_path,
        *(item(**said("user", "Water bed 4 and bed 5.")), item(**said("assistant", "Yes."))),
        *({"type": "compacted", "payload": compacted}, item(**said("assistant", "Done."))),
    )
    assert [s.kind for s in found[-1].added] == [kind]
    assert found[-1].decisions[0].opaque is opaque


def test_a_message_of_the_record_is_the_summary_where_the_history_has_none(tmp_path: Path) -> None:
    user = said("user", "Water bed 4.")
    compacted = {"message": "The valve is open.", "replacement_history": [user]}
    found = written(
        tmp_path,
        *(item(**user), item(**said("assistant", "Yes."))),
        *({"type": "compacted", "payload": compacted}, item(**said("assistant", "Done."))),
    )
    assert [(s.kind, s.text) for s in found[-1].added] == [(Kind.SUMMARY, "The valve is open.")]
    assert not found[-1].decisions[0].opaque


def test_old_compactions_keep_the_newest_messages_within_a_budget(tmp_path: Path) -> None:
    said_so = item(**said("assistant", "Noted."))
    long = [item(**said("user", letter * 50_000)) for letter in "abc"]
    found = written(
        tmp_path,
        *(item(**said("user", "<environment_context>")), *long, said_so),
        *({"type": "compacted", "payload": {"message": "All noted."}}, said_so),
    )
    assert found[-1].decisions[0].spans == ("line:2", "line:5")


def test_shortened_and_missing_outputs_leave_what_is_sent_instead() -> None:
    ctx = resident(turns("kept_calls"))
    assert ctx.resident["result:c1"].text == "bed 4 …"
    assert ctx.resident["result:c2"].text == "aborted"
    assert ctx.resident["result:c9"].call == "c9"
    assert not {"c3", "result:c3", "result:c3#2"} & ctx.resident.keys()


def test_rollback_withdraws_and_prunes_nothing() -> None:
    found = turns("rolled_back")
    assert found[-2].withdrawn == ("line:7", "line:8", "c2", "result:c2")
    assert {"c1", "c3", "line:2"} <= resident(found).resident.keys()


def test_a_searched_schema_goes_with_the_output_that_brought_it() -> None:
    found = [t for t in turns("tool_search") if not t.final]
    seen = []
    for n in range(1, len(found) + 1):
        ctx = resident(found[:n])
        seen.append(ctx.schema_residency("set_valve"))
    gone, there = Residency.EVICTED, Residency.RESIDENT
    assert seen == [gone, there, gone, gone, there, there]
    assert ctx.schema_residency("weather") is there
    assert ctx.schema_residency("exec_command") is Residency.UNKNOWN
    assert found[4].calls[0].tool == "mcp__pumps.set_valve"


def test_results() -> None:
    results = {
        (name, s.call): (s.text, s.failed)
        for name in ("bare", "code_mode", "parallel")
        for turn in turns(name)
        for s in turn.added
        if s.kind is Kind.RESULT
    }
    assert results["bare", "c2"] == ("no such valve", True)
    assert results["code_mode", "c1"] == ("Script running with cell ID 1\n\nopening", None)
    assert results["code_mode", "c3"] == ("nothing to do", True)
    assert results["parallel", "line:13"] == ("completed", None)


def test_messages_of_other_agents_are_user_messages() -> None:
    told = [s.text for turn in turns("parallel") for s in turn.added if s.kind is Kind.USER]
    assert told[1:] == ["Bed 5 is dry as well: bed_90126.", "Bed 6 is fine."]


def test_prompt_tokens_are_those_of_the_response() -> None:
    found = [t.prompt_tokens for t in turns("encrypted") if not t.final]
    assert found == [9_000, 9_200, 9_500, 4_000, 4_100]


def test_what_is_not_shown_is_told() -> None:
    gaps = {
        name: {(gap.aspect, gap.extent) for turn in turns(name) for gap in turn.gaps}
        for name in ("bare", "encrypted", "tool_search", "local")
    }
    assert gaps["bare"] == {(Aspect.PROMPTS, Extent.PARTIAL)}
    assert gaps["encrypted"] == {(Aspect.SUMMARIES, Extent.NONE)}
    assert (Aspect.SCHEMAS, Extent.PARTIAL) in gaps["tool_search"]
    assert gaps["local"] == set()


def test_damage_is_told_and_passed_over() -> None:
    log = Log(str(FOLDER / "damaged.jsonl"))
    found = list(codex.read(Source((log,))))
    assert [problem.line for problem in log.problems] == [2, 3, 11]
    assert [t.where.turn for t in found if not t.final] == [1, 2]


@pytest.mark.parametrize("name", ["bare", "code_mode", "parallel", "rolled_back", "legacy"])
def test_nothing_pruned_or_all_kept_is_no_finding(name: str) -> None:
    reports = audit(expand([str(FOLDER / f"{name}.jsonl")]))
    assert [f.message for report in reports for f in report.findings if f.severity > 0] == []


def test_repeated_message_after_compaction_is_found() -> None:
    (report,) = audit(expand([str(FOLDER / "local.jsonl")]))
    (found,) = [f for f in report.findings if f.rule == "RN304"]
    assert (found.where.turn, found.tool) == (3, "notify")


#: Calls that the counts leave out: what the provider runs itself, and tool searches.
UNCOUNTED = {"web_search", "tool_search"}


def test_real_logs_hold_what_was_counted(real_logs: Path) -> None:
    lines = (real_logs / "COUNTS.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line.startswith("codex/")]
    assert rows
    for name, _, calls, compactions, *_ in rows:
        found = list(codex.read(Source((Log(str(real_logs / name)),))))
        tools = [c.tool for turn in found for c in turn.calls if c.tool not in UNCOUNTED]
        kinds = [d.kind for turn in found for d in turn.decisions]
        assert (name, len(tools)) == (name, int(calls))
        assert (name, kinds.count(SUMMARY)) == (name, int(compactions))
