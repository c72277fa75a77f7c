"""The history that OpenAI's server keeps: a request then has only what is new.

``previous_response_id`` goes on from a response: from its prompt and its output. ``conversation``
goes on from all that was said under its id. ``item_reference`` stands for an item by its id.
Instructions are never inherited, and what stands before a compaction is not sent on.
"""

from __future__ import annotations

from typing import Any

from ctxaudit.adapters import openai_responses as dialect
from ctxaudit.model import Aspect, Extent, Gap

UNSEEN = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "some prompts go on from responses or items that the log does not hold: nothing is inferred "
    "from what they lack",
)
CUT = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "with truncation on, a prompt took fewer tokens than the one before: the server may have "
    "dropped items without saying which",
)


class Chains:
    """What each response, conversation and item id of a log stands for."""

    def __init__(self) -> None:
        #: The items of a prompt and its output, and whether these are all.
        self.after: dict[str, tuple[list[Any], bool]] = {}
        self.items: dict[str, Any] = {}
        self.tokens: dict[str | None, tuple[int, int]] = {}  # of each session's last prompt

    def prompt(
        self, body: dict[str, Any], response: dict[str, Any]
    ) -> tuple[list[Any], tuple[Gap, ...]]:
        """The whole prompt of a request, and a gap if it cannot be told."""
        before, known = self._before(body)
        new, found = self._resolved(dialect.items(body))
        items = [*before, *new]
        output = response.get("output")
        said = output if isinstance(output, list) else []
        whole = known and found
        self._remember(body, response, ([*items, *said], whole))
        gaps = () if whole else (UNSEEN,)
        return [*dialect.head(body), *items], gaps

    def _before(self, body: dict[str, Any]) -> tuple[list[Any], bool]:
        previous = body.get("previous_response_id")
        if previous:
            return self.after.get(previous, ([], False))
        return self.after.get(_conversation(body) or "", ([], True))

    def _remember(
        self, body: dict[str, Any], response: dict[str, Any], prompt: tuple[list[Any], bool]
    ) -> None:
        for key in (response.get("id"), _conversation(body)):
            if isinstance(key, str) and key:
                self.after[key] = (_from_compaction(prompt[0]), prompt[1])
        output = response.get("output")
        for item in output if isinstance(output, list) else ():
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                self.items[item["id"]] = item

    def _resolved(self, items: list[Any]) -> tuple[list[Any], bool]:
        """Items in which references are what they stand for; whether all of them are known."""
        if not any(isinstance(i, dict) and i.get("type") == "item_reference" for i in items):
            return items, True
        out, known = [], True
        for item in items:
            if isinstance(item, dict) and item.get("type") == "item_reference":
                known = known and item.get("id") in self.items
                if item.get("id") not in self.items:
                    continue
                item = self.items[item["id"]]
            out.append(item)
        return out, known

    def truncated(
        self, body: dict[str, Any], session: str | None, items: list[Any], tokens: int | None
    ) -> tuple[Gap, ...]:
        """A gap if the provider counts less for a prompt that did not get shorter."""
        if tokens is None:
            return ()
        size, count = self.tokens.get(session, (0, 0))
        self.tokens[session] = (len(items), tokens)
        cut = body.get("truncation") == "auto" and len(items) >= size and tokens < count
        return (CUT,) if cut else ()


def _conversation(body: dict[str, Any]) -> str | None:
    named = body.get("conversation")
    named = named.get("id") if isinstance(named, dict) else named
    return f"conversation:{named}" if isinstance(named, str) and named else None


def _from_compaction(items: list[Any]) -> list[Any]:
    at = [
        n
        for n, item in enumerate(items)
        if isinstance(item, dict) and item.get("type") in dialect.COMPACTIONS
    ]
    return items[at[-1] :] if at else items
