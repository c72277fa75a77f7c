"""Pruners: each changes what the next prompt of a scene will hold."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tests.quality.scene import Call, Message, Scene

PLACEHOLDERS = (
    "[Old tool result content cleared]",
    "[cleared]",
    "[Old tool output cleared to save context space]",
    "[Output removed to save context - information superseded or no longer needed]",
    "[compacted: tool output removed to free context]",
    "[tool output omitted to fit the context window]",
    "[earlier tool output elided to save context]",
    "(Tool result removed)",
    "[Tool result pruned to save context. Call the tool again if needed.]",
    "[content pruned to save context]",
)
SUMMARIES = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The summary below covers the earlier part of the conversation.\n\n{0}",
    "Here is a summary of the conversation to date:\n\n{0}",
    "[Compaction summary] {0}",
    "<conversation-summary>\n{0}\n</conversation-summary>",
    "[Summary of earlier conversation]\n{0}",
    "The conversation history before this point was compacted into the following summary:\n{0}",
)
EMPTY = (
    "The user is working on {0} matters. Several tools were used. Work goes on.",
    "The assistant helped the user with a {0}. Next: carry on with what the user asks.",
    "So far: the request about the {0} was looked into.",
)
FAILED = (
    "Summary generation failed. {0} earlier messages were removed to free context.",
    "[Context compacted: {0} earlier messages removed to free context window]",
    "[{0} earlier messages removed to free context space]",
)
TOMBSTONES = (
    "Tool {0} is available but its schema is withheld; load it with tool_search before calling.",
    "[tool schema removed: {0}. It still exists. Ask for its definition with "
    'tool_search(query="{0}") before you use it.]',
    "The following tools are deferred: {0}. Their schemas are not in this prompt; use "
    "tool_search to load one before calling it.",
    "NOTE: the definition of `{0}` was evicted to save tokens. Re-expand it through tool_search "
    "first; do not call it from memory.",
)


def clear_results(scene: Scene, keep: int, *, inputs: bool = False) -> None:
    """Put a placeholder for every result but the newest ``keep``."""
    view = scene.view
    scene.placeholder = scene.placeholder or scene.rng.choice(PLACEHOLDERS)
    results = [m for m in scene.messages if m.kind == "result" and m.uid not in view.hidden]
    for message in results[:-keep]:
        if message.uid in view.stubs:
            continue
        view.stubs[message.uid] = scene.placeholder
        if inputs and (maker := _maker(scene, message)):
            view.bare.add(maker.uid)


def _maker(scene: Scene, result: Message) -> Message | None:
    return next((m for m in scene.messages if any(c.uid == result.answers for c in m.calls)), None)


def drop_pairs(scene: Scene, calls: Iterable[Call]) -> None:
    """Drop calls with their results."""
    for call in calls:
        scene.view.hidden |= {scene.message_of(call).uid, scene.result_of(call).uid}


def last_messages(scene: Scene, count: int, *, safe: bool = True) -> None:
    """Keep the system prompt and the newest ``count`` messages; ``safe``: never split a pair."""
    body = [m for m in scene.messages if m.kind != "system"]
    cut = max(0, len(body) - count)
    while safe and cut and (body[cut].kind == "result"):
        cut -= 1
    scene.view.hidden |= {m.uid for m in body[:cut]}


def compact(scene: Scene, facts: str = "", keeps: Iterable[Call] = (), *, tail: int = 1) -> None:
    """Put a summary for all but the newest ``tail`` messages. Without ``facts`` it says nothing."""
    text = facts or scene.rng.choice(EMPTY).format(scene.domain.thing.replace("_", " "))
    summary = scene.rng.choice(SUMMARIES).format(text)
    _replace(scene, summary, tail, frozenset(c.uid for c in keeps))


def fail_to_compact(scene: Scene, *, tail: int = 1) -> None:
    """Drop all but the newest messages, and leave only a line that says so."""
    _replace(scene, scene.rng.choice(FAILED).format(len(scene.messages)), tail, frozenset())


def _replace(scene: Scene, text: str, tail: int, keeps: frozenset[int]) -> None:
    body = [m for m in scene.messages if m.kind != "system"]
    cut = len(body) - tail
    while cut and body[cut].kind == "result":
        cut -= 1
    view = scene.view
    view.hidden |= {m.uid for m in body[:cut]}
    for uid in list(view.inserted):
        if uid <= body[cut].uid:
            del view.inserted[uid]
    message = Message(scene.uid(), "summary", text, keeps=keeps)
    view.inserted.setdefault(body[cut].uid, []).append(message)


def drop_schema(scene: Scene, *tools: str) -> None:
    """Stop offering tools."""
    for name in tools:
        scene.view.tools.pop(name, None)


def tombstone(scene: Scene, tool: str) -> None:
    """Say that a tool's schema is withheld."""
    text = scene.rng.choice(TOMBSTONES).format(tool)
    scene.insert(Message(scene.uid(), "system", text, tombstones=frozenset({tool})))


