"""Which resources a call reads or writes, and whether a write may change what a check finds.

A resource is a text with its kind: ``path:src/a.py``, ``url:host/x``, ``id:QA-12``, ``noun:issue``,
``service:tracker``, ``host:``. ``tree:`` is the whole working tree, ``*`` is anything.

    Edit {"file_path": "/w/a.py"}           writes path:/w/a.py
    Bash {"command": "npm test"}            reads tree:
    Bash {"command": "git checkout main"}   writes tree: and service:git
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ctxaudit.frozen import frozen
from ctxaudit.knowledge import agent_tools, verbs
from ctxaudit.knowledge.calls import leaves, mapping, server, short, squash, unwrap
from ctxaudit.knowledge.effects import Effect, verdict
from ctxaudit.knowledge.programs import SIMPLE
from ctxaudit.knowledge.shell import Command, command_of, commands, directory_of
from ctxaudit.knowledge.shell_programs import operands
from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

TREE = "tree:"
ANYTHING = "*"
HOST = "host:"

MAX_LABEL = 120
PATH_NAME = regex(r"(?:^|[a-z_])(?:path|paths|file|files|filename|dir|directory|folder)\Z", re.I)
URL_NAME = regex(r"(?:^|_)(?:url|uri|href|endpoint|link)s?\Z", re.I)
#: Arguments that are no resource: prose, patterns, options.
SKIPPED = word_set(
    """content contents text body message prompt description title summary thought old_string
    new_string old_str new_str file_text oldString newString pattern regex glob include query
    q command cmd action operation method limit offset timeout timeout_ms code explanation
    reason security_risk output_mode format head_limit view_range line start_line end_line"""
)
_PATCHED = regex(
    r"^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$|^\*\*\* Move to: (.{1,300})$", re.M
)
_DIFFED = regex(r"^(?:\+\+\+|---) (?:[ab]/)?([^\s]{1,300})", re.M)
_PATHLIKE = regex(r"[~./$]|[\w.@-]+/|[A-Za-z]:[\\/]|[\w@-]+\.\w{1,8}\Z")
#: A rooted path, or a relative one that ends in a file's extension.
_FILE = regex(r"\.{0,2}/|~/|(?:[\w@.-]{1,80}/){1,20}[\w@.-]{1,80}\.[A-Za-z]\w{0,7}\Z")
_URL = regex(r"[a-z][a-z0-9+.-]{1,12}://", re.I)
MAX_PATCH = 20_000

#: Programs that read the files they are given, and the working directory when given none.
WALKERS = word_set("ls find fd rg ag ack tree grep egrep du cloc tokei git eza exa dir gci")
#: Their first operand is a pattern or a script.
PATTERN_FIRST = word_set(
    """grep egrep fgrep rg ag ack sed awk gawk jq yq sls select-string findstr sg"""
)
#: Programs that change files they name.
FILE_WRITERS = word_set(
    """rm rmdir mv cp mkdir touch ln chmod chown truncate shred tee sed dd patch tar unzip zip
    gzip gunzip rsync sponge split dos2unix unix2dos sort del erase copy move ren md rd
    remove-item move-item copy-item new-item set-content add-content out-file rename-item rustfmt
    black prettier isort gofmt shfmt eslint ruff clang-format perl vi vim nano curl wget"""
)
#: Programs whose changes go over the whole tree.
TREE_WRITERS = word_set(
    """git npm yarn pnpm bun pip pip3 uv poetry cargo go mvn gradle gradlew make just dotnet
    terraform bundle composer mix rails deno conda alembic pre-commit cmake black prettier
    eslint ruff"""
)
#: Subcommands of git that look at the files of the tree rather than at what is committed.
TREE_LOOKS = word_set("status diff grep ls-files check-ignore")
#: Programs that look at the machine and not at files or services.
HOST_LOOKS = word_set(
    """ulimit ps free uptime df lsof ss netstat env printenv id whoami uname nproc sysctl which
    type command date hostname ifconfig ip pgrep vmstat dmesg nvidia-smi lscpu getconf node
    python pip systemctl service journalctl launchctl lsblk mount"""
)
HOST_WRITERS = word_set(
    """kill pkill killall systemctl service sysctl mount umount apt apt-get dnf yum apk brew
    reboot iptables ufw useradd usermod crontab launchctl modprobe swapoff export ulimit snap
    winget choco pacman zypper taskkill"""
)
SERVICES = word_set(
    """git gh glab kubectl helm docker psql mysql mariadb sqlite3 redis-cli aws gcloud az
    terraform clickhouse-client mongosh fly vercel heroku supabase pulumi curl wget http"""
)
#: Words of a name that tell what it is about nothing.
DULL_NOUNS = word_set(
    """by all details detail info information status list name names id ids for of to from in with
    and or the a an data item items result results current my type types new file folder directory
    dir path code web text content"""
)
POLL_WORDS = word_set("wait poll tail watch monitor await sleep status progress heartbeat")
POLL_TOOLS = word_set(
    """taskoutput bashoutput readbash readpowershell getterminaloutput commandstatus readagent
    waitagent wait sessionstatus gettaskoutput monitor sleep readcommandoutput listagents"""
)
#: Words in the name of a tool that looks through the files, whatever it looks for.
TREE_WORDS = word_set(
    """code codebase file files repo repository source sources symbol symbols grep directory folder
    workspace project tree"""
)
TEST_SUITES = word_set("suite suites all")
TEST_WORDS = word_set("test tests lint typecheck build checks linter unittest pytest")
_POLL_URL = regex(r"/(?:health|healthz|healthcheck|status|ready|readyz|livez|ping)\b", re.I)


@frozen
class Touch:
    """What a call reads and writes; ``everything``: it reads the whole working tree."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    everything: bool = False


