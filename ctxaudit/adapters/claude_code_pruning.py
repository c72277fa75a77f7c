"""How spans leave the prompt of a lane: compaction, clearing, a new start, a rewind."""

from __future__ import annotations

from collections.abc import Iterator

from ctxaudit.adapters.claude_code_events import Boundary, Cleared
from ctxaudit.adapters.claude_code_state import State
from ctxaudit.model import DecisionKind, Turn, result_id

CLEARED = "[Old tool result content cleared]"
MICRO = "microcompact"


def compact(state: State, boundary: Boundary) -> Iterator[Turn]:
    """All but what the boundary keeps is summarised."""
    yield from state.turns.flush()
    prompt = state.prompt
    kept = prompt.spans_of(boundary.kept)
    if boundary.ends:
        kept |= prompt.between(*boundary.ends)
    kept = prompt.paired(kept) | prompt.fixed | _unanswered(state)
    gone = tuple(span for span in prompt.resident if span not in kept)
    lost = state.tools.compact(gone, boundary.discovered, state.version)
    prompt.evict(gone, state.position, lost)
    state.servers.clear()
    state.turns.pending.unread = True
    summarised, reason = DecisionKind.SPAN_SUMMARIZED, boundary.reason
    state.decide(summarised, gone, actor=boundary.actor, reason=reason)
    _unload(state, lost, boundary.actor)


def _unanswered(state: State) -> set[str]:
    """Calls whose result comes after this record: they are still to be answered."""
    return {
        span
        for span in state.prompt.resident
        if span in state.calls
        and (state.name, span) in state.answered
        and result_id(span) not in state.ids
    }


def clear(state: State, cleared: Cleared) -> Iterator[Turn]:
    """Results are emptied, attachments taken out."""
    yield from state.turns.flush()
    prompt = state.prompt
    results = dict.fromkeys(result_id(call) for call in cleared.calls)
    emptied = tuple(span for span in results if span in prompt.resident)
    lost = state.tools.drop(emptied)
    prompt.clear(emptied, state.position, lost)
    stubs = dict.fromkeys(emptied, CLEARED)
    kind, reason = DecisionKind.RESULT_CLEARED, cleared.reason
    state.decide(kind, emptied, actor=MICRO, reason=reason, stubs=stubs)
    _unload(state, lost, MICRO)
    named = prompt.spans_of(cleared.attachments)
    if gone := tuple(span for span in prompt.resident if span in named):
        prompt.evict(gone, state.position, ())
        state.decide(DecisionKind.SPAN_EVICTED, gone, actor=MICRO)


def _unload(state: State, tools: tuple[str, ...], actor: str) -> None:
    """Schemas left with the results that had loaded them; the log does not say so itself."""
    if tools:
        reason = "the tool search result that had loaded it left the prompt"
        kind = DecisionKind.SCHEMA_PRUNED
        state.decide(kind, tools=tools, actor=actor, reason=reason, explicit=False)


def reset(state: State) -> Iterator[Turn]:
    """The context is emptied, and no pruner is to blame for it."""
    if state.turns.count == 0:
        return
    yield from state.turns.flush()
    pending = state.turns.pending
    pending.withdrawn += state.prompt.empty()
    pending.decisions.clear()
    pending.unread = False
    state.prompted.clear()
    state.servers.clear()


def rewind(state: State, position: int) -> Iterator[Turn]:
    """Everything from this position on was left behind."""
    yield from state.turns.flush()
    rewound = state.prompt.rewind(position)
    state.turns.pending.withdrawn += rewound.withdrawn
    state.turns.pending.restored += rewound.restored
    state.tools.carry(rewound.tools)