def restore(scene: Scene, tool: str) -> None:
    """Offer a tool again."""
    known = {t.name: t for t in scene.domain.tools.values()}
    scene.view.tools[tool] = known[tool].schema()


def rewrite(scene: Scene, tool: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the definition of a tool."""
    definition = copy.deepcopy(scene.view.tools[tool])
    change(definition["function"])
    scene.view.tools[tool] = definition


def without_descriptions(function: dict[str, Any]) -> None:
    """Compress soundly: prose goes, constraints stay."""
    function.pop("description", None)
    for schema in function["parameters"]["properties"].values():
        schema.pop("description", None)


def window(size: int) -> Callable[[Scene], None]:
    """Offer the tools that were used most often so far, and fill up in the order of the list."""

    def prune(scene: Scene) -> None:
        used = Counter(c.tool for m in scene.messages for c in m.calls)
        tools = [t.name for t in scene.domain.tools.values()]
        ranked = sorted(tools, key=lambda name: (-used[name], tools.index(name)))
        scene.view.tools = {
            t.name: t.schema() for t in scene.domain.tools.values() if t.name in ranked[:size]
        }

    return prune


def every(count: int, prune: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Prune only once in ``count`` model calls."""

    def sometimes(scene: Scene) -> None:
        if len(scene.sent) % count == count - 1:
            prune(scene)

    return sometimes


#: The pruners that run over whole conversations, by name.
POLICIES: dict[str, Callable[[Scene], None]] = {
    "clear-keep-1": lambda scene: clear_results(scene, 1),
    "clear-keep-3": lambda scene: clear_results(scene, 3),
    "clear-keep-5": lambda scene: clear_results(scene, 5),
    "clear-keep-3-inputs": lambda scene: clear_results(scene, 3, inputs=True),
    "last-10": lambda scene: last_messages(scene, 10),
    "last-9-unsafe": lambda scene: last_messages(scene, 9, safe=False),
    "tool-window-6": window(6),
    "tool-window-8": window(8),
    "compact-8": every(8, lambda scene: compact(scene, tail=4)),
    "compact-failed-8": every(8, lambda scene: fail_to_compact(scene, tail=4)),
}


def evict(scene: Scene, target: Call, how: str | None = None) -> None:
    """Take a call's result out of sight, in one of several ways; ``fill`` must have gone before."""
    ways: dict[str, Callable[[], None]] = {
        "clear": lambda: clear_results(scene, scene.rng.choice((1, 3))),
        "inputs": lambda: clear_results(scene, scene.rng.choice((1, 3)), inputs=True),
        "drop": lambda: drop_pairs(scene, [target]),
        "compact": lambda: compact(scene),
        "failed": lambda: fail_to_compact(scene),
        "last": lambda: last_messages(scene, 4),
    }
    ways[how or scene.rng.choice(list(ways))]()
