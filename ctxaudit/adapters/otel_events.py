"""Model calls whose messages are events of their own: records of a log, or events of a span.

    gen_ai.user.message {"content"}     gen_ai.assistant.message {"content", "tool_calls"}
    gen_ai.tool.message {"content", "id"}     gen_ai.choice {"message": {...}, "finish_reason"}

So the conventions had it before a call's messages were one attribute. A record keeps the fields in
its body, an event of a span in ``gen_ai.event.content`` or in attributes; still older ones have all
messages in ``gen_ai.content.prompt``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxaudit.adapters.otel_attributes import attributes, plain
from ctxaudit.adapters.spans import loads

ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
CHOICE = "gen_ai.choice"
PROMPT, COMPLETION = "gen_ai.content.prompt", "gen_ai.content.completion"


def name_of(event: dict[str, Any], found: dict[str, Any]) -> str:
    """What an event is called, wherever its exporter says so."""
    told = event.get("eventName") or found.get("event.name") or event.get("name")
    return str(told or found.get("name") or "")


def merged(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The attributes that a call's events stand for.

    Raises: CutError if a value was cut.
    """
    out: dict[str, Any] = {}
    prompt: list[Any] = []
    answer: list[Any] = []
    for event in events:
        found = attributes(event.get("attributes"))
        body = plain(event.get("body") or {})
        name = name_of(event, found)
        if event.get("droppedAttributesCount"):
            out["cut"] = True
        if name in ROLES or name == CHOICE:
            fields = _fields(found, body)
            told = fields.get("message", fields) if name == CHOICE else fields
            role = "assistant" if name == CHOICE else fields.get("role") or ROLES[name]
            (answer if name == CHOICE else prompt).append({**_message(told), "role": role})
        elif name in (PROMPT, COMPLETION):
            key = "gen_ai.prompt" if name == PROMPT else "gen_ai.completion"
            told = loads(found.get(key))
            (prompt if name == PROMPT else answer).extend(told if isinstance(told, list) else ())
        else:
            out.update({k: v for k, v in found.items() if k.startswith("gen_ai.")})
    if prompt:
        out["gen_ai.input.messages"] = prompt
    if answer:
        out["gen_ai.output.messages"] = answer
    return out


def _fields(found: dict[str, Any], body: Any) -> dict[str, Any]:
    told = loads(found.get("gen_ai.event.content"))
    for one in (body, told):
        if isinstance(one, dict) and one:
            return one
    names = ("content", "role", "id", "tool_calls", "message", "index")
    return {name: loads(found[name]) for name in names if name in found}


def _message(told: Any) -> dict[str, Any]:
    return told if isinstance(told, dict) else {"content": told}
