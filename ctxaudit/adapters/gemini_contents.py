"""Gemini: ``{"systemInstruction": ..., "contents": [{"role", "parts": [...]}], "tools": [...]}``.

Calls and their results have ids in newer logs only. A reply is ``{"candidates": [{"content":
{...}}]}``. The client library's ``config`` is read as well, and names with underscores.
"""

from __future__ import annotations

from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.model import Aspect, Extent, Gap, Kind, dumps
from ctxaudit.pieces import Piece

#: The keys of a function's response that hold its output and nothing else.
OUTPUTS = ("output", "result", "content", "error")
CACHED = Gap(
    Aspect.PROMPTS,
    Extent.PARTIAL,
    "part of the prompt is in a cache of the provider and not in the log",
)


def prompt(body: dict[str, Any]) -> list[Any]:
    """The items of a request: its system instruction, then its contents."""
    system, contents = _field(body, "systemInstruction", "system_instruction"), body["contents"]
    items = contents if isinstance(contents, list) else [contents]
    return items if system is None else [{"role": "system", "parts": _parts(system)}, *items]


def tools(body: dict[str, Any]) -> Any:
    """The definitions that a request offers, None where it has none."""
    return _field(body, "tools")


def gaps(body: dict[str, Any]) -> tuple[Gap, ...]:
    """What the request does not show of its prompt."""
    return (CACHED,) if _field(body, "cachedContent", "cached_content") else ()


def _field(body: dict[str, Any], *names: str) -> Any:
    config = body.get("config")
    for fields in (body, config if isinstance(config, dict) else {}):
        for name in names:
            if fields.get(name) is not None:
                return fields[name]
    return None


def _parts(item: Any) -> list[Any]:
    """The parts of a content, which may also be one part, a list of them, or a text."""
    if isinstance(item, dict) and "parts" in item:
        item = item["parts"]
    parts = item if isinstance(item, list) else [item]
    return [{"text": part} if isinstance(part, str) else part for part in parts if part]


def pieces(item: Any) -> list[Piece]:
    """The pieces of one content. Raises TypeError or AttributeError if it is none."""
    role = item.get("role") if isinstance(item, dict) else "user"
    kind = {"system": Kind.SYSTEM, "model": Kind.ASSISTANT}.get(str(role), Kind.USER)
    return [piece for part in _parts(item) for piece in _part(part, kind)]


def _part(part: dict[str, Any], kind: Kind) -> list[Piece]:
    called = part.get("functionCall") or part.get("function_call")
    if called:
        return [content.call(called["name"], called.get("args"), called.get("id"))]
    answered = part.get("functionResponse") or part.get("function_response")
    if answered:
        told, failed = _output(answered.get("response"))
        return [Piece(Kind.RESULT, told, answered.get("id") or None, answered["name"], failed)]
    if isinstance(part.get("text"), str):
        thought = part.get("thought") is True
        return content.pieces(Kind.REASONING if thought else kind, part["text"])
    noise = ("thoughtSignature", "thought_signature", "inlineData", "inline_data")
    rest = {key: value for key, value in part.items() if key not in noise}
    return content.pieces(kind, dumps(rest) if rest else "[media]" if len(part) else "")


def _output(response: Any) -> tuple[str, bool | None]:
    """A function's response as text, and whether it says that it failed."""
    if not isinstance(response, dict):
        return content.text(response), None
    failed = True if response.get("error") and "output" not in response else None
    if len(response) == 1:
        key, value = next(iter(response.items()))
        if key in OUTPUTS and isinstance(value, (str, list)):
            return content.text(value), failed
    return dumps(response), failed


def said(response: dict[str, Any]) -> list[Any] | None:
    """An answer as prompt items, None if the response is of another kind."""
    candidates = response.get("candidates")
    if not isinstance(candidates, list):
        return None
    told = candidates[0].get("content") if candidates else None
    return [{"role": "model", **told}] if told else []


def tokens(response: dict[str, Any]) -> int | None:
    """The provider's count of the prompt."""
    usage = response.get("usageMetadata") or response.get("usage_metadata") or {}
    count = usage.get("promptTokenCount", usage.get("prompt_token_count"))
    return count if isinstance(count, int) else None


def message_of(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that streamed chunks make up."""
    parts: list[Any] = []
    usage: dict[str, Any] = {}
    for chunk in chunks:
        usage = chunk.get("usageMetadata") or usage
        for candidate in (chunk.get("candidates") or ())[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                if parts and _is_text(part) and _is_text(parts[-1]):
                    parts[-1] = {**part, "text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
    told = {"role": "model", "parts": parts}
    return {"candidates": [{"content": told}], "usageMetadata": usage}


def _is_text(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and not part.get("thought")