def touches(tool: str, arguments: object) -> Touch:
    """The resources of a call. A call of unknown effect reads and writes what it names."""
    tool, arguments = unwrap(tool, arguments)
    command = command_of(tool, arguments)
    if command is not None:
        return _shell(command, directory_of(tool, arguments))
    effect = verdict(tool, arguments).effect
    named = frozenset(_named(tool, arguments))
    if is_test_run(tool, arguments):
        return Touch(named | {TREE, ANYTHING}, frozenset(), everything=True)
    specific = {r for r in named if not r.startswith("noun:")}
    if effect is Effect.READ:
        own = agent_tools.TABLE.get(squash(tool)) == "r"
        walks = not specific and (own or not TREE_WORDS.isdisjoint(verbs.words(short(tool))))
        return Touch(named | {TREE if walks else ANYTHING} if not specific else named)
    return Touch(named, named or frozenset({ANYTHING}))


def may_affect(write: Touch, check: Touch) -> bool:
    """Whether what one call writes may change what the other finds; in doubt it may."""
    if not write.writes:
        return False
    if ANYTHING in write.writes:
        return True
    reads, files = check.reads, _of(write.writes, "path:")
    in_tree = TREE in write.writes
    if (check.everything or TREE in reads) and (files or in_tree):
        return True
    if in_tree and _of(reads, "path:"):
        return True
    if any(_overlap(a, b) for a in files for b in _of(reads, "path:")):
        return True
    return _entities_meet(write.writes, reads)


def _entities_meet(writes: frozenset[str], reads: frozenset[str]) -> bool:
    """The same entity, or the same kind of entity where one side does not say which."""
    if _hosts(writes) & _hosts(reads) or (HOST in writes and HOST in reads):
        return True
    ids_written, ids_read = _of(writes, "id:"), _of(reads, "id:")
    if ids_written & ids_read:
        return True
    if ids_written and ids_read:
        return False
    kinds = {r for r in writes if r.startswith(("noun:", "service:"))}
    if kinds & reads:
        return True
    return ANYTHING in reads and bool(kinds or ids_written)


def _of(resources: frozenset[str], kind: str) -> set[str]:
    return {r.removeprefix(kind) for r in resources if r.startswith(kind)}


