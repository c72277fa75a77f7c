"""What one program with its options does: the reasoning on top of the tables in ``programs``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ctxaudit.knowledge import code, programs, sql, verbs
from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

MAX_DEPTH = 4
_METHODS = {
    "GET": "r",
    "HEAD": "r",
    "OPTIONS": "r",
    "POST": "a",
    "PUT": "m",
    "PATCH": "m",
    "DELETE": "m",
}
_LOOKUP_URL = regex(r"/_?(?:search|query|graphql|count|lookup|find)\b", re.I)
_CMDLET = regex(r"([A-Za-z]+)-[A-Za-z]+\Z")
#: What PowerShell evaluates and prints: ``$x.Count``, a text, an operator left of a cut.
_EXPRESSION = regex(r"[-,.]\w*\Z|\.\w+\Z|\$\w+\.\w|\$\w*=|\d+,?\Z|[^/\\]*\s")
_SCRIPT = regex(r"[/\\]|\.(?:sh|py|js|ts|ps1|rb|pl|bat)\Z")
_WATCHED = word_set("status wait watch logs tail poll")
_MUTATION_QUERY = regex(r"\bmutation\b")
_QUERIES = word_set("list show search info policy outdated deps query status leaves config")
_PACKAGERS = word_set("apt apt-get dnf yum apk zypper brew port snap choco scoop winget")


def program(word: str) -> str:
    """The name of a program, without directory, extension and the backslash of ``\\rm``."""
    name = word.lstrip("\\&").replace("\\", "/").rstrip("/").rpartition("/")[2] or word
    lowered = name.lower()
    for suffix in (".exe", ".cmd", ".bat", ".ps1"):
        lowered = lowered.removesuffix(suffix)
    return lowered if lowered != "r" else name


def worst(letters: Sequence[str]) -> str:
    """The most serious of some letters."""
    return next((letter for letter in "amupc" if letter in letters), "r")


def operands(words: Sequence[str], valued: frozenset[str] = frozenset()) -> list[str]:
    """The words after the program that are neither options nor values of the ``valued`` ones."""
    found: list[str] = []
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith(("-", "+")) and len(word) > 1:
            skip = word in valued
        else:
            found.append(word)
    return found


def inner_words(words: Sequence[str]) -> list[str]:
    """The command behind ``sudo``, ``env A=1``, ``xargs -n1``, ``uv run``, ``timeout 5``."""
    words = list(words)
    for _ in range(MAX_DEPTH):
        inner = _inner(words)
        if not inner or inner == words:
            break
        words = inner
    return words


def _inner(words: list[str]) -> list[str]:
    name = program(words[0])
    if name == "timeout":
        return _after(words[1:], 1, frozenset(("-k", "-s", "--signal", "--kill-after")))
    if name in programs.WRAPPERS:
        return _after(words[1:], 0, programs.WRAPPERS[name])
    if name == "kubectl" and "exec" in words and "--" in words:
        return words[words.index("--") + 1 :]
    pair = (name, words[1]) if len(words) > 1 else (name, "")
    rest = words[2:]
    if name == "docker" and words[1:3] == ["compose", "exec"]:
        pair, rest = ("docker", "exec"), words[3:]
    if pair in programs.RUNNERS:
        skip, valued = programs.RUNNERS[pair]
        return _after(rest, skip, valued)
    return words


def _after(words: list[str], skip: int, valued: frozenset[str]) -> list[str]:
    """What follows the options, the assignments and ``skip`` operands of a wrapper."""
    at = 0
    while at < len(words):
        word = words[at]
        if word.startswith("-") and len(word) > 1:
            at += 2 if word in valued else 1
        elif "=" in word and word.partition("=")[0].isidentifier():
            at += 1
        elif skip:
            skip, at = skip - 1, at + 1
        else:
            break
    return words[at:]


def judge(words: Sequence[str], stdin: str = "") -> str:
    """The letter of one simple command (see ``verdict.LETTERS``)."""
    name = program(words[0])
    if len(words) == 2 and words[1] in ("--version", "--help", "-V", "-version"):
        return "r"
    special = SPECIAL.get(name)
    if special is not None:
        return special(words)
    if name in programs.SQL_CLIENTS:
        return _sql(name, words, stdin)
    if name in programs.INTERPRETERS or re.match(r"python\d", name):
        return _interpreter(words, stdin)
    table = programs.ALIASES.get(name, name)
    if table in programs.SUBCOMMANDS:
        return _subcommand(table, words)
    if name in _PACKAGERS and (operands(words) or [""])[0] in _QUERIES:
        return "r"
    if name in programs.FORMATTERS:
        return "c" if programs.FORMATTERS[name] & set(words) else "m"
    if programs.FIXERS.get(name, frozenset()) & set(words):
        return "m"
    if name in programs.SIMPLE:
        return programs.SIMPLE[name]
    return _unlisted(name, words)


def _unlisted(name: str, words: Sequence[str]) -> str:
    """A program that no table knows: PowerShell's ``Verb-Noun``, or a verb as its subcommand."""
    if found := _CMDLET.match(name):
        return programs.CMDLET_VERBS.get(found.group(1), "u")
    if _EXPRESSION.match(words[0]):
        return "r"
    if _SCRIPT.search(words[0]):
        return "u"
    for word in operands(words)[:2]:
        if not word.isalpha():
            break
        if word in _WATCHED:
            return "p"
        if programs.SCRIPT_STEMS.get(word) == "c":
            return "c"
        if word not in verbs.NOUNISH and (letter := verbs.letter(word)) != "u":
            return letter
    return "u"


