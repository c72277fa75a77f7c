"""One story told in the shape of every format: an agent that goes through runs, never pruned.

It is as long as one likes, for the speed of reading; and in no format may anything be found in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

TOOLS = tuple(f"tool_{n}" for n in range(7))
SYSTEM = "You look after runs, carefully and in order. " * 8
OPENING = "Go through the runs one by one."
CLOSING = "All runs are done."


@dataclass(frozen=True)
class Step:
    """A turn with a call. ``number`` counts from 0."""

    number: int
    lines: int

    @property
    def call(self) -> str:
        return f"call_{self.number}"

    @property
    def tool(self) -> str:
        return TOOLS[self.number % len(TOOLS)]

    @property
    def text(self) -> str:
        return f"Step {self.number}."

    @property
    def arguments(self) -> dict[str, Any]:
        return {"run_id": f"run_{7000 + self.number}", "depth": self.number % 9}

    @property
    def passed(self) -> str:
        return orjson.dumps(self.arguments).decode()

    @property
    def result(self) -> str:
        return "\n".join(
            f"{self.number}.{n} step {n * self.number} done" for n in range(self.lines)
        )


@dataclass(frozen=True)
class Story:
    """A session: ``steps`` turns with a call, whose results have ``lines`` lines, and an answer."""

    session: str
    steps: int
    lines: int = 12

    def __iter__(self) -> Iterator[Step]:
        return (Step(n, self.lines) for n in range(self.steps))


def definition(tool: str) -> dict[str, Any]:
    """A tool as the chat API defines it."""
    parameters = {
        "type": "object",
        "properties": {"run_id": {"type": "string"}, "depth": {"type": "integer"}},
        "required": ["run_id"],
    }
    function = {"name": tool, "description": f"Runs {tool}.", "parameters": parameters}
    return {"type": "function", "function": function}


def chat(story: Story) -> Iterator[dict[str, Any]]:
    """The whole conversation as messages of the chat API, its last answer included."""
    yield {"role": "system", "content": SYSTEM}
    yield {"role": "user", "content": OPENING}
    for step in story:
        function = {"name": step.tool, "arguments": step.passed}
        calls = [{"id": step.call, "type": "function", "function": function}]
        yield {"role": "assistant", "content": step.text, "tool_calls": calls}
        yield {"role": "tool", "tool_call_id": step.call, "content": step.result}
    yield {"role": "assistant", "content": CLOSING}


def calls(story: Story) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Every model call of a story, as its prompt and its answer."""
    messages = list(chat(story))
    for n, message in enumerate(messages):
        if message["role"] == "assistant":
            yield messages[:n], message


def write(path: Path, told: Iterable[Any]) -> Path:
    """Values as JSON lines; of a document, the only value, as one JSON text."""
    with path.open("wb") as stream:
        stream.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in told)
    return path
