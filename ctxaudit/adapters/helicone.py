"""Helicone: requests as its export tool and its API give them, newest first.

    {"request_id", "request_created_at", "request_path", "request_body": {...},
     "request_properties": {"Helicone-Session-Id"}, "response_status", "response_body": {...}}

Bodies are there only if they were asked for (``--include-body``); else ``signed_body_url`` says
where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxaudit.adapters import tracers
from ctxaudit.adapters.envelopes import told
from ctxaudit.adapters.spans import count, lenient
from ctxaudit.adapters.tracers import Traced, fields, text
from ctxaudit.log import Record, Source
from ctxaudit.model import Aspect, Extent, Turn, dumps

NAME = "helicone"
TITLE = "Helicone requests (exports with bodies)"
SHOWS = dict.fromkeys(Aspect, Extent.FULL)

SESSION = "helicone-session-id"
BODIES = ("request_body", "signed_body_url")
LISTS = ("data",)
NO_BODIES = "requests without their bodies are passed over: export with --include-body"


def recognises(head: Sequence[Any]) -> bool:
    return any(any(tracers.rows(data, LISTS, _is_request)) for data in head)


def _is_request(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and "request_created_at" in data
        and any(key in data for key in BODIES)
        and any(key.startswith("response_") for key in data)
    )


def read(source: Source) -> Iterator[Turn]:
    def spans(record: Record) -> Iterator[Traced]:
        for row in tracers.rows(record.data, LISTS, _is_request):
            if not row.get("request_body"):
                source.note(NO_BODIES)
                continue
            yield _span(row, record)

    return tracers.read(source, spans)


def _span(row: dict[str, Any], record: Record) -> Traced:
    answer = lenient(row.get("response_body"))
    properties = fields(lenient(row.get("request_properties"))) or fields(row.get("properties"))
    session = next((v for key, v in properties.items() if key.lower() == SESSION), None)
    return Traced(
        record,
        row["request_body"],
        answer,
        start=row["request_created_at"],
        session=text(session),
        own=text(row.get("request_id")),
        error=_error(row.get("response_status"), answer),
        tokens=count(row.get("prompt_tokens")),
        address=str(row.get("request_path") or ""),
    )


def _error(status: Any, answer: Any) -> str | None:
    found = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(status, int) and status >= 400:
        return f"{status} {told(found) if found else dumps(answer or '')}".strip()
    return told(found) if found else None
