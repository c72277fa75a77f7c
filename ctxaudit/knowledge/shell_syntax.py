"""Shell text cut into simple commands, without ever failing on hostile input.

    cd /w && FOO=1 pytest -q 2>&1 | tail -5   ->   [cd /w] && [FOO=1 pytest -q, 2>&1] | [tail -5]

Not a shell: no expansion, no control flow. Commands inside ``$(...)``, backticks and ``<(...)``
come after the others, joined by ``$(``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ctxaudit.frozen import frozen
from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

MAX_TEXT = 16_000
MAX_NESTING = 4
MAX_COMMANDS = 400

_TOKEN = regex(
    r"""
    (?P<space>[ \t\r\f\v]+|\\\r?\n)
    |(?P<redirect>(?:\d{1,2}|&)?(?:>>|>\||>&|<<<|<<-?|<&|(?<!<)<(?!\()|>(?!\()))
    |(?P<op>&&|\|\||\|&|;;&?|[;&|()\n])
    |(?P<single>'[^']*'?)
    |(?P<double>")
    |(?P<nested>\$\(|`|[<>]\()
    |(?P<escape>\\[^\n]?)
    |(?P<text>[^\s'"\\`;&|()<>$]+|\$|[<>])
    |(?P<other>.)
    """,
    re.X | re.S,
)
_IN_DOUBLE = regex(r'[^"\\`$]+|["\\`]|\$\(|\$', re.S)
_IN_PARENS = regex(r"[^()'\"\\]+|'[^']*'?|\\.?|[()\"]", re.S)
#: Words that stand before a command and are none.
RESERVED = word_set("if then elif else while until do ! { time coproc")
#: Words that begin or end a construct, with no command after them.
CONSTRUCTS = word_set("for case select function fi done esac } in")


@frozen
class Redirect:
    """``op`` is the operator without its descriptor (``>``, ``>>``, ``>&``, ``<``)."""

    op: str
    target: str


@dataclass(slots=True)
class Simple:
    """A command with its words unquoted; ``joined`` is the operator before it."""

    joined: str = ""
    words: list[str] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    stdin: str = ""

    @property
    def empty(self) -> bool:
        return not self.words and not self.redirects


def split(text: str, depth: int = 0) -> list[Simple]:
    """All simple commands of a shell text, in order."""
    scanner = _Scanner(text[:MAX_TEXT])
    scanner.run()
    found = [item for item in scanner.commands if not item.empty]
    if depth < MAX_NESTING:
        for inner in scanner.nested:
            for item in split(inner, depth + 1):
                item.joined = "$("
                found.append(item)
    return found[:MAX_COMMANDS]


class _Scanner:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.parens = 0
        self.word: list[str] = []
        self.in_word = False
        self.redirect = ""
        self.heredocs: list[tuple[Simple, str]] = []
        self.nested: list[str] = []
        self.commands = [Simple()]

    def run(self) -> None:
        while self.at < len(self.text):
            if not self.in_word and self.text[self.at] == "#":
                self.at = _find(self.text, "\n", self.at)
                continue
            if self._here_string():
                continue
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                break
            self.at = match.end()
            self._token(match.lastgroup or "", match.group())
        self._end_word()

    def _here_string(self) -> bool:
        """PowerShell's ``@'`` up to a line that begins with ``'@``."""
        opening = self.text[self.at : self.at + 3].replace("\r", "\n")
        if self.in_word or opening not in ("@'\n", '@"\n'):
            return False
        end = _find(self.text, f"\n{opening[1]}@", self.at)
        self._add(self.text[self.at + 3 : end])
        self.at = end + 3
        return True

    def _token(self, kind: str, token: str) -> None:
        if kind == "space":
            self._end_word()
        elif kind == "redirect":
            self._end_word()
            self.redirect = token.lstrip("0123456789")
        elif kind == "op":
            self._end_word()
            self._operator(token)
        elif kind == "single":
            self._add(token.strip("'") if token.count("'") < 3 else token)
        elif kind == "double":
            self._double()
        elif kind == "nested":
            self._nest(token)
        elif kind == "escape":
            # Windows paths keep their backslashes.
            self._add(token if token[1:].isalnum() or token[1:] in "._" else token[1:])
        else:
            self._add(token)

    def _add(self, text: str) -> None:
        self.in_word = True
        self.word.append(text)

    def _end_word(self) -> None:
        if not self.in_word:
            return
        word = "".join(self.word)
        self.word, self.in_word = [], False
        current = self.commands[-1]
        if not self.redirect:
            current.words.append(word)
            return
        op, self.redirect = self.redirect, ""
        if op in ("<<", "<<-"):
            self.heredocs.append((current, word))
        elif op == "<<<":
            current.stdin = word
        else:
            current.redirects.append(Redirect(op, word))

    def _operator(self, op: str) -> None:
        self.redirect = ""
        if op == "(":
            self.parens += 1
        elif op == ")":
            if self.parens == 0:
                # The pattern of a case branch.
                self.commands[-1].words.clear()
            self.parens = max(0, self.parens - 1)
        if op == "\n":
            self._bodies()
        if self.commands[-1].empty:
            self.commands[-1].joined = self.commands[-1].joined or (";" if op in "()\n" else op)
        else:
            self.commands.append(Simple(";" if op in "()\n" else op))

    def _bodies(self) -> None:
        for command, delimiter in self.heredocs:
            lines: list[str] = []
            while self.at < len(self.text):
                end = _find(self.text, "\n", self.at)
                line = self.text[self.at : end]
                self.at = end + 1
                if line.strip() == delimiter:
                    break
                lines.append(line)
            command.stdin = "\n".join(lines)
        self.heredocs.clear()

    def _double(self) -> None:
        self._add("")
        while self.at < len(self.text):
            match = _IN_DOUBLE.match(self.text, self.at)
            if match is None:
                return
            token, self.at = match.group(), match.end()
            if token == '"':
                return
            if token == "\\":
                following = self.text[self.at : self.at + 1]
                self._add(following if following in ('"', "\\", "$", "`") else "\\" + following)
                self.at += 1
            elif token in ("`", "$("):
                self._nest(token)
            else:
                self._add(token)

    def _nest(self, opening: str) -> None:
        start = self.at
        ticks = opening == "`"
        end = _find(self.text, "`", start) if ticks else _closing(self.text, start)
        self.at = end + 1
        inner = self.text[start:end]
        self._add(opening + inner + ("`" if ticks else ")"))
        if not (opening == "$(" and inner.startswith("(")):  # $((1 + 2)) is arithmetic
            self.nested.append(inner)


def _find(text: str, what: str, start: int) -> int:
    at = text.find(what, start)
    return len(text) if at < 0 else at


def _closing(text: str, start: int) -> int:
    """Where the parenthesis that was opened before ``start`` is closed."""
    depth, at, quoted = 1, start, False
    while at < len(text):
        match = _IN_PARENS.match(text, at)
        if match is None:
            break
        token = match.group()
        if token == '"':
            quoted = not quoted
        elif not quoted and token in ("(", ")"):
            depth += 1 if token == "(" else -1
            if depth == 0:
                return at
        at = match.end()
    return len(text)
