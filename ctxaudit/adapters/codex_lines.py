"""Lines of a Codex rollout, of all generations, as entries of one shape.

The oldest files have no envelope: a header ``{id, timestamp, instructions, git}``, then bare items
and ``{"record_type": ...}`` rows of bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from ctxaudit.adapters import openai_responses as responses
from ctxaudit.adapters.codex_tools import Definition, definitions
from ctxaudit.frozen import frozen
from ctxaudit.log import Record
from ctxaudit.pieces import Piece

#: Types of records, all with a ``payload``.
ENVELOPES = frozenset(
    {
        "compacted",
        "event_msg",
        "inter_agent_communication",
        "response_item",
        "session_meta",
        "turn_context",
    }
)
#: Records that tell nothing that the model sees, or nothing that items do not tell as well.
BOOKS = frozenset({"world_state", "inter_agent_communication_metadata"})
HEADER = frozenset({"id", "timestamp", "instructions"})
#: Items that the model never sees.
HIDDEN = frozenset({"ghost_snapshot", "other", "compaction_trigger"})


@frozen
class Entry:
    """One record: the type of its envelope and its payload.

    ``pieces`` are those of the item, or of the history that a compaction lists; ``tools`` what it
    defines. ``ordinal`` numbers the records of newer files. ``mark`` is equal in copies of one
    record; None where nothing tells a copy from a repetition.
    """

    path: str
    line: int
    kind: str
    data: Mapping[str, Any]
    ordinal: int | None
    mark: int | None
    pieces: tuple[Piece, ...] = ()
    tools: tuple[Definition, ...] = ()


def entry(record: Record) -> Entry | None:
    """What a record holds, None if it is nothing of the conversation.

    Raises: TypeError or AttributeError if it, its payload or an item in it is of a wrong shape.
    """
    whole = record.data
    if not isinstance(whole, dict):
        raise TypeError("not an object")
    kind, data = whole.get("type"), whole.get("payload")
    if kind in ENVELOPES:
        if not isinstance(data, dict):
            raise TypeError("payload is not an object")
    elif kind in BOOKS or "payload" in whole or "record_type" in whole:
        return None
    elif kind is None:
        if not is_header(whole):
            return None
        kind, data = "session_meta", whole
    else:
        kind, data = "response_item", whole
    ordinal = whole.get("ordinal")
    known = any(holder.get(key) for holder in (whole, data) for key in ("timestamp", "call_id"))
    return Entry(
        record.path,
        record.line,
        kind,
        data,
        ordinal if isinstance(ordinal, int) else None,
        hash(orjson.dumps(whole)) if known or data.get("id") else None,
        tuple(_pieces(kind, data)),
        definitions(data.get("dynamic_tools" if kind == "session_meta" else "tools")),
    )


def _pieces(kind: str, data: Mapping[str, Any]) -> Iterator[Piece]:
    if kind == "response_item":
        yield from _of_item(data)
    elif kind == "compacted":
        for item in data.get("replacement_history") or ():
            if isinstance(item, dict):
                yield from _of_item(item)
    elif kind == "inter_agent_communication":
        yield from _of_item({"role": "user", "content": data.get("content")})


def _of_item(item: Mapping[str, Any]) -> list[Piece]:
    sort = item.get("type")
    if sort in HIDDEN:
        return []
    if sort == "image_generation_call":
        item = {**item, "result": "[image]"}
    pieces = responses.pieces(item)
    if any(not isinstance(piece.call, str | None) for piece in pieces):
        raise TypeError("call_id is no text")
    return pieces


def is_header(value: Any) -> bool:
    """Whether the value is the first line of a file without envelopes."""
    return isinstance(value, dict) and value.keys() >= HEADER and "type" not in value


def recognises(head: Sequence[Any]) -> bool:
    """Whether the first JSON values of a log are of this format."""
    return bool(head) and (is_header(head[0]) or any(_is_record(value) for value in head))


def _is_record(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("record_type") == "state":
        return True
    kind = value.get("type")
    return isinstance(kind, str) and kind in ENVELOPES and isinstance(value.get("payload"), dict)
