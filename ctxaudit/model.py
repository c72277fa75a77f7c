"""The vocabulary: what a log is made of, and what is said about it.

Everything here is plain data and frozen. ``ContextState`` (context.py) is the only thing that
changes while a session is replayed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum, StrEnum
from typing import Any

import orjson

from ctxaudit.frozen import frozen


class Kind(StrEnum):
    """What a span is."""

    SYSTEM = "system"
    USER = "user"
    REASONING = "reasoning"
    ASSISTANT = "assistant"
    CALL = "call"
    RESULT = "result"
    SUMMARY = "summary"
    TOMBSTONE = "tombstone"


#: Spans that can introduce a handle. A call's arguments never do.
BINDING = frozenset(
    {Kind.SYSTEM, Kind.USER, Kind.ASSISTANT, Kind.RESULT, Kind.SUMMARY, Kind.TOMBSTONE}
)


class Residency(StrEnum):
    """Whether the model can see something. What the log cannot show is unknown, never evicted."""

    RESIDENT = "resident"
    EVICTED = "evicted"
    UNKNOWN = "unknown"


class Severity(IntEnum):
    """How bad it is; ordered."""

    NOTE = 0
    WARNING = 1
    ERROR = 2
    CRITICAL = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Confidence(IntEnum):
    """How sure it is; ordered.

    ``PROVEN``: the prompts themselves or a logged decision show it. ``LIKELY``: inferred from
    structure. ``POSSIBLE``: rests on a heuristic or on text.
    """

    POSSIBLE = 0
    LIKELY = 1
    PROVEN = 2

    @property
    def label(self) -> str:
        return self.name.lower()


@frozen
class Location:
    """Where in the file and where in the conversation.

    ``line`` is 1-based (0: the format has no lines); ``turn`` counts model calls of the session
    from 1 (0: before the first call).
    """

    path: str
    line: int
    session: str = ""
    turn: int = 0


@frozen
class Span:
    """A piece of the prompt that is kept or dropped as a whole.

    ``id`` is unique within the session. ``text`` is everything the model can read in it, a call's
    arguments included. ``call`` is the id of the call that a CALL span is and a RESULT span
    answers; ``tool`` is that call's tool, ``arguments`` what a CALL span passes to it (parsed
    JSON, or raw text). ``failed`` is the log's own error flag, None where it has none.
    """

    id: str
    kind: Kind
    text: str
    where: Location
    call: str | None = None
    tool: str | None = None
    failed: bool | None = None
    arguments: Any = None


@frozen
class ToolSchema:
    """A tool as offered to the model.

    ``parameters`` is its JSON Schema, None where the log has only the name. ``deferred`` means that
    only the name is in the prompt and the schema must be loaded first: tombstoned, not resident.
    ``annotations`` are MCP's hints (``readOnlyHint``, ``destructiveHint``, ``idempotentHint``).
    """

    name: str
    parameters: Mapping[str, Any] | None = None
    description: str = ""
    deferred: bool = False
    annotations: Mapping[str, Any] | None = None


@frozen
class ToolCall:
    """A tool as used. ``arguments`` is the parsed JSON value, or the raw text if it is none.

    ``id`` is unique within the session; adapters see to it where a runtime uses an id twice.
    """

    id: str
    tool: str
    arguments: Any
    where: Location

    def span(self) -> Span:
        """The call as it will stand in the next prompts."""
        text = f"{self.tool} {dumps(self.arguments)}"
        return Span(self.id, Kind.CALL, text, self.where, self.id, self.tool, None, self.arguments)


def dumps(value: Any) -> str:
    """Compact JSON of a value that came from JSON; a text stays what it is."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # nested too deeply for it, or lone surrogates
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def result_id(call: str) -> str:
    """The span id of the result that answers a call."""
    return f"result:{call}"


class DecisionKind(StrEnum):
    """What a pruner can do."""

    SCHEMA_PRUNED = "schema-pruned"
    SCHEMA_RESTORED = "schema-restored"
    SCHEMA_COMPRESSED = "schema-compressed"
    SCHEMA_MIGRATED = "schema-migrated"
    TOMBSTONE_ADDED = "tombstone-added"
    ARGUMENTS_EVICTED = "arguments-evicted"
    RESULT_CLEARED = "result-cleared"
    SPAN_EVICTED = "span-evicted"
    SPAN_SUMMARIZED = "span-summarized"
    UNRECORDED = "unrecorded"


#: Decisions that take spans, or the text of spans, out of the prompt.
EVICTING = frozenset(
    {
        DecisionKind.ARGUMENTS_EVICTED,
        DecisionKind.RESULT_CLEARED,
        DecisionKind.SPAN_EVICTED,
        DecisionKind.SPAN_SUMMARIZED,
    }
)
#: Decisions about a tool's schema.
SCHEMA = frozenset(
    {
        DecisionKind.SCHEMA_PRUNED,
        DecisionKind.SCHEMA_RESTORED,
        DecisionKind.SCHEMA_COMPRESSED,
        DecisionKind.SCHEMA_MIGRATED,
    }
)


