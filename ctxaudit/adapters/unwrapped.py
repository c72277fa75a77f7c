"""The prompt and the answer of a model call in the wrappings that tracers and SDKs put them in.

A prompt may be a provider's body, the list of its messages or items, or what a traced function was
called with; messages may be LangChain's or the Vercel AI SDK's. All of it becomes a provider's
body and response; a value that was cut in the middle is told by ``CutError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxaudit.adapters import ai_sdk, anthropic_messages, langchain
from ctxaudit.adapters.envelopes import ITEMS
from ctxaudit.adapters.openai_chat import is_definition
from ctxaudit.adapters.spans import CutError, lenient, loads

#: What a traced function's arguments keep the body in.
WRAPPERS = ("kwargs", "request", "request_body", "body", "inputs")
#: What a message has that says something.
SAID = ("content", "tool_calls", "parts", "kwargs", "data")
OUTPUTS = frozenset({*ITEMS, "custom_tool_call", "web_search_call", "mcp_call"})
LANGCHAIN = frozenset({*langchain.ROLES, "constructor"})


def request(prompt: Any, answer: Any = None, tools: Any = None) -> dict[str, Any] | None:
    """The body of a request, with the tools that are logged beside it; None if it is no chat.

    Raises: CutError if the prompt was cut.
    """
    body = _body(loads(prompt), answer)
    if body is None:
        return None
    body = dict(body)
    if isinstance(body.get("messages"), list):
        messages = body["messages"]
        if len(messages) == 1 and isinstance(messages[0], list):
            messages = messages[0]
        messages = [made for message in messages for made in plain(message)]
        if told := [m["content"] for m in messages if is_definition(m)]:
            messages = [m for m in messages if not is_definition(m)]
            body.setdefault("tools", told)
        body["messages"] = messages
    if (beside := _tools(tools)) is not None and body.get("tools") is None:
        body["tools"] = beside
    return body


def _body(told: Any, answer: Any) -> dict[str, Any] | None:
    if isinstance(told, str):
        return {"input": told} if _are_items(lenient(answer)) else None
    if isinstance(told, list):
        messages = told[0] if len(told) == 1 and isinstance(told[0], list) else told
        if not any(isinstance(m, dict) for m in messages):
            return None
        items = _are_items(messages) or _are_items(lenient(answer))
        return {"input" if items else "messages": messages}
    if not isinstance(told, dict):
        return None
    if is_body(told):
        return told
    for key in WRAPPERS:
        inner = loads(told.get(key))
        if isinstance(inner, dict) and is_body(inner):
            return inner
    told = told.get("prompt")
    return _body(told, answer) if isinstance(told, list) else None


def is_body(value: dict[str, Any]) -> bool:
    """Whether an object holds a prompt as a provider's API takes it."""
    if isinstance(value.get("messages"), list) or isinstance(value.get("contents"), list):
        return True
    told = value.get("input")
    return isinstance(told, list) or (isinstance(told, str) and "model" in value)


def _are_items(value: Any) -> bool:
    if isinstance(value, dict):
        value = value.get("output")
    return isinstance(value, list) and any(
        isinstance(item, dict) and str(item.get("type")) in OUTPUTS and _item(item)
        for item in value
    )


def _item(item: dict[str, Any]) -> bool:
    """Whether what may be an item of the Responses API is one: other messages have a type too."""
    return item["type"] != "message" or isinstance(item.get("content"), list)


def _tools(tools: Any) -> Any:
    """Definitions, of which each, or all of them, may be JSON in a text. A cut one is no list."""
    tools = lenient(tools)
    if isinstance(tools, dict):
        return {name: lenient(tool) for name, tool in tools.items()} or None
    return [lenient(tool) for tool in tools] if isinstance(tools, list) else None


def plain(message: Any) -> Iterator[Any]:
    """A message as the chat API takes it; of the AI SDK's tool messages one a result."""
    if not isinstance(message, dict):
        yield message
    elif "role" not in message and str(message.get("type")) in LANGCHAIN:
        yield _of_langchain(message)
    elif ai_sdk.speaks(message):
        yield from ai_sdk.plain(message)
    elif any("function" not in call and "name" in call for call in _calls(message)):
        yield {**message, "tool_calls": [_call(call) for call in _calls(message)]}
    else:
        yield message


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    return [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call of a chat message; LangChain's has name and arguments on top."""
    if "function" in call or "name" not in call:
        return call
    passed = call.get("args", call.get("arguments"))
    return {"id": call.get("id"), "function": {"name": call["name"], "arguments": passed}}


def _of_langchain(message: dict[str, Any]) -> dict[str, Any]:
    told = langchain.plain(message)
    sort = str(told["type"])
    content = langchain.content_text(told["content"])
    made: dict[str, Any] = {"role": langchain.ROLES.get(sort, "user"), "content": content}
    if told["tool_calls"]:
        made["tool_calls"] = [_call(call) for call in _calls(told)]
    if told["tool_call_id"]:
        made["tool_call_id"] = told["tool_call_id"]
    if told["status"] == "error":
        made["is_error"] = True
    return made


def response(answer: Any, body: dict[str, Any]) -> dict[str, Any] | None:
    """What came back for a body, as its provider would have put it; None if that is not known."""
    try:
        told = loads(answer)
    except CutError:
        return None
    if isinstance(told, str):
        return _spoken({"role": "assistant", "content": told}, body) if told else None
    if isinstance(told, list):
        return _listed(told, body)
    if not isinstance(told, dict):
        return None
    if any(isinstance(told.get(key), list) for key in ("choices", "candidates", "output")):
        return told
    if isinstance(generations := told.get("generations"), list) and generations:
        last = generations[0]
        last = last[0] if isinstance(last, list) and last else last
        told = last if isinstance(last, dict) else {}
    if isinstance(told.get("message"), dict):
        told = told["message"]
    if not any(key in told for key in SAID):
        return None
    own = str(told.get("type")) in LANGCHAIN
    return _spoken(told if own else {"role": "assistant", **told}, body)


def _listed(told: list[Any], body: dict[str, Any]) -> dict[str, Any] | None:
    found = [item for item in told if isinstance(item, dict)]
    if not found:
        return None
    if "message" in found[0]:
        return {"choices": found}
    if _are_items(found):
        return {"object": "response", "output": found}
    said = [item for item in found if item.get("role") in ("assistant", "model", "ai")]
    if said:
        return _spoken(said[-1], body)
    if all("type" in item for item in found):
        return _spoken({"role": "assistant", "content": found}, body)
    return None


def _spoken(message: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """An answer that is one message, as a response of the API that the body is for."""
    if "contents" in body:
        parts = message.get("parts") or [{"text": str(message.get("content") or "")}]
        return {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    usage = {"usage": message["usage"]} if isinstance(message.get("usage"), dict) else {}
    said = next(plain(message))
    content = said.get("content")
    if "messages" not in body:
        return {"object": "response", "output": list(_items(said)), **usage}
    speaker = body if anthropic_messages.speaks(body) else {"messages": [said]}
    if anthropic_messages.speaks(speaker) and not said.get("tool_calls"):
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        return {"type": "message", "role": "assistant", "content": blocks, **usage}
    return {"choices": [{"message": said}], **usage}


def _items(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if said.get("content"):
        yield {"type": "message", "role": "assistant", "content": said["content"]}
    for call in _calls(said):
        yield {"type": "function_call", "call_id": call.get("id"), **call["function"]}
