"""Handles: opaque identifiers in a call's arguments that only a binding explains.

Found by value: whole strings, and the identifier-like tokens of longer ones (commands, code,
URLs, prompts). Patterns decide the kind, and so the weight; whether a value *is* a handle is
for the caller to see, who knows whether an earlier span held it.

    {"run": "run_8841", "cmd": "cat /tmp/a.log"}   run_8841 OPAQUE, /tmp/a.log PATH
    {"limit": 20, "on": "2025-03-01", "mode": "fast"}   nothing
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class HandleKind(StrEnum):
    """How much a value looks like an identifier; from strong to weak, but for URL and PATH."""

    OPAQUE = "opaque"  #: ``run_8841``, ``FQ8APE``, a hash, an ARN
    UUID = "uuid"
    PATH = "path"
    URL = "url"
    NUMBER = "number"  #: five digits and more, or fewer under a name such as ``session_id``
    WORD = "word"  #: ``june_invoices``, ``fetchRows``, an address: a name that may be common


@dataclass(frozen=True, slots=True)
class Handle:
    """One identifier-like value and the dotted path of the argument that holds it."""

    value: str
    kind: HandleKind
    path: str


OPAQUE, UUID, PATH = HandleKind.OPAQUE, HandleKind.UUID, HandleKind.PATH
URL, NUMBER, WORD = HandleKind.URL, HandleKind.NUMBER, HandleKind.WORD


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words with a digit in them that everybody knows.
COMMON = _words(
    "utf-8 utf8 utf-16 utf-32 latin-1 latin1 iso-8859-1 cp1252 base64 base32 base58 b64 md5"
    " sha1 sha256 sha512"
    " sha-1 sha-256 sha-512 sha3-256 blake2b crc32 aes256 aes-256 rs256 hs256 es256 ed25519 x25519"
    " x86_64 x86-64 amd64 arm64 aarch64 i386 i686 win32 win64 int8 int16 int32 int64 uint8 uint16"
    " uint32 uint64 float16 float32 float64 fp16 bf16 python2 python3 pip3 node18 node20 node22"
    " http1 http2 http3 ipv4 ipv6 oauth2 oauth2.0 h264 h265 mp3 mp4 m4a es5 es6 es2015 es2020"
    " es2022 html5 css3 neo4j log4j k8s i18n l10n a11y s3 ec2 route53 ps1 f32 f64 u8 u16 u32 u64"
    " i8 i16 i32 i64 h1 h2 h3 h4 h5 h6 r2 gpt-4 gpt-4o gpt-5 claude-3 web3 covid-19 127.0.0.1"
    " 0.0.0.0 255.255.255.255 latin2 mt19937 log10 log2 log1p expm1 atan2 exp2 cp437 e2e p2p b2b"
    " b2c next.js node.js vue.js nuxt.js d3.js three.js express.js react.js 0xff 0xffff 0xffffffff"
)
#: Prefixes that count things in plain text: ``step-2``, ``page_3``, ``test_1``.
_COUNTED = _words(
    "step phase part page line level chapter section version test example option priority sev"
    " severity stage tier round day week month year quarter column col row top max min size grade"
    " p q v version level port python node java go gpt claude gemini llama o rev item figure table"
    " note point type class group unit"
)
_QUANTITIES = _words(
    "limit max min timeout offset count length width height size amount price total cost budget ms"
    " seconds minutes hours duration bytes tokens line lines start end page year depth quantity qty"
    " score weight rate percent interval ttl delay head tail top age salary balance epoch timestamp"
    " time date x y z lat lon latitude longitude chars"
)
_ID_NAMES = _words(
    "id ids pid port session sessionid ref reference code token key handle uuid guid number ticket"
    " order reservation confirmation cell job run task"
)
#: Of those, the names whose value may be a small number; ``exit_code: 1`` is no identifier.
_NUMBERED = _words("id ids pid port session sessionid number ticket cell shell")
_EXTENSIONS = (
    "py pyi ipynb js jsx ts tsx mjs cjs json jsonl"
    " yaml yml toml ini cfg conf env md rst txt log csv tsv"
    " xml html htm css scss sql db sqlite sh bash"
    " zsh ps1 bat go rs rb java kt swift c h cc cpp hpp cs php"
    " pl lua r jl ex exs erl hs scala"
    " clj vue svelte proto lock patch diff pdf png jpg jpeg gif svg webp"
    " mp3 mp4 wav zip tar gz tgz bz2 xz parquet feather pkl npy npz docx xlsx pptx bin out tmp bak"
)
_MEDIA = _words(
    "application text image audio video multipart font model message europe america asia africa"
    " australia atlantic pacific indian antarctica etc and or n i he she either read input client"
    " yes true ci km tcp"
)

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}://[\w\[~/][^\s\"'`<>]+")
_LOCAL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?/?", re.I)
_ARN = re.compile(r"arn:[\w-]+:[\w-]*:[\w-]*:\d*:\S+")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_ISSUE = re.compile(r"[\w.-]{1,80}/[\w.-]{1,80}#\d{1,7}")
_ABSOLUTE = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[^\s\"'`<>|*?]{1,400}")
_RELATIVE = re.compile(r"[\w.@+-]{1,120}(?:/[\w.@+-]{1,120}){1,30}/?")
_FILE = re.compile(r"[\w@+-][\w.@+-]{0,120}\.(?:" + "|".join(_EXTENSIONS.split()) + r")", re.I)
_AT_LINE = re.compile(r"(?::\d+(?:-\d+)?){1,2}$")
_NUMBERS = re.compile(r"#?\d{1,40}")
_DATES = re.compile(
    r"(?:19|20)\d\d[-/._](?:0?[1-9]|1[0-2])"
    r"(?:[-/._](?:0?[1-9]|[12]\d|3[01])(?:[T_ -]?\d\d[:.h-]?\d\d\S*|T)?)?"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?\d{2,6}(?:\.\d+)?Z?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})"
    r"|(?:19|20)\d\d-?(?:Q[1-4]|W\d\d?|H[12])|Q[1-4][- ]?(?:19|20)\d\d"
    r"|\d{1,2}[- ]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]?\d{0,4}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]?\d{1,4}(?:[-, ]+\d{4})?"
    r"|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:[ap]m|z|[+-]\d\d:?\d\d)?|(?:utc|gmt)[+-]\d{1,2}"
    r"|T\d\d:?\d\d(?::?\d\d)?Z?|\d{1,2}(?:am|pm)|P(?:T?\d+[DHMSWY])+",
    re.I,
)
_PLAIN_FIGURES = re.compile(
    r"[v^~=<>]{0,2}\d{1,6}(?:\.\d{1,6}|\.[x*]){1,3}"
    r"(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post|final)[\w.+-]{0,20})?"
    r"|[+-]?\d[\d,]*\.\d+(?:e[+-]?\d+)?|v\d{1,4}(?:(?:alpha|beta|rc)\d*)?"
    r"|[A-Za-z]{2,12}\d{1,3}(?:\.\d{1,4}){1,3}|[A-Za-z]{2,12}[=<>~^-]{1,2}\d+(?:\.\d+)+"
    r"|\d{1,7}(?:,\d{1,7})?p|0[ob]\d+|[+-]?[$€£]?\d[\d,._]{0,15}"
    r"(?:[kmgt]i?b?|[kmgtp]?bps|px|em|rem|pt|vh|vw|deg|fr|ms|us|ns|s|m|h|d|w|y"
    r"|min|sec|hrs?"
    r"|days?|%|x|k|st|nd|rd|th|mm|cm|km|kg|g|lb|oz|hz|khz|mhz|ghz|w|kw|v|usd|eur)(?:/\w{1,6})?"
    r"|\d{1,6}[x\u00d7:]\d{1,6}|\d{1,5}-\d{1,5}|[A-Za-z]{1,3}\d{1,2}(?::[A-Za-z]{1,3}\d{1,4})",
    re.I,
)
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_HEX = re.compile(r"(?:0x)?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,128}")
_TOKEN = re.compile(r"#?[A-Za-z0-9][\w.:#@+=/-]{1,511}")
_COUNTER = re.compile(r"([A-Za-z]+)[-_ .#]?\d{1,2}[a-z]?")
_VERSIONED = re.compile(
    r"[a-z]+(?:[_-][a-z]+){1,20}[_-]?v?\d{1,2}|[a-z]+(?:[_-][a-z]+){3,20}[_-]\d{3}"
)
_SNAKE = re.compile(
    r"_{0,2}[A-Za-z][a-z0-9]*(?:[_-][A-Za-z0-9]+)+_{0,2}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
)
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}")
_SHOUTED = re.compile(r"[A-Z]{5,12}")
_SLUG_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?!\d)")
_NAMED = re.compile(  #: ``Sum256``, ``checkpoint1ID``: a name in code that has a figure
    r"[A-Z]?[a-z]{3,20}(?:[A-Z][a-z]{1,20}){0,5}\d{1,3}(?:[A-Z][A-Za-z]{1,20})?"
)
_CHARACTER_CLASS = re.compile(r"a-[zf]A-[ZF]|0-9a-[zf]|[A-Z]-[A-Z]0-9|[zf]0-9|[ZF]0-9")
_UTILITY = re.compile(r"[a-z]+(?:-[a-z]+){0,6}-\d{1,3}")  #: ``text-gray-800``
_HAS_DIGIT = re.compile(r"\d")
_HAS_LETTER = re.compile(r"[A-Za-z]")

LONGEST = 512
SCAN = 16_000  #: of one long string, head and tail
MOST = 400  #: handles of one call


def kind_of(value: str) -> HandleKind | None:
    """The kind of handle that a whole value looks like; None if it is no handle at all."""
    value = value.strip()
    if not 3 <= len(value) <= LONGEST or value.lower() in COMMON:
        return None
    if _UUID.fullmatch(value):
        return UUID
    if _URL.fullmatch(value):
        return None if _LOCAL.fullmatch(value) else URL
    if _ARN.fullmatch(value) or _ISSUE.fullmatch(value):
        return OPAQUE
    if _is_plain(value):
        return None
    if _NUMBERS.fullmatch(value):
        return NUMBER if len(value.lstrip("#")) >= 5 else None
    if _is_path(value):
        return PATH
    return WORD if _EMAIL.fullmatch(value) else _kind_of_token(value)


def _is_plain(value: str) -> bool:
    """Dates, times, versions, quantities, colours."""
    return bool(
        _DATES.fullmatch(value) or _PLAIN_FIGURES.fullmatch(value) or _COLOUR.fullmatch(value)
    ) and not (value.isdigit() and len(value) != 8)


def _is_path(value: str) -> bool:
    if _ABSOLUTE.fullmatch(value):
        return bool(value.strip("./~\\"))
    bare = _AT_LINE.sub("", value)
    if _FILE.fullmatch(bare):
        return True
    if not _RELATIVE.fullmatch(bare):
        return False
    head, *rest = bare.lower().split("/")
    return not (head in _MEDIA or all(len(part) < 3 or part.isdigit() for part in (head, *rest)))


def _kind_of_token(value: str) -> HandleKind | None:
    if not _TOKEN.fullmatch(value) or value.lower() in COMMON:
        return None
    if not _HAS_LETTER.search(value):
        groups = len(re.findall(r"\d+", value))
        return OPAQUE if groups >= 2 and sum(map(str.isdigit, value)) >= 6 else None
    if _HAS_DIGIT.search(value):
        return _kind_of_mixed(value)
    if _SHOUTED.fullmatch(value) or _SNAKE.fullmatch(value) or _CAMEL.fullmatch(value):
        return WORD
    return None


def _kind_of_mixed(value: str) -> HandleKind | None:
    """Letters and digits: an identifier, unless it counts, versions or reads as a word."""
    if _HEX.fullmatch(value):
        return OPAQUE
    if _CHARACTER_CLASS.search(value):
        return None
    if counted := _COUNTER.fullmatch(value):
        prefix, bare = counted[1], value[len(counted[1]) : len(counted[1]) + 1].isdigit()
        if prefix.lower() in _COUNTED or len(value) < 4:
            return None
        return WORD if bare and prefix.islower() else OPAQUE
    if _NAMED.fullmatch(value):
        return WORD
    if _VERSIONED.fullmatch(value) and value.count("_") + value.count("-") > 1:
        return WORD
    return OPAQUE if _HAS_DIGIT.search(_SLUG_DATE.sub("", value)) else WORD


# -- in a call's arguments ----------------------------------------------------------------------

_IN_TEXT = re.compile(
    r"(?P<url>[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s\"'`<>\\)\]}]{2,500})"
    r"|(?P<path>(?<![\w.~/<-])(?:~/|\.{1,2}/|/|[A-Za-z]:\\)[\w.@+~-][\w.@+~/\\-]{2,400})"
    r"|(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,80})"
    r"|(?P<relative>(?<![\w./-])[\w.@+-]{1,120}(?:/[\w.@+-]{1,120}){1,30})"
    r"|(?P<file>(?<![\w./-])[\w-][\w.-]{0,120}\.(?:"
    + "|".join(_EXTENSIONS.split())
    + r")(?![\w(]))"
    r"|(?P<token>#?(?<!\w)[A-Za-z0-9][\w-]{2,255})",
    re.I,
)  # fmt: skip


def handles(arguments: object) -> Iterator[Handle]:
    """Identifier-like values in a call's arguments, each value once per argument."""
    seen: set[tuple[str, str]] = set()
    for path, value in _leaves(arguments):
        for found, kind in _in_leaf(path, value):
            if (path, found) not in seen:
                seen.add((path, found))
                yield Handle(found, kind, path)
        if len(seen) >= MOST:
            return