def _hosts(resources: frozenset[str]) -> set[str]:
    return {url.partition("/")[0] for url in _of(resources, "url:")}


def _overlap(a: str, b: str) -> bool:
    """Equal, or one within the other; a relative path may stand anywhere in an absolute one."""
    if a == b or "." in (a, b):
        return True
    a, b = f"/{a.strip('/')}/", f"/{b.strip('/')}/"
    return a in b or b in a


def path_of(text: str, base: str | None = None) -> str:
    """A path in one form: forward slashes, no ``.`` and ``..``, joined to ``base`` if relative."""
    text = text.strip().strip("'\"").removeprefix("file://").replace("\\", "/")
    if base and not text.startswith(("/", "~", "$")) and text[1:2] != ":":
        text = posixpath.join(base.replace("\\", "/"), text)
    return posixpath.normpath(text) if text else "."


def url_of(text: str) -> str | None:
    """Host and path of a URL, None if it has no host."""
    try:
        from urllib.parse import urlsplit  # takes longer to import than most scans need it

        parts = urlsplit(text.strip())
    except ValueError:
        return None
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}" if parts.netloc else None


# --- calls with named arguments ---------------------------------------------------------------


def _named(tool: str, arguments: object) -> Iterator[str]:
    if service := server(tool):
        yield f"service:{service}"
    for noun in nouns(tool):
        yield f"noun:{noun}"
    for path, value in leaves(arguments):
        name = path.rpartition(".")[2].removesuffix("[]")
        if isinstance(value, str) and ("*** " in value or "+++ " in value):
            yield from (f"path:{path_of(p)}" for p in patched(value))
        elif name not in SKIPPED and (found := _resource(name, value)):
            yield found


def _resource(name: str, value: object) -> str | None:
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return None
    text = str(value).strip()
    if not text or len(text) > MAX_LABEL * 4:
        return None
    if _URL.match(text) and not text.startswith("file:"):
        found = url_of(text)
        return f"url:{found}" if found else None
    if PATH_NAME.search(name) or (isinstance(value, str) and _FILE.match(text)):
        return f"path:{path_of(text)}"
    if URL_NAME.search(name) or len(text) > MAX_LABEL or " " in text:
        return None
    if isinstance(value, int) and abs(value) < 100 and not name.lower().endswith(("id", "number")):
        return None
    return f"id:{text.lower()}"


def nouns(tool: str) -> frozenset[str]:
    """What a tool's name is about: its words without verbs, in the singular."""
    found = set()
    for word in verbs.words(short(tool)):
        dull = word in DULL_NOUNS or word in verbs.FILLERS or word in verbs.READ_NOUNS
        verb = word in verbs.READ or word in verbs.SETS or word in verbs.ADDS
        if dull or len(word) < 3 or (verb and word not in verbs.NOUNISH):
            continue
        found.add(word.removesuffix("s") if not word.endswith("ss") else word)
    return frozenset(found)


def patched(text: str) -> tuple[str, ...]:
    """The files that a patch names, in either of the two usual notations."""
    text = text[:MAX_PATCH]
    found = [a or b for a, b in _PATCHED.findall(text)] or _DIFFED.findall(text)
    return tuple(path for path in found if path != "/dev/null")


# --- shell commands ---------------------------------------------------------------------------


def _shell(text: str, base: str | None) -> Touch:
    reads: set[str] = set()
    writes: set[str] = set()
    for command in commands(text):
        read, written = _command(command, base)
        reads |= read
        writes |= written
    return Touch(frozenset(reads), frozenset(writes), everything=TREE in reads)


