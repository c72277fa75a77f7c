"""What a shell command does, and the same command written in another way.

git status && rg foo | head      READ          npm test 2>&1 | tail -5    READ, a check
gh pr create --fill              adds          sed -i s/a/b/ x.py         MUTATION
./run.sh                         UNKNOWN
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ctxaudit.frozen import frozen
from ctxaudit.knowledge import programs
from ctxaudit.knowledge.agent_tools import SHELLS as SHELL_TOOLS
from ctxaudit.knowledge.calls import parsed, short, squash
from ctxaudit.knowledge.shell_programs import MAX_DEPTH, inner_words, judge, program
from ctxaudit.knowledge.shell_syntax import (
    CONSTRUCTS,
    MAX_TEXT,
    RESERVED,
    Redirect,
    Simple,
    split,
)
from ctxaudit.knowledge.tables import word_set
from ctxaudit.knowledge.verdict import UNKNOWN, Verdict, lettered
from ctxaudit.patterns import regex

#: Arguments that hold the command of a shell tool, by preference, and the directory it runs in.
COMMAND_KEYS = ("command", "cmd", "script", "commands", "code", "shell_command", "bash", "input")
DIRECTORY_KEYS = ("workdir", "cwd", "working_directory", "dir_path", "directory", "work_dir")
#: Variables that change how a command prints, not what it finds.
NOISE_VARIABLES = word_set(
    """CI NO_COLOR FORCE_COLOR CLICOLOR TERM PAGER GIT_PAGER GH_PAGER PYTHONUNBUFFERED LANG
    LC_ALL COLUMNS LINES DEBIAN_FRONTEND PYTHONDONTWRITEBYTECODE NODE_NO_WARNINGS
    PYTHONWARNINGS RUST_BACKTRACE GIT_TERMINAL_PROMPT GH_PROMPT_DISABLED"""
)
SINKS = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty", "nul", "$null", "-"))
SCRATCH = ("/tmp/", "/var/tmp/", "$TMPDIR", "/dev/shm/", "$env:TEMP", "%TEMP%")
FILTERS = frozenset(("head", "tail", "cat", "less", "more"))
BIN_DIRECTORIES = frozenset(("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"))
_ASSIGNMENT = regex(r"[A-Za-z_]\w*\+?=")
_PLAIN = regex(r"[\w@%+=:,./$*?~^!#{}\[\]-]+\Z")


@frozen
class Command:
    """One simple command: its program, its words from the program on, what it does.

    ``letter`` is one of ``verdict.LETTERS``, redirections included. ``stdin`` is a here-document.
    """

    argv0: str
    words: tuple[str, ...]
    letter: str
    redirects: tuple[Redirect, ...] = ()
    stdin: str = ""
    joined: str = ""

    @property
    def writes_to(self) -> tuple[str, ...]:
        """The files that its output is redirected to."""
        return tuple(r.target for r in self.redirects if _is_write(r))


def classify(command: str) -> Verdict:
    """What a whole command line does: its most serious part decides."""
    letters = {item.letter for item in commands(command)}
    for letter in "amu":
        if letter in letters:
            return lettered(letter, "shell")
    return lettered("r", "shell") if letters and len(command) <= MAX_TEXT else UNKNOWN


@lru_cache(maxsize=2048)
def commands(text: str, depth: int = 0) -> tuple[Command, ...]:
    """The commands of a shell text, those inside ``bash -c``, ``sudo``, ``xargs`` included."""
    found: list[Command] = []
    for simple in split(text):
        found += _expand(simple, depth)
    return tuple(found)


def _expand(simple: Simple, depth: int) -> Iterator[Command]:
    words = _bare(simple.words)
    redirects = tuple(simple.redirects)
    if not words or words[0] in CONSTRUCTS:
        letter = _redirected("r", redirects)
        if letter != "r" or words or simple.words:
            yield Command(words[0] if words else ":", tuple(words), letter, redirects)
        return
    script = inner_script(words, simple.stdin)
    if script is not None and depth < MAX_DEPTH:
        yield from commands(script, depth + 1)
        if any(map(_is_write, redirects)):
            yield Command(":", (), _redirected("r", redirects), redirects)
        return
    words = inner_words(words)
    letter = _redirected(judge(words, simple.stdin), redirects)
    yield Command(program(words[0]), tuple(words), letter, redirects, simple.stdin, simple.joined)


def _bare(words: Sequence[str]) -> list[str]:
    """Without reserved words, assignments and PowerShell's ``$x =`` before the command."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in RESERVED or _ASSIGNMENT.match(word):
            at += 1
        elif word.startswith("$") and words[at + 1 : at + 2] == ["="]:
            at += 2
        else:
            break
    return list(words[at:])


