"""Codex rollout traces: whole prompts out of requests that hold only what is new."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

from ctxaudit.adapters import codex_trace
from ctxaudit.audit import Input, audit, expand, open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Aspect, DecisionKind, Extent, Kind, Turn

BUNDLE = FIXTURES / "adapters" / "codex_trace" / "bundle"


def read(path: Path) -> tuple[list[Turn], Log]:
    log, adapter = open_log(str(path))
    assert adapter.NAME == "codex-trace"
    return list(adapter.read(Source((log,)))), log


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of the fixture that a test may damage."""
    return Path(shutil.copytree(BUNDLE, tmp_path / "bundle"))


def events(bundle: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bundle / "trace.jsonl").read_text().splitlines()]


def save(bundle: Path, told: list[dict[str, Any]]) -> None:
    (bundle / "trace.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in told))


def test_a_bundle_is_one_log() -> None:
    assert [item.path for item in expand([str(BUNDLE.parent)])] == [str(BUNDLE)]
    assert not codex_trace.folder(frozenset({"manifest.json", "payloads"}))


def test_turns_of_all_threads() -> None:
    turns, log = read(BUNDLE)
    assert log.problems == []
    assert [(t.where.session, t.where.turn, t.where.line) for t in turns] == [
        ("thread-root", 1, 4),
        ("thread-root", 2, 7),
        ("thread-child", 1, 9),
        ("thread-root", 3, 14),
        ("thread-root", 3, 16),
        ("thread-root", 4, 18),
    ]
    assert [[c.id for c in t.calls] for t in turns] == [
        ["call_1"],
        ["call_2"],
        [],
        [],
        ["call_3"],
        [],
    ]
    assert [t.error for t in turns if t.error] == ["stream disconnected"]
    assert [t.prompt_tokens for t in turns] == [900, 1000, 300, None, 400, 450]
    assert [len(t.tools or ()) for t in turns] == [3, 3, 1, 2, 2, 2]
    assert turns[1].added[0].text == "Process running with session ID 48213"


def test_a_compaction_that_was_installed_is_stated() -> None:
    turns, _ = read(BUNDLE)
    (pruned,) = [d for turn in turns for d in turn.decisions]
    assert (pruned.kind, pruned.actor) == (DecisionKind.SPAN_SUMMARIZED, "codex compaction")
    assert (pruned.explicit, pruned.opaque) == (True, True)
    assert [k for turn in turns for s in turn.added if (k := s.kind) is Kind.SUMMARY]
    (report,) = audit([Input(str(BUNDLE))])
    root = next(s for s in report.sessions if s.session == "thread-root")
    assert root.extent[Aspect.SUMMARIES] is Extent.PARTIAL


def test_the_events_alone_find_their_payloads() -> None:
    turns, _ = read(BUNDLE / "trace.jsonl")
    assert len(turns) == 6
    assert turns[0].calls[0].id == "call_1"


def test_a_prefix_that_was_not_traced_is_put_before(bundle: Path) -> None:
    told = events(bundle)
    start = next(
        e["payload"] for e in told if e["payload"].get("inference_call_id") == "inference-2"
    )
    user = {"type": "message", "role": "user", "content": "hi"}
    (bundle / "payloads" / "90.json").write_text(json.dumps({"input": [user]}))
    start["request_input_mode"] = {
        "type": "incremental_with_untraced_prefix",
        "previous_response_id": "resp-1",
        "prefix_payload": {"path": "payloads/90.json"},
    }
    save(bundle, [e for e in told if e["payload"].get("inference_call_id") != "inference-1"])
    turns, log = read(bundle)
    assert log.problems == []
    assert [s.text for s in turns[0].added][1:] == ["hi", "Process running with session ID 48213"]


def test_a_response_that_is_not_in_the_trace_proves_nothing(bundle: Path) -> None:
    told = events(bundle)
    save(bundle, [e for e in told if e["payload"].get("inference_call_id") != "inference-1"])
    turns, _ = read(bundle)
    assert [gap.aspect for gap in turns[0].gaps] == [Aspect.PROMPTS]


def test_old_traces_do_not_tell_the_mode(bundle: Path) -> None:
    told = events(bundle)
    for event in told:
        event["payload"].pop("request_input_mode", None)
    save(bundle, told)
    turns, _ = read(bundle)
    assert len(turns) == 6
    assert turns[1].where.session == "thread-root"
    assert turns[1].gaps == ()


def test_missing_payloads_are_told(bundle: Path) -> None:
    for path in (bundle / "payloads").glob("*.json"):
        if "inference" not in path.name and '"instructions"' in path.read_text():
            path.unlink()
    turns, log = read(bundle)
    assert log.problems == []
    assert all(any(g.aspect is Aspect.PROMPTS for g in turn.gaps) for turn in turns)
    assert not any(turn.decisions for turn in turns)


def test_payloads_are_only_looked_for_in_the_bundle(bundle: Path) -> None:
    (bundle.parent / "secret.json").write_text('{"input": []}')
    told = events(bundle)
    start = next(e["payload"] for e in told if e["payload"]["type"] == "inference_started")
    start["request_payload"]["path"] = "../secret.json"
    save(bundle, told)
    turns, _ = read(bundle)
    assert [gap.aspect for gap in turns[0].gaps] == [Aspect.PROMPTS]


def test_a_request_that_was_not_answered_is_a_turn(bundle: Path) -> None:
    told = events(bundle)
    last = max(n for n, e in enumerate(told) if e["payload"]["type"] == "inference_completed")
    save(bundle, told[:last])
    turns, _ = read(bundle)
    assert (turns[-1].where.turn, turns[-1].reply) == (4, ())


def test_tools_may_stand_among_the_items(bundle: Path) -> None:
    body = json.loads((bundle / "payloads" / "1.json").read_text())
    item = {"type": "additional_tools", "role": "developer", "tools": body.pop("tools")}
    body["input"] = [item, *body["input"]]
    (bundle / "payloads" / "1.json").write_text(json.dumps(body))
    turns, _ = read(bundle)
    assert sorted(turns[0].tools or ()) == ["exec_command", "update_ticket", "write_stdin"]


@pytest.mark.parametrize(
    "damage",
    [{"request_payload": None}, {"request_payload": {}}, {"request_payload": "payloads/1.json"}],
)
def test_a_damaged_event_is_told_and_passed_over(bundle: Path, damage: dict[str, Any]) -> None:
    told = events(bundle)
    at = next(n for n, e in enumerate(told) if e["payload"]["type"] == "inference_started")
    told[at]["payload"] |= damage
    save(bundle, told)
    turns, log = read(bundle)
    assert [(p.line, p.message[:17]) for p in log.problems] == [(at + 1, "unexpected shape:")]
    assert turns
