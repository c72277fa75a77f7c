"""Whether a call changes anything, and whether doing it again adds again.

In this order: what the user's configuration or the log declares, the built-in tools of well-known
agents, the arguments (shell command, HTTP method, SQL, an ``action``), the verbs in the name.

    Read {...}                            READ       table
    Bash {"command": "git push"}          MUTATION   shell
    message {"action": "send", ...}       adds       verb
    get_order {"id": "W7"}                READ       verb
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from ctxaudit.knowledge import agent_tools, code, shell, sql, verbs
from ctxaudit.knowledge.calls import mapping, parsed, short, squash, unwrap
from ctxaudit.knowledge.inner_calls import inner_calls
from ctxaudit.knowledge.tables import word_set
from ctxaudit.knowledge.verdict import LETTERS, UNKNOWN, Effect, Verdict, lettered

__all__ = ["UNKNOWN", "Effect", "Verdict", "unwrap", "verdict"]

CONFIGURED = {"read": "r", "mutation": "m", "adds": "a"}
METHODS = {
    "GET": "r",
    "HEAD": "r",
    "OPTIONS": "r",
    "POST": "a",
    "PUT": "m",
    "PATCH": "m",
    "DELETE": "m",
}
METHOD_KEYS = ("method", "http_method", "httpMethod", "verb", "request_method")
URL_KEYS = ("url", "uri", "endpoint", "path", "route", "href")
ACTION_KEYS = ("action", "operation", "command", "op", "subcommand", "sub_command", "method", "cmd")
SQL_KEYS = ("sql", "statement", "sql_query", "query", "q", "input", "command")
CODE_KEYS = ("code", "source", "script", "python", "program", "input")
#: Words in a name that make its ``query`` SQL.
DATABASE_WORDS = word_set(
    """sql query db database postgres postgresql mysql sqlite bigquery snowflake psql redshift
    clickhouse duckdb supabase warehouse execute run store"""
)
CALCULATORS = word_set("calculate calculator calc math compute think thinking reflect")
#: Longest value of an ``action`` that is still one word and no prose.
MAX_ACTION = 40
PROBING_PATHS = ("/search", "/_search", "/query", "/lookup")

#: Arguments that only something new is given.
TITLES = frozenset({"title", "subject", "summary", "details", "description", "body"})


def computes(tool: str) -> bool:
    """Whether a tool looks nothing up, so that its silence says nothing."""
    return bool(frozenset(verbs.words(short(tool))) & CALCULATORS)


def verdict(
    tool: str,
    arguments: object,
    annotations: Mapping[str, object] | None = None,
    declared: Mapping[str, str] | None = None,
) -> Verdict:
    """What a call of ``tool`` with these arguments does.

    ``annotations`` are MCP's hints, ``declared`` the user's ``{tool or glob: "read" | "mutation" |
    "adds"}``. A bridge tool is judged by the call that it carries.
    """
    inner, values = unwrap(tool, arguments)
    if declared and (letter := _configured(tool, inner, declared)):
        return lettered(letter, "config")
    hinted = _annotated(inner, annotations) if annotations and inner == tool else None
    if hinted is not None and hinted.effect is Effect.READ:
        return hinted
    judged = _judged(inner, values)
    if hinted is None or (
        judged.effect is Effect.READ and judged.source in ("shell", "sql", "http")
    ):
        return judged
    return hinted


def _judged(tool: str, arguments: object) -> Verdict:
    if within := inner_calls(tool, arguments):
        return max((_judged(name, given) for name, given in within), key=_weight)
    command = shell.command_of(tool, arguments)
    if command is not None:
        return shell.classify(command)
    if letter := _built_in(tool, arguments):
        return lettered(letter, "table")
    found = _by_arguments(tool, arguments)
    if found is not None:
        return found
    letter = verbs.letter(tool)
    opens = letter in "ur" and "open" in verbs.words(short(tool))[:3]
    if opens and mapping(arguments).keys() & TITLES:
        letter = "a"  # a ticket that is opened with a title is a new one
    return lettered(letter, "verb") if letter != "u" else UNKNOWN


def _weight(judged: Verdict) -> tuple[bool, bool, bool]:
    """Of several calls in one program the one that does most speaks for all."""
    changes = judged.effect is Effect.MUTATION
    return judged.adds, changes, judged.effect is Effect.UNKNOWN


def _configured(tool: str, inner: str, declared: Mapping[str, str]) -> str | None:
    """The user's word: an exact name before globs, a long glob before a short one."""
    for name in (inner, tool):
        if name in declared:
            return CONFIGURED.get(declared[name])
    for pattern in sorted(declared, key=len, reverse=True):
        if fnmatchcase(inner, pattern) or fnmatchcase(tool, pattern):
            return CONFIGURED.get(declared[pattern])
    return None


