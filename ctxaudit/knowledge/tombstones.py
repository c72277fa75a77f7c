"""Tombstones of tools: texts that say a tool exists, is withheld, and how to get it back.

    [TOOL TOMBSTONE] 'update_x' schema withheld; request re-expansion before calling.
    Tool schemas were discarded. Loadable: deploy_status, deploy_logs.
    The following deferred tools are now available via ToolSearch. ...:\\nTaskCreate\\nTaskStop

A text that only says that a tool is gone is none: the model is not told that it can ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxaudit.knowledge.reexpansion import is_loader
from ctxaudit.patterns import regex

#: How to get a tool back.
_WAY_BACK = regex(
    r"""\b(?:
    (?:request|ask\ for|call\ for|requires?|needs?)\ (?:its\ |the\ |a\ |their\ )?(?:full\ |tool\ )?
        (?:re-?expansion|schemas?|definitions?|activation|re-?load(?:ing)?|loading|re-?enabling)
  | (?:must|need(?:s)?\ to|has\ to|have\ to|should|can|may|will)\ (?:first\ )?be\ (?:first\ )?
        (?:re-?)?(?:loaded|activated|enabled|requested|expanded|searched|restored|fetched
        |discovered)
  | (?:re-?expand|re-?load|re-?activate|re-?enable|load|activate|fetch|enable)\ 
        (?:it|them|these|this|the\ (?:tool|schema|full|definition)s?|tools?|schemas?|its|their)\b
  | loadable | (?:available|loaded|load|offered|shown|fetched)\ on[- ]demand | on[- ]demand\ tools?
  | (?:deferred|loadable|withheld)[-_ ]tools? | (?:tools?|schemas?)\ (?:is|are)\ deferred
  | (?:available|loadable|load|found|discoverable|reachable)\ (?:via|through|with|by)\ 
        [`'"]?(?:\w{0,40}(?:search|load|select|discover|enable|activat)\w{0,40})
  | search\ for\ (?:it|them|these\ tools|the\ tool) | select: | loading\ required
  | (?:use|call)\ [`'"]?\w{0,40}(?:search|load|select|describe|schema|expand|enable)\w{0,40}[`'"]?
        (?:\([^)\n]{0,80}\))?
        \ (?:first|before|to\ (?:load|get|enable|activate|restore|expand|fetch|see))
    )
    | 按需加载 | 需要?先加载 | 延迟加载 | 可加载
    | オンデマンド | 読み込んでから | 필요\ ?시\ 로드
    | \b(?:auf\ anfrage|nachgeladen|bajo\ demanda|à\ la\ demande|sob\ demanda)\b
    """,
    re.I | re.X,
)
#: The schema is kept back: enough by itself.
_WITHHELD = regex(
    r"\b(?:schemas?|definitions?|parameters?)\b[^.\n]{0,60}\b(?:withheld|not (?:yet )?loaded"
    r"|deferred|unloaded|not (?:currently )?(?:shown|included|sent|resident))\b"
    r"|\b(?:tool|schema) tombstone\b|\bwithheld\b[^.\n]{0,60}\b(?:tools?|schemas?)\b"
    r"|\btools?\b[^.\n]{0,60}\bwithheld\b",
    re.I,
)
#: The tool left: a tombstone only if the next sentence says how to get it back.
_AWAY = regex(
    r"\b(?:hidden|removed|pruned|dropped|discarded|evicted|unloaded|collapsed|deactivated"
    r"|not (?:currently )?(?:available|loaded|active|offered|in context)|no longer available"
    r"|no longer (?:offered|loaded|active|in context))\b",
    re.I,
)
#: The way back is closed.
_CLOSED = regex(
    r"\b(?:do not (?:search|request|load|ask)|don't (?:search|request|load|ask)"
    r"|will return no match|permanently|cannot be (?:re-?)?(?:loaded|enabled|restored|requested)"
    r"|disconnected|decommissioned|retired)\b",
    re.I,
)
_TOPIC = regex(
    r"tool|schema|function|capabilit|extension|plugin|loadable|deferred|on[- ]demand"
    r"|工具|ツール|도구",
    re.I,
)
_INSTRUMENT_BEFORE = regex(r"\b(?:via|using|with|through)\s+(?:the\s+)?[`'\"]?$", re.I)
_USED_BEFORE = regex(r"(?<!\bto )\b(?:use|call|run|invoke)\s+(?:the\s+)?[`'\"]?$", re.I)
_USED_AFTER = regex(
    r"[`'\"]?(?:\([^)\n]{0,80}\))?\s+(?:tool\s+)?"
    r"(?:to (?:load|get|enable|activate|restore|expand|fetch|find|see|search)"
    r"|with (?:quer|name|select))",
    re.I,
)
_ITEM = regex(
    r"\s*(?:[-*•+]\s*|\d{1,3}[.)]\s*)?[`'\"]?[\w.:/-]{1,128}[`'\"]?"
    r"(?:\s*[:(].{0,400}|\s+[\u2013\u2014-]\s.{0,400})?,?\s*$"
)
_SEMICOLONS = (";", "\uff1b")
_ENDS = regex(r"[.!?;](?=\s|$)|[。;]")

OCCURRENCES = 40  #: looked at per text; a name that common is not settled by more
REACH = 1_200  #: characters of a line looked at around the name
LIST = 400  #: lines of a list between a name and its heading


def tombstoned(text: str, tool: str) -> bool:
    """Does this text tell that ``tool`` is withheld and can be had? The last word on it counts."""
    if not tool or tool not in text or is_loader(tool):
        return False
    verdict = False
    for start in _occurrences(text, tool):
        said = _verdict(text, start, start + len(tool))
        verdict = verdict if said is None else said
    return verdict


def _occurrences(text: str, name: str) -> Iterator[int]:
    """Where the name stands as a whole word, the last ``OCCURRENCES`` of them in order."""
    found: list[int] = []
    end = len(text)
    while len(found) < OCCURRENCES and (start := text.rfind(name, 0, end)) >= 0:
        before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 2]
        joined = after[:1] in ".-" and _is_word(after[1:2])
        if not (_is_word(before) or before in ("-", ".") or _is_word(after[:1]) or joined):
            found.append(start)
        end = start + len(name) - 1
    return reversed(found)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _verdict(text: str, start: int, end: int) -> bool | None:
    """What the text says of the name at this place; None if nothing."""
    low = max(text.rfind("\n", 0, start) + 1, start - REACH)
    high = text.find("\n", end)
    high = min(len(text) if high < 0 else high, end + REACH)
    line = text[low:high]
    before, after = text[low:start], text[end:high]
    if _INSTRUMENT_BEFORE.search(before) or (
        _USED_BEFORE.search(before) and _USED_AFTER.match(after)
    ):
        return None
    sentence, following = _sentence(line, start - low)
    said = _said(sentence, following, line)
    if said is None and _ITEM.match(line):
        heading = _heading(text, low)
        return _said(heading, "", heading)
    return said


def _said(sentence: str, following: str, around: str) -> bool | None:
    if not sentence or not _TOPIC.search(around):
        return None
    if _CLOSED.search(sentence):
        return False
    if _WAY_BACK.search(sentence) or _WITHHELD.search(sentence):
        return True
    if _AWAY.search(sentence):
        return bool(_WAY_BACK.search(following)) and not _CLOSED.search(following)
    return None


def _sentence(line: str, at: int) -> tuple[str, str]:
    """The sentence that holds the position, and the one after it."""
    ends = [found.end() for found in _ENDS.finditer(line)]
    low = max((end for end in ends if end <= at), default=0)
    later = [end for end in ends if end > at] + [len(line)] * 2
    # A semicolon goes on about the same thing.
    high = later[1] if line[later[0] - 1 : later[0]] in _SEMICOLONS else later[0]
    if low and line[low - 1] in _SEMICOLONS:
        low = max((end for end in ends if end < low), default=0)
    nxt = next((end for end in later if end > high), len(line))
    return line[low:high], line[high:nxt]


def _heading(text: str, low: int) -> str:
    """The line that introduces the list whose item starts at ``low``."""
    for _ in range(LIST):
        if low <= 0:
            return ""
        high = low - 1
        low = text.rfind("\n", 0, high) + 1
        line = text[low:high]
        own = line.strip()
        if own and (own[-1] == ":" or not _ITEM.match(own[:600])):
            return line[-REACH:]
    return ""


# -- renames ------------------------------------------------------------------------------------

_NEW = r"(?P<open>[`'\"]?)(?P<new>[A-Za-z_][\w.:/-]{0,127})(?P=open)"
#: ``{0}`` is the old name, quoted or not.
_RENAMES = (
    rf"{{0}} (?:is now|(?:was|has been|is|were|got) renamed|renamed)"
    rf"(?: to| as| called| named| known as)? {_NEW}",
    rf"{{0}} is (?:called|named) {_NEW}(?: now)",
    rf"{{0}} (?:was|has been|is) (?:replaced|superseded) (?:by|with) {_NEW}",
    rf"renam\w* (?:the )?(?:tool )?(?:from )?{{0}} (?:to|into|as|->|→) {_NEW}",
    rf"{{0}} ?(?:->|=>|→|⇒) ?{_NEW}",
    rf"use {_NEW}(?: tool)? instead of (?:the )?{{0}}",
    rf"{_NEW} \((?:formerly|previously|was|renamed from|old name:?) {{0}}\)",
    rf"{_NEW} (?:replaces|supersedes) {{0}}",
)
_RENAMING = regex(r"renam|new names?|now called|now named|replac|supersed|deprecat|formerly", re.I)
_STATES_TEXT = (
    "a an the to now available unavailable disabled enabled deprecated removed loaded gone"
    " not in on"
    " required optional read-only also only called named renamed active inactive ready up down"
    " working broken supported unsupported running done it this that"
)
_STATES = frozenset(_STATES_TEXT.split())


def renamed(text: str, old: str) -> str | None:
    """The new name that the text gives the tool ``old``, or None."""
    if not old or old not in text:
        return None
    name = rf"(?<![\w.-])[`'\"]?{re.escape(old)}[`'\"]?(?![\w-])"
    for start in _occurrences(text, old):
        low = max(text.rfind("\n", 0, start) + 1, start - 300)
        high = text.find("\n", start)
        line = text[low : min(len(text) if high < 0 else high, start + 300)]
        around = text[max(0, low - 400) : low + len(line)]
        if new := _new_name(line, around, name, old):
            return new
    return None


def _new_name(line: str, around: str, name: str, old: str) -> str | None:
    for pattern in _RENAMES:
        for found in re.finditer(pattern.replace("{0}", name), line, re.I):
            new = found["new"].rstrip(".:")
            sure = found["open"] or _RENAMING.search(around)
            if sure and new != old and new.lower() not in _STATES and _is_rename(found, around):
                return new
    return None


def _is_rename(found: re.Match[str], around: str) -> bool:
    """An arrow means many things: only where the text speaks of renaming."""
    arrow = any(mark in found[0] for mark in ("->", "=>", "→", "⇒"))
    return not arrow or bool(_RENAMING.search(around))