def inner_script(words: Sequence[str], stdin: str = "") -> str | None:
    """The script that ``bash -lc``, ``eval``, ``ssh host`` or ``cmd /c`` runs, else None."""
    words = inner_words(words)
    name, rest = program(words[0]), words[1:]
    if name in programs.SHELLS:
        for at, word in enumerate(rest):
            if word.startswith("-") and not word.startswith("--") and "c" in word:
                return rest[at + 1] if at + 1 < len(rest) else ""
        return stdin if stdin and not any(not w.startswith("-") for w in rest) else None
    if name == "eval":
        return " ".join(rest)
    if name in ("cmd", "powershell", "pwsh"):
        flags = [i for i, w in enumerate(rest) if w.lower() in ("/c", "-command", "-c")]
        return " ".join(rest[flags[0] + 1 :]) if flags else None
    if name == "ssh":
        operands = [w for w in rest if not w.startswith("-")]
        return " ".join(operands[1:]) or None
    return None


def _is_write(redirect: Redirect) -> bool:
    if redirect.op not in (">", ">>", ">|", "&>", "&>>", ">&"):
        return False
    target = redirect.target
    return target.lower() not in SINKS and not (redirect.op == ">&" and target.isdigit())


def _redirected(letter: str, redirects: tuple[Redirect, ...]) -> str:
    """What the command does, its output files considered; a check may keep a scratch log."""
    for redirect in redirects:
        if not _is_write(redirect) or (letter == "c" and redirect.target.startswith(SCRATCH)):
            continue
        if letter != "a":
            letter = "a" if redirect.op.endswith(">>") else "m"
    return letter


# --- the same command written differently ---------------------------------------------------


def normalise(command: str) -> str:
    """A command without what does not change what it finds.

    Dropped: a leading ``cd X &&``, ``2>&1``, a last ``| head`` or ``| tail`` or ``| cat``,
    ``|| true``, variables that only steer the output, ``bash -lc``, quoting and white space.
    """
    return _normalise(command, 0)


@lru_cache(maxsize=2048)
def _normalise(command: str, depth: int) -> str:
    parts = [item for item in split(command, MAX_DEPTH) if item.joined != "$("]
    for part in parts:
        part.words = _quiet(part.words)
    parts = _without_tail(_without_head([p for p in parts if not p.empty or p.joined]))
    if len(parts) == 1 and parts[0].words and depth < MAX_DEPTH:
        script = inner_script(parts[0].words, parts[0].stdin)
        if script:
            return _normalise(script, depth + 1)
    text = " ".join(_canonical(part, first=not at) for at, part in enumerate(parts))
    return (text or " ".join(command.split())) + command[MAX_TEXT:]


def directory(command: str) -> str | None:
    """The directory that a command's leading ``cd`` names."""
    for item in split(command, MAX_DEPTH):
        words = _bare(item.words)
        if words[:1] == ["cd"]:
            return words[1] if len(words) > 1 else "~"
        if not _is_preamble(words):
            return None
    return None


def _quiet(words: Sequence[str]) -> list[str]:
    at = 0
    while at < len(words) and (
        words[at] in ("time", "command")
        or (_ASSIGNMENT.match(words[at]) and words[at].split("=")[0] in NOISE_VARIABLES)
    ):
        at += 1
    words = list(words[at:])
    if words and words[0] == "timeout":
        words = inner_words(words)
    if words and posixpath.dirname(words[0]) in BIN_DIRECTORIES:
        words[0] = posixpath.basename(words[0])
    if len(words) > 2 and words[0] in ("python", "python3") and words[1] == "-m":
        words = words[2:] if words[2] in programs.MODULES else words
    return words


def _is_preamble(words: Sequence[str]) -> bool:
    if not words:
        return True
    if words[0] in ("source", "."):
        return words[-1].endswith("activate")
    return words[0] == "set" and len(words) > 1 and words[1].startswith(("-", "+"))


