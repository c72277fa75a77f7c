from __future__ import annotations

from ctxaudit.context import ContextState
from ctxaudit.knowledge.placeholders import embedded, hinted
from ctxaudit.knowledge.schemas import flatten
from ctxaudit.model import Cause, Evidence, Kind, Severity, Span, ToolCall, dumps
from ctxaudit.rule import Findings, Rule

MIN_STUB, MAX_STUB = 6, 300  # characters of a stub that is known by its text alone
WINDOW = 200_000  # characters of an argument that are looked at


class PlaceholderAsData(Rule):
    """A call's argument carries a pruner's placeholder as if it were content.

    ## What it does
    Reports a call that passes on the text that a pruner left in place of something: it gets written
    into files, messages and records.

    ## Why it matters
    The content is gone twice: first from the prompt, and now from where the model wrote it.

    ## What to do
    Make placeholders say that they are no content, and refuse arguments that carry them.

    ## What it leaves alone
    Placeholders that are not in this session's prompt, and texts that talk about such placeholders.
    """

    code = "OR206"
    name = "placeholder-as-data"
    family = "orphaned-reference"
    severity = Severity.ERROR

    def on_call(self, call: ToolCall, ctx: ContextState) -> Findings:
        if not hinted(dumps(call.arguments)):
            return
        for path, leaf in flatten(call.arguments):
            if not isinstance(leaf, str):
                continue
            phrase = embedded(leaf[:WINDOW]) or _copied(leaf[:WINDOW], ctx)
            source = self._source(phrase, ctx) if phrase else None
            if phrase is None or source is None:
                continue
            eviction = ctx.evicted.get(source.id)
            yield self.finding(
                call.where,
                f"{call.tool} passes on a placeholder as content in `{path}`: {phrase}",
                fix="restore what the placeholder stands for before it is written, and reject such "
                "arguments",
                cause=Cause.of(eviction.decision, source.id) if eviction else None,
                tool=call.tool,
                handle=phrase,
                evidence=(Evidence("placeholder", source.where, source.text),),
                about=path,
            )
            return

    @staticmethod
    def _source(phrase: str, ctx: ContextState) -> Span | None:
        """The stub in the prompt that the phrase was copied from."""
        for span in ctx.resident.values():
            if phrase in span.text and (
                span.kind in (Kind.TOMBSTONE, Kind.SUMMARY)
                or (span.kind is Kind.RESULT and phrase in _margins(span.text))
            ):
                return span
        return None


def _copied(text: str, ctx: ContextState) -> str | None:
    """A line of the text that is, as a whole, what stands in this prompt for something cleared."""
    lines = {line.strip() for line in text.split("\n")}
    for span in ctx.resident.values():
        if span.kind is Kind.TOMBSTONE and MIN_STUB <= len(span.text) <= MAX_STUB:
            stub = span.text.strip()
            if stub in lines and span.id in ctx.evicted:
                return stub
    return None


def _margins(text: str) -> str:
    """The first and last lines of a result: where a runtime says what it left out."""
    lines = text.strip().splitlines()
    return "\n".join(lines[:2] + lines[-2:])
