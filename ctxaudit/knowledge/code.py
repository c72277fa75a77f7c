"""What a piece of program text does, by the names that it calls.

Only two answers are safe without running it: it calls something that changes the world, or it
calls nothing but what looks. Everything else is unknown.
"""

from __future__ import annotations

from ctxaudit.knowledge.tables import word_set
from ctxaudit.patterns import regex

MAX_TEXT = 8_000
_CALL = regex(r"([A-Za-z_][\w.]{0,100})\s{0,3}\(")
_DEFINED = regex(r"\b(?:def|class|function|lambda)\b")
_OPEN_WRITES = regex(r"open\([^()]{0,200}?,\s*(?:mode\s*=\s*)?['\"](?:[wxa]|r\+)")
_APPENDS = regex(r"open\([^()]{0,200}?,\s*(?:mode\s*=\s*)?['\"]a")
_LAST = regex(r"[A-Za-z_]\w*\Z")
_KEYWORDS = word_set("if for while in and or not return print elif with assert await except")

SAFE = word_set(
    """print len repr str int float bool sorted type dir vars list dict set tuple range enumerate
    sum min max abs round zip map filter any all isinstance hasattr getattr open help format
    chr ord hex id iter next reversed slice divmod pow bytes read read_text readlines readline
    splitlines split strip join get items keys values exists is_file is_dir isfile isdir
    listdir walk iterdir glob rglob stat getcwd getenv loads load dumps startswith endswith
    lower upper find count index match search findall finditer group groups version
    python_version platform uname getsource signature getlimit getrlimit basename dirname
    abspath realpath resolve decode encode isoformat now Path log stringify parse readFileSync
    existsSync require cwd hexdigest sha256 md5 Counter most_common head describe info"""
)
SETS = word_set(
    """write write_text write_bytes writelines remove unlink rmtree rmdir rename replace_file
    mkdir makedirs copy2 copyfile copytree move chmod symlink put patch delete dump to_csv
    to_json to_excel savefig writeFileSync rmSync kill terminate setrlimit system execute
    commit"""
)
ADDS = word_set("post sendmail send_message send_mail appendFileSync insert_one create")


def letter(text: str) -> str:
    """``r``, ``m``, ``a`` or ``u`` (see ``verdict.LETTERS``)."""
    text = text[:MAX_TEXT]
    if _OPEN_WRITES.search(text):
        return "a" if _APPENDS.search(text) else "m"
    names = {_last(name) for name in _CALL.findall(text)} - _KEYWORDS
    if names & ADDS:
        return "a"
    if names & SETS:
        return "m"
    return (
        "r" if names <= SAFE and "import_module" not in text and not _DEFINED.search(text) else "u"
    )


def _last(name: str) -> str:
    found = _LAST.search(name)
    return found.group() if found else ""