def _without_head(parts: list[Simple]) -> list[Simple]:
    at = 0
    while at < len(parts) - 1:
        words, after = parts[at].words, parts[at + 1].joined
        if after not in ("&&", ";") or not (words[:1] == ["cd"] or _is_preamble(words)):
            break
        at += 1
    return parts[at:]


def _without_tail(parts: list[Simple]) -> list[Simple]:
    while len(parts) > 1 and _is_afterthought(parts[-1]):
        parts = parts[:-1]
    kept: list[Simple] = []
    for at, part in enumerate(parts):
        ends = at + 1 == len(parts) or not parts[at + 1].joined.startswith("|")
        ends = ends or parts[at + 1].joined == "||"
        if not (at and ends and part.joined in ("|", "|&") and _is_filter(part)):
            kept.append(part)
    while len(kept) > 1 and kept[-1].joined in ("|", "|&") and _is_filter(kept[-1]):
        kept.pop()
    return kept


def _is_afterthought(part: Simple) -> bool:
    """``|| true``, ``; echo $?``"""
    if part.empty:
        return True
    words = part.words
    if part.joined == "||":
        return words[:1] in (["true"], [":"], ["echo"])
    return part.joined in (";", "&&") and words[:1] == ["echo"] and "$?" in " ".join(words)


def _is_filter(part: Simple) -> bool:
    if not part.words:
        return not part.redirects
    if part.words[0].lower() in ("select-object", "select"):
        return {word.lower() for word in part.words[1:]} & {"-first", "-last"} != set()
    if part.words[0] not in FILTERS or part.redirects:
        return False
    operands = [w for w in part.words[1:] if not w.startswith(("-", "+")) and not w.isdigit()]
    return not operands


def _canonical(part: Simple, first: bool) -> str:
    words = [w if _PLAIN.match(w) else shlex.quote(" ".join(w.split())) for w in part.words]
    words += [f"{r.op}{r.target}" for r in part.redirects if _is_write(r) or r.op == "<"]
    if part.stdin:
        words.append(f"<<<{part.stdin!r}")
    return " ".join(words) if first else f"{part.joined} {' '.join(words)}"


# --- where a call keeps its command ----------------------------------------------------------


def is_shell_tool(tool: str) -> bool:
    """Whether a tool's name is one that takes shell commands."""
    name = squash(short(tool))
    return name in SHELL_TOOLS or name.removesuffix("tool") in SHELL_TOOLS


def command_of(tool: str, arguments: object) -> str | None:
    """The shell command of a call to a shell-like tool, None for any other call."""
    if not is_shell_tool(tool):
        return None
    arguments = parsed(arguments)
    if isinstance(arguments, Mapping):
        for key in COMMAND_KEYS:
            text = _command_text(arguments.get(key))
            if text is not None:
                return text
        action = arguments.get("action")
        return command_of(tool, action) if isinstance(action, Mapping) else None
    text = _command_text(arguments)
    return None if text is not None and _is_program_text(text) else text


def _command_text(value: object) -> str | None:
    """A command from its text, its words, or several commands."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value or not all(isinstance(w, str) for w in value):
        return None
    words = [str(word) for word in value]
    if program(words[0]) in programs.SHELLS and len(words) > 2 and words[1].startswith("-"):
        return words[2] if "c" in words[1] else shlex.join(words)
    if any(" " in word for word in words) and " " in words[0].strip():
        return "\n".join(words)  # a list of commands, not of words
    return shlex.join(words)


def _is_program_text(text: str) -> bool:
    """Some tools called ``exec`` take JavaScript as plain text."""
    return text.lstrip().startswith(("const ", "let ", "var ", "await ", "//", "/*", "import "))


def directory_of(tool: str, arguments: object) -> str | None:
    """Where a shell call runs: its directory argument, else the command's leading ``cd``."""
    command = command_of(tool, arguments)
    if command is None:
        return None
    named = parsed(arguments)
    base = None
    if isinstance(named, Mapping):
        found = (named.get(key) for key in DIRECTORY_KEYS)
        base = next((value for value in found if isinstance(value, str) and value), None)
    moved = directory(command)
    if moved is None or base is None:
        return moved or base
    return posixpath.join(base, moved)
