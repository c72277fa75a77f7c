"""Calls within program text: code mode, where the model writes a program that calls tools.

    const r = await tools.exec_command({cmd: "git status", workdir: "/w"}); text(r.output)
    tools.send_mail(to="a@b.c", subject="Hi")              call_tool("send_mail", {"to": "a@b.c"})

Read without running it: what is no literal (a variable, a sum) is None, and a call in a loop is
one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

Call = tuple[str, dict[str, object]]

SCAN = 16_000  # characters of a program
MAX_CALLS = 40
DEEPEST = 12
#: Arguments that hold a program.
CODE_KEYS = ("code", "script", "source", "program", "javascript", "python", "input")
#: Parts of the names of tools that run a program.
RUNNERS = ("exec", "run", "eval", "code", "script", "python", "repl", "sandbox", "interpret")
#: What tools hang on in a program, and functions that take a tool's name first.
_CALL = regex(
    r"(?<![\w.$])(?:(?:tools|functions|mcp|toolbox|codemode)\.(?P<name>[A-Za-z_$][\w$.]{0,120})"
    r"|(?:await\s+)?(?:\w+\.)?(?P<bridge>call_?tool|invoke_?tool|use_?tool|callTool|invokeTool))"
    r"\s{0,3}\("
)
_STRING = regex(r"[rbfu]{0,2}(?P<quote>\"\"\"|'''|[\"'`])", 2)
_NUMBER = regex(r"[+-]?\d[\d_]*(?:\.\d+)?(?![\w.])")
_WORD = regex(r"[A-Za-z_$][\w$]*")
_SPACE = regex(r"(?:\s|//[^\n]*\n|/\*.*?\*/|#[^\n]*\n)*", 16)
WORDS: dict[str, object] = {"true": True, "false": False, "True": True, "False": False}
WORDS |= dict.fromkeys(("null", "None", "undefined"))
CLOSERS = word_set("} ] )")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


def program_of(tool: str, arguments: object) -> str | None:
    """The program that a call runs, None if it runs none: one that is written to a file is text."""
    if not any(word in tool.lower() for word in RUNNERS):
        return None
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping) and not any("path" in str(k).lower() for k in arguments):
        for key in CODE_KEYS:
            if isinstance(text := arguments.get(key), str):
                return text
    return None


def inner_calls(tool: str, arguments: object) -> list[Call]:
    """The tools that the program of a call calls, each with what can be read of its arguments."""
    text = program_of(tool, arguments)
    if text is None or "(" not in text:
        return []
    text = text[:SCAN]
    found: list[Call] = []
    for match in _CALL.finditer(text):
        name: str | None = match["name"]
        given = _Reader(text, match.end()).arguments()
        if match["bridge"]:
            name = next((v for k, v in given if k is None and isinstance(v, str)), None)
            given = [(k, v) for k, v in given if k is not None or not isinstance(v, str)]
        if name:
            found.append((name, _named(given)))
        if len(found) == MAX_CALLS:
            break
    return found


def _named(given: list[tuple[str | None, object]]) -> dict[str, object]:
    """Arguments by name: those of a literal object, and those that are passed by name."""
    named: dict[str, object] = {}
    for key, value in given:
        if key is not None:
            named[key] = value
        elif isinstance(value, dict):
            named |= value
    return named


class _Reader:
    """Reads literals of JavaScript and Python from a place in a text."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def arguments(self) -> list[tuple[str | None, object]]:
        """What stands between the parentheses, by name where it has one."""
        return list(self._items(")", 0))

    def _items(self, closer: str, depth: int) -> Iterator[tuple[str | None, object]]:
        while self.at < len(self.text):
            start = self.at
            self._space()
            if self._peek() == closer or self._peek() in CLOSERS or not self._peek():
                self.at += 1
                return
            key = self._key()
            yield key, self._value(depth)
            self._rest()
            if self._peek() == ",":
                self.at += 1
            elif self.at == start:
                return

    def _key(self) -> str | None:
        """A name before ``:`` or ``=``, else nothing is read."""
        start = self.at
        word = _WORD.match(self.text, self.at)
        if word:
            self.at, key = word.end(), word.group()
        else:
            key = str(self._string() or "")
        self._space()
        sign = self.text[self.at : self.at + 2]
        if key and sign[:1] in (":", "=") and sign not in ("==", "=>"):
            self.at += 1
            self._space()
            return key
        self.at = start
        return None

    def _value(self, depth: int) -> object:
        self._space()
        char, start = self._peek(), self.at
        if depth > DEEPEST:
            return None
        if char == "{":
            self.at += 1
            return {k: v for k, v in self._items("}", depth + 1) if k is not None}
        if char == "[":
            self.at += 1
            return [v for _, v in self._items("]", depth + 1)]
        value = self._string()
        if value is None and (number := _NUMBER.match(self.text, self.at)):
            self.at = number.end()
            digits = number.group().replace("_", "")
            value = float(digits) if "." in digits else int(digits[:30])
        if value is None and (word := _WORD.match(self.text, self.at)) and word[0] in WORDS:
            self.at = word.end()
            value = WORDS[word[0]]
        self._space()
        if self._peek() not in (",", "}", "]", ")", ""):
            self.at = start  # only the beginning of an expression
            return None
        return value

    def _string(self) -> object:
        opened = _STRING.match(self.text, self.at)
        if opened is None:
            return None
        quote, at = opened["quote"], opened.end()
        out: list[str] = []
        while at < len(self.text):
            if self.text.startswith(quote, at):
                self.at = at + len(quote)
                text = "".join(out)
                return None if quote == "`" and "${" in text else text
            if self.text[at] == "\\" and at + 1 < len(self.text):
                out.append(ESCAPES.get(self.text[at + 1], self.text[at + 1]))
                at += 2
                continue
            out.append(self.text[at])
            at += 1
        return None

    def _rest(self) -> None:
        """Pass over what is left of an expression, up to a comma or the end of what holds it."""
        depth = 0
        while self.at < len(self.text):
            char = self._peek()
            if char in "\"'`":
                before = self.at
                self._string()
                self.at += self.at == before
                continue
            if depth == 0 and char in ",}])":
                return
            depth += (char in "([{") - (char in ")]}")
            self.at += 1

    def _space(self) -> None:
        if found := _SPACE.match(self.text, self.at):
            self.at = found.end()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]