@frozen
class PruningDecision:
    """One thing that the pruner did before a turn.

    ``spans`` are span ids, ``tools`` tool names; ``order`` is the place within the turn, from 0.
    ``explicit``: logged, not inferred from the difference of two prompts. ``exact``: it is certain
    which spans are meant. ``opaque``: what was put in their place cannot be read, so whether a fact
    survived in it is unknown. ``external``: not the pruner's doing (a server that died, a user's
    switch, a vendor's rename). ``stubs`` maps the id of a shortened span to the text that was left
    of it.
    """

    kind: DecisionKind
    where: Location
    spans: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    order: int = 0
    actor: str | None = None
    reason: str | None = None
    score: float | None = None
    explicit: bool = False
    exact: bool = True
    opaque: bool = False
    external: bool = False
    stubs: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """What the decision is about, in a few words."""
        if self.tools:
            return ", ".join(self.tools)
        if len(self.spans) == 1:
            return self.spans[0]
        return f"{len(self.spans)} spans" if self.spans else "context"


class Aspect(StrEnum):
    """What a log can show, or fail to show."""

    SCHEMAS = "schemas"
    PROMPTS = "prompts"
    RESULTS = "results"
    SUMMARIES = "summaries"


class Extent(IntEnum):
    """How much of an aspect a log shows; ordered."""

    NONE = 0
    PARTIAL = 1
    FULL = 2

    @property
    def label(self) -> str:
        return self.name.lower()


@frozen
class Gap:
    """Something that the log cannot show, and why in plain words."""

    aspect: Aspect
    extent: Extent
    reason: str


@frozen
class Turn:
    """One model call and what changed before it, in the order of events.

    ``decisions`` is what was pruned, ``added`` what entered the prompt since the previous call
    (results of the previous call included), ``tools`` what is offered now (None: not logged),
    ``reply`` and ``calls`` what the model answered. ``complete`` is False where ``tools`` holds
    only those tools of whose status the log speaks. ``final`` marks what came after the last call:
    it is no turn of its own and carries the last turn's location. ``error`` is the provider's
    refusal. ``prompt_tokens`` is the provider's count, None where not logged. ``restored`` are the
    ids of spans that had been evicted and are in the prompt again, ``withdrawn`` those of spans
    that left without a pruning decision: a rewind, a rewritten system prompt, reasoning that is
    never sent back. ``trace`` is where the call stands in the log's own trace: the ids of the trace
    and of the span in hexadecimal, empty if the log is no trace.
    """

    where: Location
    decisions: tuple[PruningDecision, ...] = ()
    added: tuple[Span, ...] = ()
    tools: Mapping[str, ToolSchema] | None = None
    reply: tuple[Span, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    complete: bool = True
    final: bool = False
    error: str | None = None
    prompt_tokens: int | None = None
    gaps: tuple[Gap, ...] = ()
    restored: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    trace: tuple[str, str] | tuple[()] = ()


@frozen
class Evidence:
    """A place that proves a finding. ``role`` says what it shows (``prior-call``, ``binding``,
    ...)."""

    role: str
    where: Location
    excerpt: str = ""


@frozen
class Cause:
    """What led to a finding: usually a decision, else a word for what the log shows instead.

    ``kind`` is a DecisionKind's value, or ``history-only``, ``other-agent``, ``vendor-rename``.
    """

    kind: str
    where: Location
    subject: str
    explicit: bool = False
    actor: str | None = None
    reason: str | None = None
    decision: str = ""  # what the findings of one decision have in common

    @classmethod
    def of(cls, decision: PruningDecision, subject: str | None = None) -> Cause:
        """The cause that a decision is."""
        return cls(
            decision.kind.value,
            decision.where,
            subject or decision.subject,
            decision.explicit,
            decision.actor,
            decision.reason,
            f"{decision.where.turn} {decision.kind} {decision.order} {decision.subject}",
        )


@frozen
class Finding:
    """One violation, where it shows, why, and what proves it.

    ``about`` is what the finding is about apart from tool and handle (an argument digest, a
    field): it enters the fingerprint, and no line or turn does.
    """

    rule: str
    name: str
    severity: Severity
    confidence: Confidence
    where: Location
    message: str
    fix: str
    cause: Cause | None = None
    tool: str | None = None
    handle: str | None = None
    evidence: tuple[Evidence, ...] = ()
    about: str = ""
    state: bool = False  # about the state of a prompt, not about what the model did in it
    family: str = ""  # of the rule
