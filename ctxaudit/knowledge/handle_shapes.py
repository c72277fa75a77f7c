"""What identifiers look like, and what only looks like one: words and patterns. Data only."""

from __future__ import annotations

import re

from ctxaudit.patterns import regex


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
COUNTED = _words(
    "step phase part page line level chapter section version test example option priority sev"
    " severity stage tier round day week month year quarter column col row top max min size grade"
    " p q v version level port python node java go gpt claude gemini llama o rev item figure table"
    " note point type class group unit"
)
QUANTITIES = _words(
    "limit max min timeout offset count length width height size amount price total cost budget ms"
    " seconds minutes hours duration bytes tokens line lines start end page year depth quantity qty"
    " score weight rate percent interval ttl delay head tail top age salary balance epoch timestamp"
    " time date x y z lat lon latitude longitude chars"
)
#: Names under which ``#123456`` is a colour.
COLOURED = _words(
    "color colour background foreground bg fg fill stroke border shade tint hex accent theme"
    " palette highlight shadow gradient"
)
ID_NAMES = _words(
    "id ids pid port session sessionid ref reference code token key handle uuid guid number ticket"
    " order reservation confirmation cell job run task"
)
#: Of those, the names whose value may be a small number; ``exit_code: 1`` is no identifier.
NUMBERED = _words("id ids pid port session sessionid number ticket cell shell")
#: What stands before the random part of an identifier.
PREFIXES = ID_NAMES | _words(
    "call toolu tool tooluse chatcmpl msg message req request res resp response rs fc run step"
    " thread asst item txn cus sub evt event ord inv usr user sess trace span batch job"
)
#: Pieces of camel case that are shorter than a word or have no vowel.
SHORT_PIECES = _words(
    "id ids is of to by in on at as or my no up do go me db ui io ok all html css sql str xml url"
    " urls http ctx cfg img btn src dst"
)
EXTENSIONS = (
    "py pyi ipynb js jsx ts tsx mjs cjs json jsonl"
    " yaml yml toml ini cfg conf env md rst txt log csv tsv"
    " xml html htm css scss sql db sqlite sh bash"
    " zsh ps1 bat go rs rb java kt swift c h cc cpp hpp cs php"
    " pl lua r jl ex exs erl hs scala"
    " clj vue svelte proto lock patch diff pdf png jpg jpeg gif svg webp"
    " mp3 mp4 wav zip tar gz tgz bz2 xz parquet feather pkl npy npz docx xlsx pptx bin out tmp bak"
)
MEDIA = _words(
    "application text image audio video multipart font model message europe america asia africa"
    " australia atlantic pacific indian antarctica etc and or n i he she either read input client"
    " yes true ci km tcp"
)

