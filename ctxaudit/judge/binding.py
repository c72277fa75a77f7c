"""Which handles of a call have lost their binding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxaudit.context import ContextState, Eviction
from ctxaudit.frozen import frozen
from ctxaudit.knowledge.handles import Handle, HandleKind
from ctxaudit.knowledge.mentions import mentions
from ctxaudit.model import Confidence, Kind, Span, ToolCall, dumps

#: Spans in which a person or the runtime gives a handle: whoever was told once may use it.
GIVEN = frozenset({Kind.USER, Kind.SYSTEM})
MIN_PART = 3
#: Arguments that hold the text of a file or of a change to one.
CONTENT = frozenset(
    "content contents old_string new_string old_str new_str old_text new_text file_text new_source "
    "insert_text patch diff replacement code_edit oldText newText oldString newString".split()
)


@frozen
class Orphan:
    """A handle whose every binding was evicted. ``copy`` is a resident call that still shows it."""

    handle: Handle
    binding: Eviction
    copy: Span | None

    @property
    def confidence(self) -> Confidence:
        return Confidence.PROVEN if self.binding.decision.exact else Confidence.LIKELY


def orphans(call: ToolCall, ctx: ContextState) -> Iterator[Orphan]:
    """The orphaned handles of a call, each once, in the order of the arguments."""
    if not ctx.evicted:
        return
    seen: set[str] = set()
    for handle in ctx.handles_of(call):
        if handle.value not in seen:
            seen.add(handle.value)
            found = orphan(handle, call, ctx)
            if found is not None:
                yield found


def orphan(handle: Handle, call: ToolCall, ctx: ContextState) -> Orphan | None:
    """One handle of a call, if it is orphaned."""
    if not points(handle, call):
        return None
    binding = lost_binding(handle, ctx)
    if binding is None or binding.span.where.turn > call.where.turn:
        return None
    return Orphan(handle, binding, _copy(handle.value, call, ctx))


def points(handle: Handle, call: ToolCall) -> bool:
    """Whether a handle is an argument that points at something, and no word or part of a text."""
    return handle.kind is not HandleKind.WORD and not _is_content(handle, call)


def _is_content(handle: Handle, call: ToolCall) -> bool:
    """Part of a text that is written somewhere, not an argument that points at something."""
    name = handle.path.rsplit(".", 1)[-1].rstrip("[]")
    return name in CONTENT or (isinstance(call.arguments, str) and "\n" in call.arguments)


def lost_binding(handle: Handle, ctx: ContextState) -> Eviction | None:
    """The evicted span that introduced the handle, None if it is bound, given, or never was
    bound.
    """
    value = handle.value
    gone = list(ctx.evicted_bindings(value))
    if not gone or any(eviction.span.kind in GIVEN for eviction in gone):
        return None
    if any(eviction.decision.opaque for eviction in gone):
        return None
    if next(ctx.bindings(value), None) is not None or _in_schemas(value, ctx):
        return None
    if _computed(value, ctx):
        return None
    introducing = [eviction for eviction in gone if not _echo(eviction, value, ctx)]
    if not introducing or _minted(value, introducing[0].span, ctx):
        return None
    return introducing[-1]


def _minted(value: str, first: Span, ctx: ContextState) -> bool:
    """Whether a call had used the value before any span introduced it: it is the model's own."""
    for call in ctx.calls.values():
        if call.where.turn >= first.where.turn:
            return False
        if mentions(dumps(call.arguments), value):
            return True
    return False


def _echo(eviction: Eviction, value: str, ctx: ContextState) -> bool:
    """Whether the span only repeats what the call that it answers had said."""
    call = ctx.calls.get(eviction.span.call or "")
    return call is not None and mentions(dumps(call.arguments), value)


def _in_schemas(value: str, ctx: ContextState) -> bool:
    """An enum member or a default is bound by the schema that shows it."""
    return any(
        schema.parameters is not None and value in dumps(schema.parameters)
        for schema in ctx.offered.values()
    )


def _computed(value: str, ctx: ContextState) -> bool:
    """Put together from parts that are all in sight (a path, ``owner/repo#12``)."""
    parts = [part for part in re.split(r"[/\\:#@,|=?&]+", value) if len(part) >= MIN_PART]
    return len(parts) > 1 and all(next(ctx.bindings(part), None) is not None for part in parts)


def _copy(value: str, call: ToolCall, ctx: ContextState) -> Span | None:
    for span in ctx.resident.values():
        shown = span.kind is Kind.CALL and span.arguments is not None and span.id != call.id
        if shown and value in span.text and mentions(span.text, value):
            return span
    return None
