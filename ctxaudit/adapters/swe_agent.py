"""Trajectories of SWE-agent (``.traj``) and of mini-swe-agent.

    {"trajectory": [{"action", "observation", "messages" | "query": [...]}], "history", "info"}
    {"trajectory_format": "mini-swe-agent-1.1", "messages": [...], "info"}

A step's ``query`` is the prompt as it was sent, after its processors; its ``messages`` is the same
and what the step has added. Where neither is logged, the history is read as it stands: it shows no
pruning. Actions are tool calls, or commands in the text of an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ctxaudit.adapters import openai_chat
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Gap, Kind, Turn
from ctxaudit.pieces import Piece, Snapshot
from ctxaudit.snapshots import turns

NAME = "swe-agent"
TITLE = "SWE-agent and mini-swe-agent trajectories"
SHOWS = {
    Aspect.SCHEMAS: Extent.NONE,
    Aspect.PROMPTS: Extent.FULL,
    Aspect.RESULTS: Extent.FULL,
    Aspect.SUMMARIES: Extent.FULL,
}
UNSEEN = Gap(
    Aspect.PROMPTS,
    Extent.NONE,
    "the trajectory holds no prompts: what its history processors took out is unknown",
)
SHELL = "shell"  # the tool of an action that is a command in a text


def recognises(head: Sequence[Any]) -> bool:
    return any(_is_trajectory(data) for data in head)


def _is_trajectory(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    if isinstance(mini := data.get("trajectory_format"), str):
        return mini.startswith("mini-swe-agent")
    steps = data.get("trajectory")
    return isinstance(steps, list) and "info" in data and all(_is_step(s) for s in steps[:3])


def _is_step(step: Any) -> bool:
    return isinstance(step, dict) and "action" in step and "observation" in step


def read(source: Source) -> Iterator[Turn]:
    def snapshots() -> Iterator[Snapshot]:
        for group in source.each(_snapshots):
            yield from group

    return turns(snapshots(), source.damaged)


def _snapshots(record: Record) -> list[Snapshot]:
    data = record.data
    if not _is_trajectory(data):
        raise TypeError("no trajectory")
    session = PurePath(record.path).name.split(".")[0]
    steps = data.get("trajectory") or []
    told = [step for step in steps if isinstance(step.get("query") or step.get("messages"), list)]
    if told:
        return [_step(step, session, record) for step in told]
    history = data.get("messages") or data.get("history") or []
    gaps = () if "trajectory_format" in data else (UNSEEN,)
    return list(_linear([m for m in history if isinstance(m, dict)], session, record, gaps))


def _step(step: dict[str, Any], session: str, record: Record) -> Snapshot:
    if isinstance(step.get("query"), list):
        return _snapshot(session, record, [_plain(m) for m in step["query"]], None)
    messages = [_plain(m) for m in step["messages"]]
    last = max((n for n, m in enumerate(messages) if m["role"] == "assistant"), default=None)
    if last is None or last < len(messages) - 2:
        return _snapshot(session, record, messages, None)
    return _snapshot(session, record, messages[:last], pieces(messages[last]))


def _linear(
    history: list[dict[str, Any]], session: str, record: Record, gaps: tuple[Gap, ...]
) -> Iterator[Snapshot]:
    messages = [_plain(message) for message in history]
    for n, message in enumerate(messages):
        if message["role"] == "assistant":
            made = _snapshot(session, record, messages[:n], pieces(message))
            made.gaps = gaps
            yield made


def _snapshot(
    session: str, record: Record, items: list[Any], reply: list[Piece] | None
) -> Snapshot:
    return Snapshot(record.path, record.line, session, items, pieces, lambda _: {}, reply=reply)


def _plain(message: Any) -> dict[str, Any]:
    """What of a message reaches the model, and what tells actions and observations."""
    if not isinstance(message, dict):
        raise TypeError("a message is no object")
    ids = message.get("tool_call_ids")
    call = ids[0] if isinstance(ids, list) and ids else message.get("tool_call_id")
    return {
        "role": message.get("role"),
        "content": message.get("content"),
        "tool_calls": message.get("tool_calls"),
        "tool_call_id": call,
        "action": message.get("action"),
        "observed": message.get("message_type") == "observation",
    }


def pieces(message: dict[str, Any]) -> list[Piece]:
    """The pieces of a message: those of the chat format, and actions within texts."""
    found = openai_chat.pieces(message)
    action = message["action"]
    if message["role"] == "assistant" and not message["tool_calls"] and action:
        arguments = {"command": action}
        found.append(Piece(Kind.CALL, f"{SHELL} {action}", None, SHELL, None, arguments))
    elif message["role"] == "user" and message["observed"]:
        return [Piece(Kind.RESULT, p.text, None, SHELL) for p in found]
    return found