def _command(command: Command, base: str | None) -> tuple[set[str], set[str]]:
    writes = {f"path:{path_of(target, base)}" for target in command.writes_to}
    reads = {f"path:{path_of(r.target, base)}" for r in command.redirects if r.op == "<"}
    name, letter = command.argv0, command.letter
    if letter == "u":
        return {ANYTHING}, {ANYTHING}
    if letter == "c":
        return reads | {TREE}, writes
    files = set(_operand_paths(command, base))
    urls = {f"url:{u}" for w in command.words if _URL.match(w) and (u := url_of(w))}
    service = {f"service:{name}"} if name in SERVICES and not urls else set()
    if letter in "rp":
        found = reads | files | urls | service | _looks(command, files, base)
        return found or ({f"service:{name}"} if name not in SIMPLE else set()), writes
    if letter in "ma" and not (writes and name not in FILE_WRITERS | TREE_WRITERS):
        writes |= _changes(name, files) | urls | service
    return reads, writes or {ANYTHING}


def _looks(command: Command, files: set[str], base: str | None) -> set[str]:
    """What a reading command looks at beyond the files that it names."""
    name = command.argv0
    if name == "git":
        return {TREE} if TREE_LOOKS & set(command.words) else set()
    if name in HOST_LOOKS:
        return {HOST}
    piped = command.joined in ("|", "|&")
    if name in WALKERS and not files and not piped:
        return {f"path:{path_of(base)}"} if base else {TREE}
    return set()


def _changes(name: str, files: set[str]) -> set[str]:
    if name in FILE_WRITERS and files:
        return files
    if name in TREE_WRITERS:
        return {TREE}
    return {HOST} if name in HOST_WRITERS else set()


def _operand_paths(command: Command, base: str | None) -> Iterator[str]:
    name = command.argv0
    if name in SERVICES - {"git", "sqlite3", "terraform"} or name in ("echo", "printf", "cd"):
        return
    words = operands(command.words)
    if name in PATTERN_FIRST and not any(w in ("-e", "-f") for w in command.words):
        words = words[1:]
    for word in words:
        if _URL.match(word) or len(word) > MAX_LABEL * 4 or "\n" in word:
            continue
        if name in FILE_WRITERS or _PATHLIKE.match(word) or (name in WALKERS and name != "git"):
            yield f"path:{path_of(word, base)}"


# --- legitimate repeats -----------------------------------------------------------------------


def is_polling(tool: str, arguments: object) -> bool:
    """Whether a call waits for something that changes by itself: a repeat is its purpose."""
    tool, arguments = unwrap(tool, arguments)
    command = command_of(tool, arguments)
    if command is not None:
        return _polls(command)
    own = squash(short(tool))
    named = mapping(arguments)
    if own in POLL_TOOLS:
        return True
    if own in ("writestdin", "writebash", "writepowershell"):
        return not (named.get("chars") or named.get("input"))
    if named.get("action") in ("poll", "wait", "status", "tail", "log"):
        return True
    name_words = frozenset(verbs.words(short(tool)))
    reads = verdict(tool, arguments).effect is not Effect.MUTATION
    url = named.get("url")
    return reads and (
        bool(name_words & POLL_WORDS) or (isinstance(url, str) and bool(_POLL_URL.search(url)))
    )


def _polls(command: str) -> bool:
    if not command.strip():
        return True  # an empty command asks a running one for more
    found = commands(command)
    if any(item.letter in "ma" for item in found):
        return False
    return any(_polls_once(item) for item in found)


def _polls_once(item: Command) -> bool:
    if item.letter == "p" or (item.argv0 == "curl" and any(map(_POLL_URL.search, item.words))):
        return True
    status = item.argv0 not in ("git", "ps") and {"status", "--watch"} & set(item.words[1:3])
    return bool(status)


def is_test_run(tool: str, arguments: object) -> bool:
    """Whether a call runs tests, a linter, a type checker or a build over the working tree."""
    tool, arguments = unwrap(tool, arguments)
    command = command_of(tool, arguments)
    if command is not None:
        return any(item.letter == "c" for item in commands(command))
    own = squash(short(tool))
    if agent_tools.TABLE.get(own) == "c":
        return True
    found = [word for word in verbs.words(short(tool)) if word not in TEST_SUITES]
    if not found or found[-1] not in TEST_WORDS:
        return False
    return len(found) == 1 or (
        found[0] in ("run", "execute", "perform", "start") and len(found) < 4
    )
