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
from ctxaudit.adapters.chat_talk import Chat
from ctxaudit.errors import WRONG_SHAPE
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
    for record in source.each(_trajectory):
        session = PurePath(record.path).name.split(".")[0]
        steps = record.data.get("trajectory") or []
        told = [s for s in steps if isinstance(s.get("query") or s.get("messages"), list)]
        if told:
            yield from turns(_prompts(told, session, record, source), source.damaged)
        else:
            yield from _linear(session, record, source)


def _trajectory(record: Record) -> Record:
    steps = record.data.get("trajectory") if _is_trajectory(record.data) else [None]
    if not all(isinstance(step, dict) for step in steps or ()):
        raise TypeError("no trajectory")
    return record


def _prompts(
    steps: list[dict[str, Any]], session: str, record: Record, source: Source
) -> Iterator[Snapshot]:
    for step in steps:
        try:
            yield _step(step, session, record)
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)


def _step(step: dict[str, Any], session: str, record: Record) -> Snapshot:
    if isinstance(step.get("query"), list):
        return _snapshot(session, record, [_plain(m) for m in step["query"]], None)
    messages = [_plain(m) for m in step["messages"]]
    last = max((n for n, m in enumerate(messages) if m["role"] == "assistant"), default=None)
    if last is None or last < len(messages) - 2:
        return _snapshot(session, record, messages, None)
    return _snapshot(session, record, messages[:last], pieces(messages[last]))


def _linear(session: str, record: Record, source: Source) -> Iterator[Turn]:
    """A trajectory without prompts: its history as it stands."""
    data = record.data
    gaps = () if "trajectory_format" in data else (UNSEEN,)
    chat = Chat(session, record.path, gaps, pieces)
    for message in data.get("messages") or data.get("history") or ():
        try:
            yield from chat.take(_plain(message), record.line)
        except WRONG_SHAPE as error:
            source.damaged(record.path, record.line, error)
    yield from chat.talk.end()


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
