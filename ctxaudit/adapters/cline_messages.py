"""Messages of Cline and Roo Code, in both of their dialects: messages in, spans and turns out.

Calls are blocks, as the Anthropic API has them, or XML in an answer's text:

    assistant  "I look.\\n\\n<read_file>\\n<path>a.py</path>\\n</read_file>"
    user       "[read_file for 'a.py'] Result:", "<content>...", "<environment_details>..."

Of XML only that is a call which is answered by such a header, or closes a text as one of the
runtimes' own tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxaudit.adapters import provider_content as content
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import DecisionKind, Kind, Turn
from ctxaudit.patterns import regex

Message = dict[str, Any]
#: How a runtime begins the result of a call that was XML.
_HEADER = regex(r"(?s)\A\[(\w+)(?: for .*?)?\] Result:\s*")
_OPEN = regex(r"\A\s*<(\w+)>")
FAILED = ("The tool execution failed with the following error:", "The user denied this operation.")
#: Parameters that may hold anything, tags of the same name among it: the last end tag counts.
ANYTHING = frozenset({"content", "diff", "result", "args", "arguments", "command", "message"})
#: Tools that both runtimes, or one of them, have in this dialect.
OWN = (
    "execute_command read_file write_to_file replace_in_file apply_diff insert_content "
    "search_and_replace search_files list_files list_code_definition_names codebase_search "
    "browser_action use_mcp_tool access_mcp_resource load_mcp_documentation web_fetch "
    "ask_followup_question attempt_completion plan_mode_respond switch_mode new_task "
    "fetch_instructions update_todo_list run_slash_command condense summarize_task"
).split()


class Talk:
    """A conversation, with the spans of each message and block."""

    def __init__(self, name: str, path: str) -> None:
        self.talk = Conversation(name, path)
        self.spans: dict[int, list[str]] = {}  # of each message
        self.blocks: dict[tuple[int, int], list[str]] = {}  # of each block of a message
        self.written: set[str] = set()  # calls that were XML
        self._open = ""  # the last of them
        self._count = 0

    def take(
        self, at: int, message: Message, after: Message | None, line: int, tokens: int | None
    ) -> Iterator[Turn]:
        """Read the message at a place; ``after`` is the next one, which tells of calls in XML."""
        mark = self.talk.mark()
        blocks = _blocks(message)
        if message.get("role") == "assistant":
            yield self._answer(at, blocks, after, line, tokens)
        else:
            self._enter(at, blocks, line)
        self.spans[at] = self.talk.since(mark)

    def prune(self, kind: DecisionKind, gone: list[str], line: int, actor: str) -> None:
        """Take spans out; of a call or a result that is a block, what belongs to it too: neither
        is sent without the other."""
        taken = set(gone)
        for span_id in self.talk.paired(gone):
            span = self.talk.resident.get(span_id)
            if span is not None and not self.written & {span.id, span.call}:
                taken.add(span_id)
        ordered = [span_id for span_id in self.talk.resident if span_id in taken]
        self.talk.prune(kind, ordered, line, actor=actor)

    # -- what the model answered ----------------------------------------------------------------

    def _answer(
        self, at: int, blocks: list[Any], after: Message | None, line: int, tokens: int | None
    ) -> Turn:
        texts = [content.text(b) for b in blocks if _sort(b) == "text"]
        text = "\n".join(filter(None, texts))
        thoughts = [str(b.get("thinking") or "") for b in blocks if _sort(b) == "thinking"]
        used = [b for b in blocks if _sort(b) == "tool_use"]
        calls = [(str(b.get("id") or ""), str(b.get("name") or ""), b.get("input")) for b in used]
        if not calls and (written := _written(text, after)) is not None:
            text, tool, arguments = written
            self._count += 1
            self._open = f"call:{self._count}"
            self.written.add(self._open)
            calls = [(self._open, tool, arguments)]
        mark = self.talk.mark()
        turn = self.talk.answer(
            line, text=text, reasoning="\n".join(filter(None, thoughts)), calls=calls, tokens=tokens
        )
        called = [call.id for call in turn.calls]
        said = [span_id for span_id in self.talk.since(mark) if span_id not in called]
        own = iter(called)
        for place, block in enumerate(blocks):
            self.blocks[at, place] = [next(own)] if _sort(block) == "tool_use" else said
        return turn

    # -- what came ------------------------------------------------------------------------------

    def _enter(self, at: int, blocks: list[Any], line: int) -> None:
        awaited = False  # the result of a call that was XML
        for place, block in enumerate(blocks):
            mark = self.talk.mark()
            if _sort(block) == "tool_result":
                failed = True if block.get("is_error") is True else None
                told = content.text(block.get("content"))
                self.talk.result(str(block.get("tool_use_id") or ""), told, line, failed)
            elif (found := self._header(block)) is not None:
                awaited = not found
                self._result(found, line)
            elif awaited:
                awaited = False
                self._result(content.text(block), line)
            else:
                self.talk.says(Kind.USER, content.text(block), line)
            self.blocks[at, place] = self.talk.since(mark)

    def _header(self, block: Any) -> str | None:
        """What follows the header of a result in the same block, None if there is no header."""
        text = content.text(block) if _sort(block) == "text" else ""
        found = _HEADER.match(text) if self._open else None
        return text[found.end() :] if found else None

    def _result(self, text: str, line: int) -> None:
        if text:
            failed = True if text.startswith(FAILED) else None
            self.talk.result(self._open, text, line, failed)


def _blocks(message: Message) -> list[Any]:
    told = message.get("content")
    blocks = told if isinstance(told, list) else [] if told is None else [told]
    return [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]


def _sort(block: Any) -> str:
    if not isinstance(block, dict):
        raise TypeError("a block is no object")
    return str(block.get("type"))


def text_of(message: Message) -> str:
    """All text of a message. Raises: TypeError if a block is no object."""
    return "\n".join(content.text(block) for block in _blocks(message) if _sort(block))


def _written(text: str, after: Message | None) -> tuple[str, str, dict[str, str]] | None:
    """A call that is XML in a text: what is said before it, the tool and the arguments."""
    headers = (_HEADER.match(content.text(b)) for b in _blocks(after or {}) if _sort(b) == "text")
    tool = next((header[1] for header in headers if header), None)
    if tool is None:
        tool = next((own for own in OWN if text.rstrip().endswith(f"</{own}>")), None)
    if tool is None or (start := _start(text, tool)) < 0:
        return None
    inner, _, _ = text[start + len(tool) + 2 :].rpartition(f"</{tool}>")
    inner = inner or text[start + len(tool) + 2 :]
    return text[:start].rstrip(), tool, _parameters(inner)


def _start(text: str, tool: str) -> int:
    """Where a call begins: at the beginning of a line, if it does anywhere."""
    tag = f"<{tool}>"
    if text.startswith(tag):
        return 0
    at = text.find(f"\n{tag}")
    return at + 1 if at >= 0 else text.find(tag)


def _parameters(inner: str) -> dict[str, str]:
    """The parameters of a call by name; of one that is cut off what there is."""
    found: dict[str, str] = {}
    while (tag := _OPEN.match(inner)) is not None:
        name, rest = tag[1], inner[tag.end() :]
        end = f"</{name}>"
        at = rest.rfind(end) if name in ANYTHING else rest.find(end)
        value, inner = (rest[:at], rest[at + len(end) :]) if at >= 0 else (rest, "")
        found[name] = value.strip("\n")
    return found