def _subcommand(name: str, words: Sequence[str]) -> str:
    table = programs.SUBCOMMANDS[name]
    args = operands(words, programs.GLOBAL_VALUES.get(name, frozenset()))
    if name in REFINED and (letter := REFINED[name](args, words)):
        return letter
    if not args:
        flags = [table[w] for w in words[1:] if w in table]
        return flags[0] if flags else table.get("-", "u")
    first, second = args[0], (args[1] if len(args) > 1 else "")
    if not second and len(words) > 1 and words[-1].startswith("-"):
        second = words[-1]
    for key in (f"{first}:{second}", f"{first}:*", f"*:{second}", first, "*"):
        if key in table:
            return table[key]
    return "u"


def _git(args: list[str], words: Sequence[str]) -> str:
    if not args:
        return ""
    first, rest, flags = args[0], args[1:], {w for w in words if w.startswith("-")}
    if flags & {"--dry-run", "--help", "-h"} or (
        first == "apply" and flags & {"--check", "--stat"}
    ):
        return "r"
    if first == "commit" and "--amend" in flags:
        return "m"
    if first in ("branch", "tag"):
        deletes = flags & {"-d", "-D", "-m", "-M", "--delete", "-f", "--set-upstream-to", "-u"}
        lists = flags & {
            "-l",
            "--list",
            "--contains",
            "--merged",
            "--no-merged",
            "--points-at",
            "-a",
        }
        return "r" if not deletes and (not rest or lists) else "m"
    if first in ("remote", "worktree", "submodule", "notes") and not rest:
        return "r"
    if first == "config":
        lists = flags & {"--get", "--list", "-l", "--get-all", "--get-regexp", "--show-origin"}
        return "r" if lists or (len(rest) == 1 and not flags & {"--unset", "-e"}) else ""
    if first == "reflog" and rest[:1] in (["expire"], ["delete"]):
        return "m"
    return "m" if first == "archive" and flags & {"-o", "--output"} else ""


def _gh(args: list[str], words: Sequence[str]) -> str:
    if args[:1] != ["api"]:
        return ""
    method = _option(words, ("-X", "--method"))
    fields = any(w.startswith(("-f", "-F", "--field", "--raw-field", "--input")) for w in words)
    if "graphql" in args:
        return "a" if any(_MUTATION_QUERY.search(w) for w in words) else "r"
    return _METHODS.get((method or ("POST" if fields else "GET")).upper(), "u")


def _kubectl(args: list[str], words: Sequence[str]) -> str:
    if any(word.startswith("--dry-run") for word in words):
        return "r"
    if args[:1] == ["get"] and {"-w", "--watch"} & set(words):
        return "p"
    if args[:1] == ["logs"] and {"-f", "--follow"} & set(words):
        return "p"
    return "u" if args[:1] == ["exec"] else ""


def _docker(args: list[str], words: Sequence[str]) -> str:
    if args[:1] == ["compose"] and len(args) == 1 and "ps" in words:
        return "p"
    if args[:1] == ["run"] and {"-d", "--detach"} & set(words):
        return "a"
    return "u" if "exec" in args[:2] else ""


def _scripts(args: list[str], words: Sequence[str]) -> str:
    """``npm run test:unit``, ``yarn lint``: the script's name tells."""
    if not args:
        return "m" if program(words[0]) in ("yarn",) else ""
    runs = args[0] in ("run", "run-script", "rum")
    if args[0] == "audit" and "fix" in args:
        return "m"
    if runs:
        return _stem(args[1]) if len(args) > 1 else "r"
    known = any(args[0] == key.partition(":")[0] for key in programs.SUBCOMMANDS["npm"])
    return "" if known else _tool_or_stem(args)


