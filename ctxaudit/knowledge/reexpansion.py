"""Re-expansion: the model asks for a withheld schema or content, and gets it.

requested("ToolSearch", {"query": "select:A,B"})            ("A", "B")
requested("load_tools", {"names": ["deploy_status"]})       ("deploy_status",)
requested("tool_search", {"query": "deploy status"})        ()      by keywords only
requested("create_incident", {...})                         None    no such request
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ctxaudit.patterns import regex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names that need no look at their words. Written without separators and in lower case.
KNOWN_LOADERS = _words(
    "toolsearch mcpsearch toolsearchtoolregex toolsearchtoolbm25 toolsearchcall searchtools"
    " loadtools loadtool loadcapability selecttools tooldescribe describetool capabilityinfo"
    " requesttoolschema gettoolschema mcptoolschema enableextension searchavailableextensions"
    " listtools discovertools enabletools"
)
KNOWN_RETRIEVERS = _words(
    "retrievetoolresult readomittedcontent contexttreequery sessionsearch sessionread"
    " litellmcontentretrieve"
)
_VERBS = _words(
    "load reload search select describe get request activate enable reenable discover list find"
    " expand reexpand restore unlock fetch retrieve info lookup inspect show"
)
_TOOLS = _words("tool tools toolset toolsets toolbox")
#: Nouns that tools of other trades share: only with a verb that speaks of residency.
_SHARED_NOUNS = _words("capability capabilities extension extensions")
_RESIDENCY_VERBS = _words("load request activate enable reenable discover search")
#: With one of these the tool is about calls or records of tools, not about their schemas.
_OTHER_TRADES = _words(
    "call calls usage log logs history status run runs use count metrics result results output"
    " outputs price order cost create delete update"
)
_BRING_BACK = _words("retrieve recall restore expand rehydrate reload unprune read fetch")
_AWAY = _words("omitted evicted pruned compacted elided cleared truncated offloaded masked spilled")
_NAME_KEYS = _words(
    "name names tool tools toolname toolnames toolids toolid capability capabilities extension"
    " extensionname select selected"
)
_QUERY_KEYS = ("query", "q", "pattern", "search")
_NAME = regex(r"[A-Za-z_][\w.:/-]{0,127}")
_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SCAN = 64_000


@lru_cache(4096)
def is_loader(tool: str) -> bool:
    """Does a tool of this name give out schemas that were withheld?"""
    words = _words_of(tool)
    if "".join(words) in KNOWN_LOADERS:
        return True
    bag = set(words)
    if bag & _OTHER_TRADES:
        return False
    if bag & _TOOLS:
        return bool(bag & _VERBS)
    return bool(bag & _SHARED_NOUNS and bag & _RESIDENCY_VERBS) and len(words) <= 3


def is_retriever(tool: str, arguments: object = None) -> bool:
    """Does a tool of this name bring back content that a pruner took away?"""
    words = _words_of(tool)
    if "".join(words) in KNOWN_RETRIEVERS:
        return True
    if words == ("recall",):
        keys = {_flat(key) for key in arguments} if isinstance(arguments, dict) else set()
        return bool(keys & {"toolcallid", "ref", "callid"})
    bag = set(words)
    about_results = bag & _AWAY or ("tool" in bag and bag & {"result", "output"})
    return bool(bag & _BRING_BACK and about_results)


@lru_cache(4096)
def _words_of(tool: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(_own_name(tool)))


@lru_cache(4096)
def _may_ask(tool: str) -> bool:
    """Whether a call of this tool can be a request at all; most tools are none."""
    words = _words_of(tool)
    return is_loader(tool) or is_retriever(tool) or words[:1] in (("recall",), ("activate",))


def requested(tool: str, arguments: object) -> tuple[str, ...] | None:
    """The tools that this call asks for; empty for keywords or content; None for other calls."""
    if not _may_ask(tool):
        return None
    arguments = _parsed(arguments)
    if is_loader(tool):
        return tuple(dict.fromkeys(_names_in(arguments)))
    if is_retriever(tool, arguments) or _is_group(tool, arguments):
        return ()
    return None


def _is_group(tool: str, arguments: object) -> bool:
    """``activate_<group>``: a virtual tool that stands for a folded group, without arguments."""
    return _own_name(tool).startswith("activate_") and not arguments


def _own_name(tool: str) -> str:
    """The name without its server: ``mcp__srv__load_tools``, ``functions.load_tools``."""
    return re.split(r"__|[./:]", tool)[-1] or tool


def _flat(key: object) -> str:
    return str(key).replace("_", "").replace("-", "").lower()


def _parsed(arguments: object) -> object:
    if isinstance(arguments, str):
        try:
            return json.loads(arguments[:SCAN]) if arguments[:1] in "{[" else arguments
        except (ValueError, RecursionError):
            return arguments
    return arguments


def _names_in(arguments: object) -> Iterator[str]:
    if isinstance(arguments, str):
        yield from _selected(arguments)
    elif isinstance(arguments, list):
        yield from _listed(arguments)
    elif isinstance(arguments, dict):
        for key, value in arguments.items():
            if _flat(key) in _NAME_KEYS:
                yield from _listed(value)
            elif key in _QUERY_KEYS and isinstance(value, str):
                yield from _selected(value)


def _selected(query: str) -> Iterator[str]:
    """The names of a ``select:A,B`` query; a query of keywords names nothing."""
    head, colon, rest = query.partition(":")
    if colon and head.strip().lower() == "select":
        yield from _split(rest)


def _listed(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from _split(value.removeprefix("select:"))
    elif isinstance(value, list):
        for item in value:
            name = item.get("name") or item.get("tool_name") if isinstance(item, dict) else item
            if isinstance(name, str):
                yield from _split(name)


def _split(names: str) -> Iterator[str]:
    for name in re.split(r"[,;\s]+", names[:4_000]):
        if _NAME.fullmatch(name := name.strip("`'\"[]()")):
            yield name


# -- in words -----------------------------------------------------------------------------------

_CUE = regex(
    r"\b(?:please|could|can you|would|need|needs|require|request|requesting|ask|asking|want"
    r"|must be|should be|missing|don't have|do not have|without|lack|cannot see|can't see)\b",
    re.I,
)
#: What is wished for the tool; {0} is its name.
_WISHES = (
    r"\b(?:re-?enabl|re-?expan|re-?load|re-?activat|re-?add|re-?open|restor|load|activat|enabl"
    r"|expos|unlock|expan|request|bring back|turn on|make)\w*"
    r"(?:\W+(?!(?:using|with|via|by|through|after|before|then|from)\b)\w+){0,4}\W+{0}",
    r"\b(?:schemas?|definitions?|parameters|signature|access|re-?expansion)\b"
    r"(?:\W+(?:of|for|to|the|tool|a|its)\b){1,4}\W+{0}",
    r"{0}\W{1,3}(?:'?s\W+)?(?:tool\W+)?(?:schema|definition)",
    r"{0}\b(?:\W+\w+){0,4}\W+(?:back|be (?:re-?)?(?:enabled|loaded|expanded|activated|restored))\b",
)
_SENTENCE = regex(r"(?<=[.!?;])\s+|\n+")


def asked_in_words(text: str, tools: Iterable[str]) -> tuple[str, ...]:
    """Those of the tools that the model's prose asks to have back."""
    text = text[:SCAN].replace("\u2019", "'")
    present = [tool for tool in dict.fromkeys(tools) if tool and tool in text]
    if not present or not _CUE.search(text):
        return ()
    sentences = [s[:2_000] for s in _SENTENCE.split(text) if _CUE.search(s[:2_000])]
    return tuple(tool for tool in present if any(_wishes(s, tool) for s in sentences))


