"""What a rule is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ctxaudit.context import ContextState
from ctxaudit.model import (
    Aspect,
    Cause,
    Confidence,
    Evidence,
    Finding,
    Location,
    Severity,
    Span,
    ToolCall,
)

Findings = Iterator[Finding]


class Rule:
    """Watches a session go by, and reports what pruning broke.

    Every session gets a fresh instance, so a rule keeps what it has seen on ``self``. Override the
    hooks you need; a hook may yield findings, or return None when it only takes note. The
    docstring of the class is the documentation of the rule: a first line, then the sections ``What
    it does``, ``Why it matters``, ``What to do`` and ``What it leaves alone``.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[str]
    severity: ClassVar[Severity]  #: the worst that the rule reports
    state: ClassVar[bool] = False  #: it is about the state of a prompt, told once at its decision
    needs: ClassVar[frozenset[Aspect]] = frozenset()  #: what a log must show for it

    def on_result(self, call: ToolCall, result: Span, ctx: ContextState) -> Findings | None:
        """The result of a call has come. The prompt that it is part of is not complete yet."""

    def on_prompt(self, ctx: ContextState) -> Findings | None:
        """The prompt is what the model will see; ``ctx.decisions`` are those of this turn."""

    def on_reply(self, span: Span, ctx: ContextState) -> Findings | None:
        """The model has said or thought something."""

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings | None:
        """The model calls a tool. The call itself is not yet part of ``ctx``."""

    def on_end(self, ctx: ContextState) -> Findings | None:
        """The log has no more turns of this session."""

    def finding(
        self,
        where: Location,
        message: str,
        *,
        fix: str,
        cause: Cause | None,
        severity: Severity | None = None,
        confidence: Confidence = Confidence.PROVEN,
        tool: str | None = None,
        handle: str | None = None,
        evidence: tuple[Evidence, ...] = (),
        about: str = "",
    ) -> Finding:
        """A finding of this rule."""
        return Finding(
            self.code,
            self.name,
            self.severity if severity is None else severity,
            confidence,
            where,
            message,
            fix,
            cause,
            tool,
            handle,
            evidence,
            about,
            self.state,
            self.family,
        )