def _tool_or_stem(args: list[str]) -> str:
    """``yarn eslint .``, ``pnpm typecheck``"""
    letter = programs.SIMPLE.get(args[0])
    return letter if letter else _stem(args[0])


def _stem(name: str) -> str:
    for word in verbs.words(name):
        if word in programs.SCRIPT_STEMS:
            return "m" if "fix" in verbs.words(name) else programs.SCRIPT_STEMS[word]
    return "u"


def _targets(args: list[str], words: Sequence[str]) -> str:
    """``make lint test``, ``gradle :app:test``, ``mvn clean install``: every target counts."""
    if {"-n", "--dry-run", "--just-print", "-l", "--list"} & set(words):
        return "r"
    name = programs.ALIASES.get(program(words[0]), program(words[0]))
    table = programs.SUBCOMMANDS[name]
    targets = [a.rpartition(":")[2] for a in args if "=" not in a]
    return worst([table.get(t) or _stem(t) for t in targets]) if targets else ""


def _formatter(args: list[str], words: Sequence[str]) -> str:
    """``cargo fmt`` writes, ``cargo fmt --check`` looks."""
    key = f"{program(words[0])} {args[0]}" if args else ""
    if key in programs.FORMATTERS:
        return "c" if programs.FORMATTERS[key] & set(words) else "m"
    return "m" if "--fix" in words else ""


def _cloud(words: Sequence[str]) -> str:
    """``aws ec2 describe-instances``, ``gcloud run services list``: the last verb tells."""
    name = program(words[0])
    table = programs.SUBCOMMANDS.get(name, {})
    args = operands(words, programs.GLOBAL_VALUES.get(name, frozenset()))[:5]
    known = table.get(":".join(args[:2])) or table.get(args[0] if args else "")
    if known:
        return known
    found = [letter for arg in args[1:] if (letter := verbs.letter(arg)) != "u"]
    return found[0] if found else "u"


REFINED: dict[str, Callable[[list[str], Sequence[str]], str]] = {
    "git": _git,
    "gh": _gh,
    "kubectl": _kubectl,
    "docker": _docker,
    "npm": _scripts,
    "bun": _scripts,
    "make": _targets,
    "gradle": _targets,
    "mvn": _targets,
    "cargo": _formatter,
    "terraform": _formatter,
    "dotnet": _formatter,
    "mix": _formatter,
}


# --- programs with their own grammar ----------------------------------------------------------


def _option(words: Sequence[str], names: tuple[str, ...]) -> str | None:
    """The value of an option: ``-X POST``, ``-XPOST``, ``--request=POST``."""
    for at, word in enumerate(words):
        for name in names:
            if word == name:
                return words[at + 1] if at + 1 < len(words) else None
            if name.startswith("--") and word.startswith(name + "="):
                return word[len(name) + 1 :]
            if not name.startswith("--") and word.startswith(name):
                return word[len(name) :]
    return None


_DATA = ("-d", "--data", "--json", "-F", "--form", "--data-raw", "--data-binary", "--post-data")


def _curl(words: Sequence[str]) -> str:
    method = _option(words, ("-X", "--request", "--method"))
    sends = any(w.startswith(_DATA) for w in words) and not {"-G", "--get"} & set(words)
    if {"-T", "--upload-file"} & set(words):
        return "m"
    letter = _METHODS.get((method or ("POST" if sends else "GET")).upper(), "u")
    if letter == "a" and any(_LOOKUP_URL.search(word) for word in words):
        return "a" if any(_MUTATION_QUERY.search(word) for word in words) else "u"
    if letter == "r" and ({"-O", "--remote-name"} & set(words)):
        return "m"
    saved = _option(words, ("-o", "--output")) if letter == "r" else None
    return "m" if saved and saved not in ("-", "/dev/null") else letter


def _httpie(words: Sequence[str]) -> str:
    args = operands(words)
    if args and args[0].upper() in _METHODS:
        return _METHODS[args[0].upper()]
    return "a" if any(re.search(r"\w:?=", a) and "==" not in a for a in args[1:]) else "r"


def _wget(words: Sequence[str]) -> str:
    if any(w.startswith(("--post", "--body")) for w in words):
        return "a"
    to_stdout = any(w in ("-", "/dev/null") or w.endswith("O-") for w in words)
    return "r" if to_stdout or "--spider" in words else "m"


def _sed(words: Sequence[str]) -> str:
    in_place = any(
        w.startswith("--in-place") or re.match(r"-[nEersz]*i", w) is not None for w in words[1:]
    )
    return "m" if in_place else "r"


