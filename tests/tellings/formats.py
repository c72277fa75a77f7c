"""By what each format is told: the ending of its files, and its teller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.tellings import Story, prompts, sessions, write

#: Of one session, the longer the longer its log.
SESSIONS: dict[str, tuple[str, Callable[[Story], Iterator[Any]]]] = {
    "native": ("jsonl", sessions.native),
    "claude-code": ("jsonl", sessions.claude_code),
    "claude-stream-json": ("jsonl", sessions.claude_stream),
    "codex": ("jsonl", sessions.codex),
    "pi": ("jsonl", sessions.pi),
    "opencode": ("json", sessions.opencode),
    "copilot-cli": ("jsonl", sessions.copilot_cli),
    "gemini-cli": ("jsonl", sessions.gemini_cli),
    "atif": ("json", sessions.atif),
    "cline": ("json", sessions.cline),
    "cline-sdk": ("messages.json", sessions.cline_sdk),
    "langgraph": ("jsonl", sessions.langgraph),
    "adk": ("jsonl", sessions.adk),
    "ai-sdk": ("jsonl", sessions.ai_sdk),
    "autogen": ("json", sessions.autogen),
    "goose": ("jsonl", sessions.goose),
    "hermes": ("jsonl", sessions.hermes),
    "tau-bench": ("json", sessions.tau_bench),
    "openhands": ("jsonl", sessions.openhands),
    "openhands-sdk": ("jsonl", sessions.openhands_sdk),
}
#: Of any number of sessions. A prompt repeats all that came before, so a long session is mostly
#: the same over again.
PROMPTS: dict[str, tuple[str, Callable[[Iterable[Story]], Iterator[Any]]]] = {
    "requests": ("jsonl", prompts.requests),
    "litellm": ("jsonl", prompts.litellm),
    "helicone": ("jsonl", prompts.helicone),
    "weave": ("jsonl", prompts.weave),
    "braintrust": ("jsonl", prompts.braintrust),
    "langfuse": ("jsonl", prompts.langfuse),
    "langsmith": ("jsonl", prompts.langsmith),
    "openinference": ("jsonl", prompts.openinference),
    "otel-genai": ("jsonl", prompts.otel_genai),
    "inspect": ("json", prompts.inspect),
    "swe-agent": ("traj", prompts.swe_agent),
    "vscode-debug": ("jsonl", prompts.vscode_debug),
}
#: Their logs are folders; fixtures tell of them.
FOLDERS = {"codex-trace"}


def tell(name: str, folder: Path, stories: list[Story]) -> Path:
    """Write a log of a format; of one that holds one session only the first story is told."""
    suffix, told = SESSIONS[name] if name in SESSIONS else PROMPTS[name]
    path = folder / f"{name}.{suffix}"
    if name in SESSIONS:
        return write(path, told(stories[0]))
    return write(path, told(stories[:1] if name == "swe-agent" else stories))