def _wishes(sentence: str, tool: str) -> bool:
    if tool not in sentence:
        return False
    name = rf"(?<![\w-]){re.escape(tool)}(?![\w-])"
    return any(re.search(wish.replace("{0}", name), sentence, re.I) for wish in _WISHES)


# -- what a load gave ---------------------------------------------------------------------------

_GRANT_KEYS = _words(
    "toolreferences loaded loadedtools activated activatedtools enabled enabledtools tools matches"
    " added addedtools selected results functions"
)
_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "schema", "description")
_QUOTED = r"[`'\"]?[A-Za-z_][\w.:/-]{0,127}[`'\"]?"
_LIST = rf"(?P<names>{_QUOTED}(?:(?:, and |,? and |, ?){_QUOTED}){{0,60}})"
_GRANTS = (
    regex(
        r"\b(?:re-?)?(?:loaded|activated|enabled|expanded|restored|unlocked)"
        r"(?: the)?(?: \d+)?(?: following)?(?: (?:tools?|schemas?|extensions?|capabilit\w+))?"
        rf"(?: (?:for|of))?:? {{0,2}}\n?(?:[-*] )?{_LIST}",
        re.I,
    ),
    regex(
        rf"(?:\b(?:tools?|schemas?|extensions?|capabilit\w+)(?: (?:for|of))? )?{_LIST}"
        r"(?: (?:has|have|is|are|was|were)(?: been)?(?: now)?)? ?(?:successfully )?"
        r"(?:re-?)?(?:loaded|activated|enabled|expanded|restored|available now|now available)\b",
        re.I,
    ),
    regex(rf"\bschemas? (?:for|of) {_LIST}\s?[:{{\n]", re.I),
    regex(r"<function>\{[^\n]{0,20000}?\"name\": ?\"(?P<names>[\w.:/-]{1,128})\""),
)
_REFUSED = regex(r"\b(?:not|failed|cannot|can't|could not|unable|error|unknown|no match)\b", re.I)
_GRANT_WORDS = (
    "loaded", "abled", "activated", "expanded", "restored", "available", "schema", "unlocked",
    "<function>",
)  # fmt: skip
_PLAIN_WORD = regex(r"[A-Za-z]+")