def _find(words: Sequence[str]) -> str:
    if "-delete" in words or any(w.startswith(("-fprint", "-fls")) for w in words):
        return "m"
    found = ["r"]
    for at, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-x", "--exec"):
            inner = [w for w in words[at + 1 :] if w not in ("{}", ";", "+")]
            found.append(judge(inner_words(inner)) if inner else "u")
    return worst(found)


def _interpreter(words: Sequence[str], stdin: str) -> str:
    """``python -m pytest``, ``python -c "..."``, ``node -e``, ``python script.py``."""
    name, args = program(words[0]), list(words[1:])
    while args and args[0] in ("-u", "-B", "-I", "-E", "-s", "-X", "-W", "-O"):
        args = args[2:] if args[0] in ("-X", "-W") else args[1:]
    if name in ("deno", "bun") and args[:1] not in (["-e"], ["eval"]):
        return _subcommand(name, words)
    if not args or args == ["-"]:
        return code.letter(stdin) if stdin else "u"
    if args[0] == "-m" and len(args) > 1:
        if args[1] in programs.MODULES:
            return judge(args[1:])
        return programs.MODULE_LETTERS.get(args[1], "u")
    if args[0] in ("-c", "-e", "-p", "-pe", "--eval", "--print", "eval") and len(args) > 1:
        return "u" if name in ("perl", "ruby") else code.letter(args[1])
    if name == "node" and args[0] == "--test":
        return "c"
    if name == "perl" and any(re.match(r"-[a-z]*i", a) for a in args):
        return "m"
    if args[0] in ("--check", "--syntax-check"):
        return "c"
    stem = program(args[0]).removesuffix(".py")
    return "c" if stem in ("runtests", "run_tests") or args[1:2] == ["test"] else "u"


def _sql(name: str, words: Sequence[str], stdin: str) -> str:
    if {"-l", "--list"} & set(words):
        return "r"
    options = programs.SQL_CLIENTS[name]
    text = _option(words, tuple(options)) if options else None
    if text is None and name in ("sqlite3", "duckdb", "bq"):
        text = " ".join(operands(words)[1:])
        if text.startswith("."):
            return "r" if text.startswith((".schema", ".tables", ".indexes", ".dump")) else "u"
    text = text or stdin
    if text.lstrip().startswith("\\"):
        return "r"
    return sql.letter(text) if text else "u"


def _flagged(flags: str, letter: str, otherwise: str) -> Callable[[Sequence[str]], str]:
    """A program that does something else when it gets one of some options."""
    wanted = frozenset(flags.split())
    return lambda words: letter if wanted & set(words) else otherwise


def _tar(words: Sequence[str]) -> str:
    first = words[1] if len(words) > 1 else ""
    lists = "--list" in words or (not first.startswith("--") and "t" in first and "/" not in first)
    return "r" if lists else "m"


def _ruff(words: Sequence[str]) -> str:
    if "format" in words[:3]:
        return "c" if programs.FORMATTERS["ruff format"] & set(words) else "m"
    return "m" if programs.FIXERS["ruff"] & set(words) else "c"


def _kill(words: Sequence[str]) -> str:
    return "r" if {"-0", "-l"} & set(words) else "m"


SPECIAL: dict[str, Callable[[Sequence[str]], str]] = {
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("http", "https", "xh"), _httpie),
    **dict.fromkeys(("aws", "gcloud", "az", "doctl"), _cloud),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("find", "fd"), _find),
    **dict.fromkeys(("tar", "bsdtar"), _tar),
    **dict.fromkeys(("kill", "pkill"), _kill),
    "ruff": _ruff,
    "tee": _flagged("-a --append", "a", "m"),
    "tail": _flagged("-f -F --follow", "p", "r"),
    "sort": _flagged("-o --output", "m", "r"),
    "unzip": _flagged("-l -v -t -Z", "r", "m"),
    "crontab": _flagged("-l", "r", "m"),
    "cmake": _flagged("--install", "m", "c"),
    "docker-compose": lambda words: judge(["docker", "compose", *words[1:]]),
    "sysctl": _flagged("-w -p --system", "m", "r"),
    "yq": _flagged("-i --inplace", "m", "r"),
    "code": _flagged("--version --list-extensions", "r", "m"),
    "gofmt": _flagged("-w", "m", "c"),
    "rsync": _flagged("-n --dry-run", "r", "m"),
    "pre-commit": _flagged("install uninstall autoupdate clean", "m", "c"),
    "mount": lambda words: "m" if operands(words) else "r",
}
