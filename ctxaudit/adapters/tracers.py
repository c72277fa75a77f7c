"""Exports of tracers: model calls among other spans, in any order.

A call within a call is the same one, traced twice: the inner one counts. A conversation is told by
its own id, which may stand at a span around the call, else by the trace, if that holds more than
one call; else by what its prompts say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ctxaudit.adapters import unwrapped
from ctxaudit.adapters.envelopes import Exchange
from ctxaudit.adapters.exchanges import other_call, snapshot_of
from ctxaudit.adapters.openai_state import Chains
from ctxaudit.adapters.spans import CUT, CutError, moment
from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.log import Record, Source
from ctxaudit.model import Gap, Turn
from ctxaudit.pieces import Snapshot
from ctxaudit.snapshots import turns


@dataclass(slots=True)
class Traced:
    """A span of a trace. It is no model call where ``prompt`` is None.

    ``session`` is the conversation's id, ``trace`` the trace's; ``gaps`` say that the record was
    cut: then nothing is inferred from what it lacks.
    """

    record: Record
    prompt: Any = None
    answer: Any = None
    tools: Any = None
    start: Any = None
    session: str | None = None
    trace: str | None = None
    own: str | None = None
    parent: str | None = None
    error: str | None = None
    tokens: int | None = None
    address: str = ""
    gaps: tuple[Gap, ...] = ()


def read(source: Source, spans: Callable[[Record], Iterable[Traced]]) -> Iterator[Turn]:
    """The turns of all conversations of an export, by the start of their calls."""
    found = [s for group in source.each(lambda record: list(spans(record))) for s in group]
    _inherit(found)
    calls = _innermost(found)
    calls.sort(key=lambda span: moment(span.start))
    shared = Counter(span.trace for span in calls)

    def snapshots() -> Iterator[Snapshot]:
        chains = Chains()
        for span in calls:
            session = span.session or (span.trace if shared[span.trace] > 1 else None)
            try:
                made = snapshot(span, session, chains)
            except WRONG_SHAPE as error:
                source.damaged(span.record.path, span.record.line, error)
                continue
            if made is not None:
                yield made

    return turns(snapshots(), source.damaged)


def _inherit(spans: list[Traced]) -> None:
    """Give every span the conversation of the nearest one around it that names one."""
    known: dict[str | None, Traced] = {span.own: span for span in spans if span.own}
    for span in spans:
        path, seen = [span], {id(span)}
        while path[-1].session is None and (above := known.get(path[-1].parent)) is not None:
            if id(above) in seen:
                break
            path.append(above)
            seen.add(id(above))
        for one in path:
            one.session = path[-1].session


def _innermost(spans: list[Traced]) -> list[Traced]:
    """The model calls in which there is no other one."""
    parents = {span.own: span.parent for span in spans if span.own}
    calls = [span for span in spans if span.prompt is not None]
    around: set[str] = set()
    for span in calls:
        above = span.parent
        while above is not None and above not in around:
            around.add(above)
            above = parents.get(above)
    return [span for span in calls if span.own not in around]


def snapshot(span: Traced, session: str | None, chains: Chains) -> Snapshot | None:
    """The model call that a span is, None if it is no chat.

    Raises: TypeError, ValueError, KeyError, AttributeError if its shape is wrong.
    """
    gaps = span.gaps
    try:
        body = unwrapped.request(span.prompt, span.answer, span.tools)
    except CutError:
        body, gaps = {"messages": []}, (*gaps, CUT)
    if body is None:
        return None
    response = unwrapped.response(span.answer, body)
    exchange = Exchange(body, response, session, None, span.error, span.address)
    if other_call(exchange):
        return None
    made = snapshot_of(exchange, span.record, chains)
    if made.prompt_tokens is None:
        made.prompt_tokens = span.tokens
    if gaps:
        made.partial, made.gaps = True, (*made.gaps, *gaps)
    return made


def rows(data: Any, keys: Sequence[str], is_row: Callable[[Any], bool]) -> Iterator[dict[str, Any]]:
    """The spans of a record: it is one, or holds a list of them under one of ``keys``."""
    if is_row(data):
        yield data
    elif isinstance(data, dict):
        for key in keys:
            inner = data.get(key)
            if isinstance(inner, list):
                yield from (row for row in inner if is_row(row))


def text(*values: Any) -> str | None:
    """The first value that may be an id, as a text."""
    for value in values:
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
    return None


def fields(value: Any) -> dict[str, Any]:
    """A value that may be an object, as one."""
    return value if isinstance(value, dict) else {}