def granted(result_text: str) -> tuple[str, ...]:
    """The tools that the result of a load says are loaded, in order."""
    text = result_text.strip()
    value = _parsed(text)
    if not isinstance(value, str):
        return tuple(dict.fromkeys(_granted_in(value, 0)))
    names: list[str] = []
    for line in _SENTENCE.split(text[:SCAN]):
        if line.startswith("<function>") or not _REFUSED.search(line[:2_000]):
            names += _granted_by(line[:20_000] if line.startswith("<function>") else line[:2_000])
    return tuple(dict.fromkeys(names))


def _granted_in(value: object, depth: int) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(value, list):
        for item in value:
            yield from _granted_in(item, depth + 1)
    elif isinstance(value, dict) and not value.get("error"):
        name = value.get("tool_name") or value.get("name")
        is_reference = value.get("type") == "tool_reference"
        is_reference = is_reference or any(k in value for k in _SCHEMA_KEYS)
        if isinstance(name, str) and is_reference:
            yield name
        elif value.get("type") == "text" and isinstance(value.get("text"), str):
            yield from granted(value["text"])
        else:
            for key, inner in value.items():
                yield from _granted_under(_flat(key), inner, depth + 1)


def _granted_under(key: str, inner: object, depth: int) -> Iterator[str]:
    if key in _GRANT_KEYS:
        yield from _listed(inner)
    if key in _GRANT_KEYS or key in ("content", "function", "output", "result"):
        yield from _granted_in(inner, depth)


def _granted_by(line: str) -> Iterator[str]:
    lower = line.lower()
    if not any(word in lower for word in _GRANT_WORDS):
        return
    for pattern in _GRANTS:
        for match in pattern.finditer(line):
            pieces = re.split(r",? and |, ?", match["names"])
            colon = ":" in match[0][: match.start("names") - match.start()]
            for piece in pieces:
                name = piece.strip("`'\"").rstrip(".:")
                if name != piece.rstrip(".:") or colon or not _PLAIN_WORD.fullmatch(name):
                    yield name
