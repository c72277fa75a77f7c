"""A rule's example: a log of its fixtures, told turn by turn, and what the rule says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from ctxaudit.adapters import native
from ctxaudit.audit import Input, Options, audit
from ctxaudit.log import Log, Source
from ctxaudit.model import ToolSchema, Turn
from ctxaudit.rule import Rule
from ctxaudit.safe import clean, excerpt
from ctxaudit.shipped import example_of, twins_of

WIDTH = 88
MAX_LINES = 40


def example(rule: type[Rule]) -> str:
    """The example in plain lines, and what is found in it; empty if the fixtures are not here."""
    path = example_of(rule.__module__.rsplit(".", 1)[-1])
    return "\n".join([*_turns(path), "", *_findings(rule, path)]) if path else ""


def sound(rule: type[Rule]) -> tuple[str, str]:
    """A sound version of the example: what makes it one, and its turns; both empty if there is
    none."""
    twins = twins_of(rule.__module__.rsplit(".", 1)[-1])
    if not twins:
        return "", ""
    why = twins[0].stem.removeprefix("good_").replace("_", " ")
    return why, "\n".join(_turns(twins[0]))


def _turns(path: Path) -> list[str]:
    told: list[str] = []
    tools: Mapping[str, ToolSchema] | None = None
    for turn in native.read(Source((Log(str(path)),))):
        told += _turn(turn, tools)
        tools = turn.tools
    if len(told) > MAX_LINES:
        told = [*told[:MAX_LINES], "..."]
    return told


def _turn(turn: Turn, before: Mapping[str, ToolSchema] | None) -> Iterator[str]:
    lead = "after it" if turn.final else f"turn {turn.where.turn}"
    for line in (*_prompt(turn), *_offer(turn.tools, before), *_answer(turn)):
        yield f"{lead:<9} {excerpt(line, width=WIDTH)}"
        lead = ""


def _prompt(turn: Turn) -> Iterator[str]:
    for decision in turn.decisions:
        by = f" by {decision.actor}" if decision.actor else ""
        why = f": {decision.reason}" if decision.reason else ""
        yield f"pruner: {decision.kind.value} of {decision.subject}{by}{why}"
    for span in turn.added:
        yield f"{span.kind.value}: {span.text}"


def _offer(
    tools: Mapping[str, ToolSchema] | None, before: Mapping[str, ToolSchema] | None
) -> Iterator[str]:
    if tools is None or tools is before:
        return
    if before is None:
        yield f"tools: {', '.join(tools) or 'none'}"
        return
    if gone := [name for name in before if name not in tools]:
        yield f"tools: {', '.join(gone)} no longer"
    if new := [name for name in tools if name not in before]:
        yield f"tools: {', '.join(new)} as well"


def _answer(turn: Turn) -> Iterator[str]:
    for span in turn.reply:
        yield f"{span.kind.value}: {span.text}"
    for call in turn.calls:
        yield f"call: {call.span().text}"
    if turn.error is not None:
        yield f"refused: {turn.error}"


def _findings(rule: type[Rule], path: Path) -> Iterator[str]:
    for report in audit([Input(str(path))], Options(rules=(rule,))):
        for found in report.findings:
            grade = f"{found.rule} {found.name} ({found.severity.label})"
            told = f"turn {found.where.turn}: {grade} {clean(found.message)}"
            yield from wrap(told, WIDTH + 10, subsequent_indent="  ")