def _annotated(tool: str, hints: Mapping[str, object]) -> Verdict | None:
    """MCP's hints. Servers often fill in the defaults, so a false hint alone says little."""
    read_only, destructive = hints.get("readOnlyHint"), hints.get("destructiveHint")
    idempotent = hints.get("idempotentHint")
    if read_only is True:
        return Verdict(Effect.READ, False, "declared")
    if read_only is not False and destructive is not True:
        return None
    additive = destructive is False and idempotent is False
    adds = idempotent is not True and (additive or verbs.letter(tool) == "a")
    return Verdict(Effect.MUTATION, adds, "declared")


# --- well-known tools -------------------------------------------------------------------------


def _built_in(tool: str, arguments: object) -> str | None:
    if "__" in tool or "." in tool:
        own = squash(short(tool))
        return _editor(own, arguments)
    own = squash(tool)
    letter = _editor(own, arguments) or _stdin(own, arguments)
    if letter:
        return letter
    letter = agent_tools.TABLE.get(own)
    named = mapping(arguments)
    if own in agent_tools.NEEDS_PATH and named and not agent_tools.PATH_KEYS & set(named):
        # SWE-agent's insert has only its text; ``find`` and ``open`` take anything to look for.
        keep = letter == "r" or (own == "insert" and "text" in named)
        return letter if keep else None
    if own in agent_tools.NEEDS_PROMPT and named and not agent_tools.PROMPT_KEYS & set(named):
        return None
    return letter


def _editor(own: str, arguments: object) -> str | None:
    if own not in agent_tools.EDITORS and own not in agent_tools.COMPUTERS:
        return None
    named = mapping(arguments)
    action = named.get("command", named.get("action"))
    if not isinstance(action, str):
        return None
    if own in agent_tools.EDITORS:
        return agent_tools.EDITOR_COMMANDS.get(action)
    return "r" if action in agent_tools.COMPUTER_READS else "m"


def _stdin(own: str, arguments: object) -> str | None:
    """Codex's and Copilot's way to poll a session is to send it nothing."""
    if own not in ("writestdin", "writebash", "writepowershell", "sendkeys"):
        return None
    named = mapping(arguments)
    sent = named.get("chars", named.get("input", named.get("keys")))
    return "u" if sent else "p"


# --- arguments --------------------------------------------------------------------------------


def _by_arguments(tool: str, arguments: object) -> Verdict | None:
    named = mapping(arguments)
    own = frozenset(verbs.words(short(tool)))
    if squash(short(tool)) in agent_tools.CODES:
        return _code(arguments)
    if own & CALCULATORS:
        return None
    return _http(named) or _sql(own, named) or _action(tool, named)


def _code(arguments: object) -> Verdict:
    named = mapping(arguments)
    text = next((v for k in CODE_KEYS if isinstance(v := named.get(k), str)), None)
    if text is None and isinstance(value := parsed(arguments), str):
        text = value
    letter = code.letter(text) if text else "u"
    return lettered(letter, "code") if letter != "u" else UNKNOWN


def _http(named: Mapping[str, object]) -> Verdict | None:
    url = next((v for k in URL_KEYS if isinstance(v := named.get(k), str)), None)
    for key in METHOD_KEYS if url is not None else ():
        method = named.get(key)
        letter = METHODS.get(method.upper()) if isinstance(method, str) else None
        if letter is None:
            continue
        if letter == "a" and any(part in str(url) for part in PROBING_PATHS):
            return UNKNOWN
        return lettered(letter, "http")
    return None


def _sql(own: frozenset[str], named: Mapping[str, object]) -> Verdict | None:
    for key in SQL_KEYS:
        text = named.get(key)
        if not isinstance(text, str) or not sql.looks_like_sql(text):
            continue
        if "sql" in key or key == "statement" or own & DATABASE_WORDS:
            return lettered(sql.letter(text), "sql")
    return None


def _action(tool: str, named: Mapping[str, object]) -> Verdict | None:
    """``message {"action": "send"}``; a name that only reads is not overruled."""
    if verbs.letter(tool) == "r" and len(verbs.words(short(tool))) > 1:
        return None
    for action in _actions(named):
        letter = agent_tools.EDITOR_COMMANDS.get(action) or verbs.letter(action)
        if letter != "u":
            return Verdict(*LETTERS[letter], "verb")
    return None


def _actions(named: Mapping[str, object]) -> Iterator[str]:
    for key in ACTION_KEYS:
        value = named.get(key)
        if isinstance(value, str) and 0 < len(value) <= MAX_ACTION and " " not in value.strip():
            yield value