def _leaves(arguments: object) -> Iterator[tuple[str, str | int]]:
    """Strings and integers with their dotted paths, in order; no recursion into the depths."""
    stack: list[tuple[str, object]] = [("", arguments)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            items = [(f"{path}.{key}" if path else str(key), v) for key, v in value.items()]
            stack += reversed(items)
        elif isinstance(value, list | tuple):
            stack += [(f"{path}[{i}]", v) for i, v in reversed(list(enumerate(value)))]
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            yield path, value


def _in_leaf(path: str, value: str | int) -> Iterator[tuple[str, HandleKind]]:
    text = str(value).strip()
    name = _words_of(path)
    if text.lstrip("#").isdecimal() and text.isascii():
        if _counts(text, name):
            yield text, NUMBER
        return
    if not isinstance(value, str) or not text:
        return
    kind = kind_of(text)
    if kind is WORD and not _EMAIL.fullmatch(text) and _names_one(text, name):
        kind = OPAQUE
    if kind is None and name & _ID_NAMES and _TOKEN.fullmatch(text) and not _is_plain(text):
        kind = WORD if len(text) >= 3 and text.lower() not in COMMON else None
    if kind is not None:
        yield (_AT_LINE.sub("", text) if kind is PATH else text), kind
    if kind in (URL, PATH):
        yield from _segments(text)
    elif kind is None and len(text) > 3:
        yield from _in_text(text)


def _words_of(path: str) -> set[str]:
    """The words of the argument's own name, without list positions."""
    name = re.sub(r"\[\d+\]", "", path).rsplit(".", 1)[-1]
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    return words | {word[:-1] for word in words if word.endswith("s")}


def _counts(digits: str, name: set[str]) -> bool:
    """Is a number an identifier? By its name, or long, not round and no quantity or date."""
    if name & _NUMBERED:
        return not (name & _QUANTITIES and name & {"max", "min", "count"})
    figures = digits.lstrip("#")
    round_one = figures.endswith("000")
    return len(figures) >= 5 and not (name & _QUANTITIES or round_one or _is_plain(digits))


def _names_one(text: str, name: set[str]) -> bool:
    """An argument called ``.._id`` whose value is shouted or has a digit: ``reservation_id``."""
    return bool(name & _ID_NAMES) and bool(_SHOUTED.fullmatch(text) or _HAS_DIGIT.search(text))


def _segments(text: str) -> Iterator[tuple[str, HandleKind]]:
    """The identifiers inside a path or a URL; its plain words are no news."""
    for part in re.split(r"[/\\?&=#:,;]+", text[:LONGEST])[:60]:
        part = part.removesuffix(".git")
        stem = part.rsplit(".", 1)[0] if _FILE.fullmatch(part) else part
        kind = kind_of(stem) if stem != text else None
        if kind in (UUID, OPAQUE, NUMBER) and (kind is not OPAQUE or _is_strong(stem)):
            yield stem, kind


def _in_text(text: str) -> Iterator[tuple[str, HandleKind]]:
    if len(text) > SCAN:
        text = text[: SCAN // 2] + "\n" + text[-SCAN // 2 :]
    for match in _IN_TEXT.finditer(text):
        token = match[0].rstrip(".,;:!?-/")
        group = match.lastgroup
        if group == "url" and kind_of(token) is URL:
            yield token, URL
            yield from _segments(token)
        elif group in ("path", "relative", "file"):
            yield from _path_in_text(token, group)
        elif (kind := kind_of(token)) and _worth(token, kind, match):
            yield token, kind


def _path_in_text(token: str, group: str) -> Iterator[tuple[str, HandleKind]]:
    if _is_plain(token):
        return
    if group == "path" and token[0] == "/" and token.count("/") < 2 and "." not in token:
        return  # a route, a closing tag, a slash command
    if group == "relative" and not (
        _FILE.fullmatch(token.rsplit("/", 1)[-1])
        or token.count("/") > 1
        or _HAS_DIGIT.search(token)
    ):
        return
    if kind_of(token) is PATH:
        yield token, PATH
        yield from _segments(token)


def _worth(token: str, kind: HandleKind, match: re.Match[str]) -> bool:
    """Inside a text the bar is higher: names need an underscore, identifiers must look odd."""
    if kind is NUMBER:
        return _counts(token, set()) and match.string[match.end() : match.end() + 2] != ".0"
    if kind is WORD:
        return match.lastgroup == "mail" or (len(token) >= 6 and "_" in token.strip("_"))
    return kind is not OPAQUE or _is_strong(token)


def _is_strong(token: str) -> bool:
    """Odd enough to be no word of a text: enough digits, a digit amid letters, or long."""
    digits = sum(map(str.isdigit, token))
    if _UTILITY.fullmatch(token):
        return False
    return len(token) >= 4 and (
        digits >= 3 or "_" in token or (not token.islower() and len(token) > 4)
    )


# -- in the text of spans -----------------------------------------------------------------------

_ESCAPES = frozenset("ntrbf")


def mentions(text: str, value: str) -> bool:
    """Does ``value`` stand in the text as a whole, between characters of no identifier?

    Forms with a trailing slash, a leading ``./`` and JSON escapes count as the same.
    """
    if not value:
        return False
    value = value.removeprefix("./") if len(value) > 3 else value
    value = value.rstrip("/") or value
    if _stands(text, value, value):
        return True
    if "\\" in text and ("/" in value or "\\" in value or not value.isascii()):
        escaped = json.dumps(value)[1:-1]
        forms = {escaped, escaped.replace("/", "\\/")} - {value}
        return any(_stands(text, form, value) for form in forms)
    return False


def _stands(text: str, form: str, value: str) -> bool:
    start = text.find(form)
    while start >= 0:
        if _free_left(text, start, value) and _free_right(text, start + len(form), value):
            return True
        start = text.find(form, start + 1)
    return False


def _is_part(char: str) -> bool:
    return char.isalnum() or char == "_"


def _free_left(text: str, start: int, value: str) -> bool:
    if start == 0:
        return True
    char = text[start - 1]
    if _is_part(char):
        if not (_is_part(value[0]) or value[0] in "/~"):
            return True
        return _is_escape(text, start)
    return not (value.isdigit() and char in ".," and text[max(0, start - 2)].isdigit())


def _is_escape(text: str, start: int) -> bool:
    r"""Is the letter before ``start`` the end of a JSON escape (``\n``, ``\u0022``)?"""
    if text[start - 1] in _ESCAPES and text[start - 2 : start - 1] == "\\":
        return text[start - 3 : start - 2] != "\\"
    return start >= 6 and text[start - 6 : start - 4] == "\\u"


def _free_right(text: str, end: int, value: str) -> bool:
    char, beyond = text[end : end + 1], text[end + 1 : end + 2]
    if not char:
        return True
    if _is_part(char):
        return not _is_part(value[-1])
    if value.isdigit():
        return not (char in ".," and beyond.isdigit())
    return not ("/" in value and char in ".-" and _is_part(beyond))


# -- near copies --------------------------------------------------------------------------------

_PREFIX = re.compile(r"[A-Za-z#]+[-_:#]?")


def near(value: str, other: str) -> bool:
    """Is ``value`` a slip of ``other``: the same prefix and shape, a character or two apart?

    Neighbours in a short numbering (``run_1``, ``run_2``) are two things, not a slip.
    """
    if value == other or abs(len(value) - len(other)) > 1 or min(len(value), len(other)) < 6:
        return False
    if "/" in value or " " in value or not (_HAS_DIGIT.search(value) and _HAS_DIGIT.search(other)):
        return False
    if not _same_prefix(value, other) or _is_next_in_line(value, other):
        return False
    if len(value) == len(other) >= 16 and value[: len(value) // 2] == other[: len(value) // 2]:
        return _shape(value) == _shape(other) or _HEX.fullmatch(value.replace("-", "")) is not None
    allowed = 2 if min(len(value), len(other)) >= 8 else 1
    return _distance(value, other, allowed) <= allowed


def _same_prefix(value: str, other: str) -> bool:
    one, two = _PREFIX.match(value), _PREFIX.match(other)
    if one and two and one[0][-1] in "-_:#":
        return one[0].lower() == two[0].lower()
    return value[:2].lower() == other[:2].lower()


def _is_next_in_line(value: str, other: str) -> bool:
    """Do they differ only by a short number at one place?"""
    one, two = re.split(r"(\d+)", value), re.split(r"(\d+)", other)
    if len(one) != len(two):
        return False
    apart = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return len(apart) == 1 and all(part.isdigit() and len(part) <= 3 for part in apart[0])


def _shape(value: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value)))


def _distance(value: str, other: str, limit: int) -> int:
    """Edit distance; anything above ``limit`` may come out as ``limit + 1``."""
    if len(value) > 128:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, a in enumerate(value, 1):
        previous, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
        if min(row) > limit:
            return limit + 1
    return row[-1]