UUID = regex(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
URL = regex(r"[A-Za-z][A-Za-z0-9+.-]{1,15}://[\w\[~/][^\s\"'`<>]+")
LOCAL = regex(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?/?", re.I)
ARN = regex(r"arn:[\w-]+:[\w-]*:[\w-]*:\d*:\S+")
EMAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
ISSUE = regex(r"[\w.-]{1,80}/[\w.-]{1,80}#\d{1,7}")
ABSOLUTE = regex(r"(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[^\s\"'`<>|*?]{1,400}")
RELATIVE = regex(r"[\w.@+-]{1,120}(?:/[\w.@+-]{1,120}){1,30}/?")
FILE = regex(r"[\w@+-][\w.@+-]{0,120}\.(?:" + "|".join(EXTENSIONS.split()) + r")", re.I)
AT_LINE = regex(r"(?::\d+(?:-\d+)?){1,2}$")
NUMBERS = regex(r"#?\d{1,40}")
DATES = regex(
    r"(?:19|20)\d\d[-/._](?:0?[1-9]|1[0-2])"
    r"(?:[-/._](?:0?[1-9]|[12]\d|3[01])(?:[T_ -]?\d\d[:.h-]?\d\d\S*|T\d{0,2})?)?"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?\d{2,6}(?:\.\d+)?Z?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})"
    r"|(?:19|20)\d\d-?(?:Q[1-4]|W\d\d?|H[12])|Q[1-4][- ]?(?:19|20)\d\d"
    r"|\d{1,2}[- ]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]?\d{0,4}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]?\d{1,4}(?:[-, ]+\d{4})?"
    r"|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:[ap]m|z|[+-]\d\d:?\d\d)?|(?:utc|gmt)[+-]\d{1,2}"
    r"|T\d\d:?\d\d(?::?\d\d)?Z?|\d{1,2}(?:am|pm)|P(?:T?\d+[DHMSWY])+",
    re.I,
)
PLAIN_FIGURES = regex(
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
#: ``#123``: the number of an issue; a zero in front, or one figure over and over, is a colour.
ISSUE_NUMBER = regex(r"#(?!(\d)\1+\Z)[1-9]\d{2,5}")
COLOUR = regex(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
HEX = regex(r"(?:0x)?(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,128}")
TOKEN = regex(r"#?[A-Za-z0-9][\w.:#@+=/-]{1,511}")
COUNTER = regex(r"([A-Za-z]+)[-_ .#]?\d{1,2}[a-z]?")
VERSIONED = regex(r"[a-z]+(?:[_-][a-z]+){1,20}[_-]?v?\d{1,2}|[a-z]+(?:[_-][a-z]+){3,20}[_-]\d{3}")
SNAKE = regex(r"_{0,2}[A-Za-z][a-z0-9]*(?:[_-][A-Za-z0-9]+)+_{0,2}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
CAMEL = regex(r"[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}")
#: An identifier made of a prefix and letters: ``call_rLc``; group 2 is random, or camel case.
PREFIXED = regex(r"([a-z]{2,10})[_-](?=[a-z]*[A-Z])(?=[A-Z]*[a-z])([A-Za-z]{3,64})")
CAMEL_PIECE = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SHOUTED = regex(r"[A-Z]{5,12}")
SLUG_DATE = regex(r"(?<!\d)(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?!\d)")
NAMED = regex(  #: ``Sum256``, ``checkpoint1ID``, ``Int32Array``: a name in code that has a figure
    r"[A-Z]?[a-z]{3,20}(?:[A-Z][a-z]{1,20}){0,5}\d{1,3}(?:[A-Z][A-Za-z]{1,20})?"
    r"|[A-Z]?[a-z]{1,20}\d{1,3}(?:[A-Z][a-z]{2,20}){1,5}"
)
CHARACTER_CLASS = regex(r"a-[zf]A-[ZF]|0-9a-[zf]|[A-Z]-[A-Z]0-9|[zf]0-9|[ZF]0-9")
UTILITY = regex(r"[a-z]+(?:-[a-z]+){0,6}-\d{1,3}")  #: ``text-gray-800``
HAS_DIGIT = regex(r"\d")
HAS_LETTER = regex(r"[A-Za-z]")

IN_TEXT = regex(
    r"(?P<url>[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s\"'`<>\\)\]}]{2,500})"
    r"|(?P<path>(?<![\w.~/<-])(?:~/|\.{1,2}/|/|[A-Za-z]:\\)[\w.@+~-][\w.@+~/\\-]{2,400})"
    r"|(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,80})"
    r"|(?P<issue>(?<![\w./-])[\w.-]{1,80}/[\w.-]{1,80}#\d{3,6}(?!\w))"
    r"|(?P<relative>(?<![\w./-])[\w.@+-]{1,120}(?:/[\w.@+-]{1,120}){1,30})"
    r"|(?P<file>(?<![\w./-])[\w-][\w.-]{0,120}\.(?:"
    + "|".join(EXTENSIONS.split())
    + r")(?![\w(]))"
    r"|(?P<token>#?(?<!\w)[A-Za-z0-9][\w-]{2,255})",
    re.I,
)  # fmt: skip
