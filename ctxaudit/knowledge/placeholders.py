"""Texts that a pruner leaves where content used to be.

One table of strings seen in public runtimes, by kind, and one rule for bracketed lines of the
same shape that nobody has listed yet. A text is a stub only as a whole: a file that quotes such
a string is content.

    [Old tool result content cleared]                         CLEARED
    Output too large. Full output available at: /tmp/o.txt    SPILLED, target /tmp/o.txt
    File unchanged since last read. The content from ...      UNCHANGED
    [Tool result missing due to internal error]               REPAIR
    [truncated: output exceeded context limit]                TRUNCATED
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from functools import cache

from ctxaudit.frozen import frozen
from ctxaudit.patterns import regex


class StubKind(StrEnum):
    """What a stub tells about the content that it stands for."""

    CLEARED = "cleared"  #: gone
    SPILLED = "spilled"  #: moved to a file or a store that the stub names
    UNCHANGED = "unchanged"  #: said to stand earlier in the conversation
    REPAIR = "repair"  #: never was: a result made up for a call that had none
    TRUNCATED = "truncated"  #: cut, the rest is gone


@frozen
class Stub:
    """A recognised stub; ``signature`` is the row of the table that matched it."""

    kind: StubKind
    target: str | None
    signature: str


CLEARED, SPILLED = StubKind.CLEARED, StubKind.SPILLED
UNCHANGED, REPAIR, TRUNCATED = StubKind.UNCHANGED, StubKind.REPAIR, StubKind.TRUNCATED

#: Templates: ``<n>`` a number, ``<w>`` a word, ``<p>`` a path or reference (the target),
#: ``<*>`` the rest of a clause, ``<**>`` anything, over lines. Case and the kind of dash or
#: ellipsis do not matter.
TEMPLATES: tuple[tuple[StubKind, str], ...] = (
    (CLEARED, "[Old tool result content cleared]"),
    (CLEARED, "[Old tool output cleared to save context space]"),
    (CLEARED, "[Tool output pruned - was <n> chars]"),
    (CLEARED, "[cleared]"),
    (CLEARED, "[cleared to save context]"),
    (CLEARED, "[<w>] ran `<*>` -> exit <n>, <n> lines output"),
    (CLEARED, "[<w>] <*> -> <n> matches"),
    (CLEARED, "[<w>] read <p> from line <n> (<n> chars)"),
    (CLEARED, "[compacted: tool output removed to free context]"),
    (CLEARED, "[prior output removed to free context]"),
    (CLEARED, "<*> result removed to free context. Do not retry only because it was <*>"),
    (CLEARED, "[Output removed to save context - information superseded or no longer needed]"),
    (CLEARED, "[input removed due to failed tool call]"),
    (CLEARED, "[questions removed - see output for user's answers]"),
    (CLEARED, "Older context pruned."),
    (CLEARED, "Old environment output: (<n> lines omitted)"),
    (CLEARED, "Outdated window with <n> lines omitted..."),
    (CLEARED, "[[NOTE] This file read has been removed to save space in the context window.<*>]"),
    (
        CLEARED,
        "[NOTE] Some previous conversation history with the user has been removed to"
        " maintain optimal context window length.<**>",
    ),
    (CLEARED, "[Sliding window truncation: <n> messages hidden to reduce context]"),
    (CLEARED, "[<w>] tool result pruned (<*>)"),
    (CLEARED, "[<w> output compacted to protect context]"),
    (CLEARED, "[tool output evicted to fit context<*>]"),
    (CLEARED, "[Duplicate tool output - same content as a more recent call]"),
    (CLEARED, "[SKILL_PRUNED: content lost in compression; reload with <*>]"),
    (CLEARED, "[Tool call: <w> (parameters and results removed from history)]"),
    (CLEARED, "[<w> elided for summarization]"),
    (CLEARED, "<MASKED>"),
    (CLEARED, "[Tool references removed - <*>]"),
    (CLEARED, "[Context compacted: <n> earlier messages removed to free context window]"),
    (CLEARED, "[<n> earlier messages removed to free context space]"),
    (
        CLEARED,
        "Summary generation failed. <n> earlier messages were removed to free context.<*>",
    ),
    (CLEARED, "[System: Older context pruned to conserve token bandwidth]"),
    (CLEARED, "<n> earlier messages were removed to free context.<*>"),
    (CLEARED, "[a tool call was recorded here without an id and has been removed]"),
    (CLEARED, "[Context compaction: middle content omitted to fit <*>]"),
    (SPILLED, "<persisted-output>\n<*>saved to: <p>\n<**></persisted-output>"),
    (SPILLED, "<persisted-output><**></persisted-output>"),
    (SPILLED, "<tool_output_masked><**>saved to: <p>]\n</tool_output_masked>"),
    (SPILLED, "<tool_output_masked><**>available at: <p>\n</tool_output_masked>"),
    (SPILLED, "<tool_output_masked><**></tool_output_masked>"),
    (SPILLED, "Output too large. Full output available at: <p>"),
    (SPILLED, "Output too large. Showing first <n> and last <n> characters.<*>see: <p>\n<**>"),
    (
        SPILLED,
        "Tool result too large, the result of this tool call <w> was saved in the"
        " filesystem at this path: <p>\n<**>",
    ),
    (
        SPILLED,
        "Tool result too large, the result of this tool call <w> was saved in the"
        " filesystem at this path: <p>",
    ),
    (SPILLED, "[TOOL_RESULT_TRUNCATED]<**>ref=<p>\n<**>"),
    (SPILLED, "[TOOL_RESULT_TRUNCATED]<**>ref=<p>"),
    (SPILLED, "TOOL_RESULT_REF<**>ref=<p>\n<**>"),
    (SPILLED, "TOOL_RESULT_REF<**>ref=<p>"),
    (SPILLED, "TOOL_RESULT_REF<*>"),
    (SPILLED, "[Compressed: <p> - <n> lines, <*>. Use <w> tool to get full content.]"),
    (
        UNCHANGED,
        "File unchanged since last read. The content from the earlier <*> result"
        " in this conversation is still current<*>",
    ),
    (UNCHANGED, "File unchanged since last read.<*>"),
    (
        REPAIR,
        "[<w>] missing tool result in session history; inserted synthetic error result"
        " for transcript repair.",
    ),
    (REPAIR, "[Tool result missing due to internal error]"),
    (REPAIR, "[Tool result missing]"),
    (
        REPAIR,
        "[System: Tool execution skipped/interrupted by user. No result provided for tool '<*>'.]",
    ),
    (REPAIR, "Tool execution was interrupted before completion."),
    (REPAIR, "No result provided"),
    (REPAIR, "[Tool call was interrupted and did not return a result.]"),
    (REPAIR, "Tool call <w> with id <w> was cancelled - another message came in before it <*>"),
    (REPAIR, "Tool call <w> with id <w> could not be executed - arguments were malformed <*>"),
    (REPAIR, "tool call was interrupted and did not produce a result, you may retry this <*>"),
    (REPAIR, "Error: user cancelled assistant tool calling"),
    (REPAIR, "Tool was interrupted."),
    (REPAIR, "The tool execution was interrupted and did not complete."),
    (REPAIR, "Tool execution aborted"),
    (REPAIR, "[Tool execution did not return a result]"),
    (REPAIR, "Tool not executed - a final result was already processed."),
    (REPAIR, "tool result unavailable<*>"),
    (REPAIR, "[Request interrupted by user]"),
    (REPAIR, "[Request interrupted by user for tool use]"),
    (REPAIR, "aborted by user after <n>s"),
    (REPAIR, "aborted"),
    (TRUNCATED, "[truncated: output exceeded context limit]"),
    (TRUNCATED, "[Output truncated - <n> tokens]"),
    (TRUNCATED, "Output exceeded the available model context and was truncated"),
    (TRUNCATED, "The tool result was too large"),
    (TRUNCATED, "... [truncated: <n> chars removed] ..."),
    (TRUNCATED, "...[truncated for context window]..."),
    (TRUNCATED, "...[tool output truncated for summarization]..."),
)

#: Words of a bracketed line that nobody has listed: the deed, and what it was done to.
#: The second row of deeds is too common by itself and needs a word from SETTINGS too.
DEEDS = regex(r"\b(?:cleared|pruned|evicted|elided|compacted|masked|offloaded|omitted)\b", re.I)
WEAK_DEEDS = regex(
    r"\b(?:removed|truncated|saved|hidden|dropped|deleted|trimmed|stripped|discarded|archived"
    r"|stored|condensed|collapsed|moved)\b",
    re.I,
)
NOUNS = regex(r"\b(?:outputs?|results?|contents?|messages?|context|history|screenshots?)\b", re.I)
SETTINGS = regex(
    r"\b(?:tool|context|history|earlier|older|old|previous|prior|large|window|tokens?|full)\b", re.I
)
#: The same in other languages, deed and noun as stems; a bracketed line has to hold both.
FOREIGN: tuple[tuple[str, str], ...] = (
    ("清除|清理|删除|移除|省略|截断|压缩|裁剪|清空|刪除|截斷|壓縮",
     "结果|输出|内容|消息|上下文|結果|輸出|內容|訊息"),
    ("削除|クリア|省略|消去|切り詰め",
     "結果|出力|内容|メッセージ|履歴|コンテキスト"),
    ("삭제|제거|지워|생략|정리|잘림", "결과|출력|내용|메시지|컨텍스트"),
    ("удал|очищ|скрыт|обрез|сокращ|вытесн",
     "результат|вывод|содержим|сообщен|контекст"),
    ("eliminad|borrad|omitid|truncad|podad", "resultad|salida|contenid|mensaje|contexto"),
    ("supprim|effac|omis|tronqu|retir|élagu", "résultat|sortie|contenu|message|contexte"),
    ("entfernt|gelöscht|gekürzt|ausgelassen|geleert|verworfen",
     "ergebnis|ausgabe|inhalt|nachricht|kontext"),
    ("removid|apagad|limp|omitid|truncad", "resultado|saída|conteúdo|mensage|contexto"),
    ("rimoss|cancellat|omess|troncat", "risultat|contenut|messagg|output|contesto"),
)  # fmt: skip

LINE = 200  #: a stub nobody has listed is one short line
CLAUSE = 600  #: a listed stub is longer only if it carries a preview
PREVIEW = 64_000

_WILD = {
    "<n>": r"[\d.,]+\s?[kKmM]?[bB]?",
    "<w>": r"[\w.:/-]{1,120}",
    "<p>": r"(?P<target>[^\s\]<>]{1,300}?)",
    "<*>": r"[^\n]{0,300}?",
    "<**>": r".*?",
}
#: Dashes, curly quotes and the ellipsis, as typed by hand.
_DASHES = str.maketrans(
    {"\u2014": "-", "\u2013": "-", "\u2011": "-", "\u2019": "'", "\u2018": "'", "\u2026": "..."}
)
_TARGET = regex(
    r"\b(?:to|at|in|see|path|ref|file)\b[:=]?\s+[`'\"]?([^\s`'\"\]]*[/\\:.][^\s`'\"\]]+)"
)


def stub(text: str) -> Stub | None:
    """Is this whole text a stub, and of what kind? None for content, however it quotes one."""
    text = text.strip()
    if not text or len(text) > PREVIEW:
        return None
    if text[0] in '{["' and (inner := _unwrapped(text)) is not None:
        return inner
    if len(text) > CLAUSE and not text.startswith(_preview_heads()):
        return None
    text = text.translate(_DASHES)
    for kind, signature, pattern, previews in _rows(text[0].casefold()):
        if len(text) > CLAUSE and not previews:
            continue
        if found := pattern.fullmatch(text):
            return Stub(kind, _cleaned(found.groupdict().get("target")), signature)
    return _bracketed(text)


def _cleaned(target: str | None) -> str | None:
    return (target or "").strip("`'\"()").rstrip(".,;") or None


@cache
def _rows(first: str) -> tuple[tuple[StubKind, str, re.Pattern[str], bool], ...]:
    """The rows a text can match whose first character is ``first``."""
    return tuple(
        (kind, template, _pattern(template), "<**>" in template)
        for kind, template in TEMPLATES
        if template[0].casefold() == first or template.startswith(tuple(_WILD))
    )


@cache
def _preview_heads() -> tuple[str, ...]:
    """How the stubs start that carry a preview, and so may be long."""
    return tuple(
        t.split("<**>")[0].split("<n>")[0].split("<w>")[0] for _, t in TEMPLATES if "<**>" in t
    )


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(<(?:n|w|p|\*\*|\*)>)", template)
    return re.compile("".join(_WILD.get(part) or re.escape(part) for part in parts), re.I | re.S)


def _unwrapped(text: str) -> Stub | None:
    """A stub inside JSON: a dedup record, one ``{"output": ...}``, or one text block."""
    if len(text) > CLAUSE * 4:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        if _is_dedup(value):
            return Stub(UNCHANGED, _cleaned(_path_of(value)), '{"status":"unchanged"}')
        texts = [v for k, v in value.items() if k in ("output", "content", "result", "text")]
        value = texts[0] if len(texts) == 1 and len(value) <= 2 else None
    if isinstance(value, str) and value.lstrip()[:1] not in ("{", '"'):
        return stub(value)
    return None


def _is_dedup(record: dict[str, object]) -> bool:
    marks = record.get("content_returned") is False or record.get("dedup") is True
    return record.get("status") == "unchanged" and (marks or "since last read" in str(record))


def _path_of(record: dict[str, object]) -> str | None:
    path = record.get("path") or record.get("file_path")
    return path if isinstance(path, str) else None


def _bracketed(text: str) -> Stub | None:
    """The generic rule: one short bracketed line that names a deed and its object."""
    if len(text) > LINE or "\n" in text or text[0] not in "[【(<" or text[-1] not in "]】)>":
        return None
    inner = text[1:-1].strip("[]. ")
    if (
        not inner
        or (inner.isascii() and " " not in inner)
        or inner[0] in "\"'{"
        or any(mark in inner for mark in '[]"{}<>')
    ):
        return None
    if not (_deed(inner) if text[0] in "[【" else _deed(inner) and SETTINGS.search(inner)):
        return None
    target = _TARGET.search(inner)
    if target:
        return Stub(SPILLED, _cleaned(target[1]), "generic")
    return Stub(TRUNCATED if "truncated" in inner.lower() else CLEARED, None, "generic")


def _deed(inner: str) -> bool:
    if NOUNS.search(inner) and (
        DEEDS.search(inner) or (WEAK_DEEDS.search(inner) and SETTINGS.search(inner))
    ):
        return True
    return not inner.isascii() and any(p.search(inner) for p in _foreign())


@cache
def _foreign() -> tuple[re.Pattern[str], ...]:
    return tuple(regex(f"(?=.*(?:{d}))(?=.*(?:{n}))", re.I) for d, n in FOREIGN)


# -- stubs that were taken for content ----------------------------------------------------------

#: Strings so particular that they count inside a line too, and no result of a tool.
PARTICULAR = regex(
    r"\[Old tool (?:result content|output) cleared[^\]\n]{0,40}\]"
    r"|\[(?:Old )?Content cleared to save context[^\]\n]{0,20}\]"
    r"|\[Tool (?:output|result) pruned[^\]\n]{0,80}\]"
    r"|\[(?:earlier |older )?tool output (?:elided|evicted|pruned|omitted)[^\]\n]{0,80}\]"
    r"|\[TOOL TOMBSTONE\][^\n]{0,200}"
    r"|\[truncated: (?:output exceeded context limit|\d+ chars removed)\]"
    r"|\.\.\.\(argument truncated\)",
    re.I,
)
#: What may stand before a stub on its line without making the line a discussion of stubs.
_MARKER = regex(r"^\s*(?:[-+*>|#]+\s*|\d{1,3}[.)]\s*)*(?:[\w ]{1,24}[:=]\s*)?$")
_ABOUT = regex(r"placeholder|marker|stub|string|message|text|tombstone|pattern", re.I)
_QUOTES = "\"'`\u201c\u201d\u2018\u2019\xab\xbb"
_HINTS = (
    "[",
    "(",
    "【",
    "argument truncated",
    "<persisted-output>",
    "<tool_output_masked>",
    "unchanged",
)
SCAN = 64_000


def hinted(text: str) -> bool:
    """Whether a text can carry a stub at all: a cheap test."""
    return any(hint in text for hint in _HINTS)


def embedded(text: str) -> str | None:
    """The stub that an argument value carries as if it were content, or None.

    Either the whole value is one, or a line of its own is, or an unmistakable one ends a line.
    Quoted stubs (in source code, in a sentence, in a code block) are talk about stubs.
    """
    text = text[:SCAN]
    if not hinted(text):
        return None
    whole = text.strip()
    if (found := stub(whole)) and found.kind is not REPAIR and whole[0] in "[【<F(":
        return whole[:LINE]
    for line in _prose_lines(text):
        if phrase := _carried(line):
            return phrase
    return None


def _prose_lines(text: str) -> list[str]:
    """Lines outside code fences and triple-quoted strings."""
    lines, fence = [], ""
    for line in text.split("\n"):
        marks = next((m for m in ("```", "~~~", '"""', "'''") if m in line), "")
        if fence:
            fence = "" if fence in line else fence
        elif marks:
            fence = marks if line.count(marks) % 2 else ""
        else:
            lines.append(line)
    return lines


def _carried(line: str) -> str | None:
    own = line.strip()
    if not own:
        return None
    if (
        own[0] in "[【F("
        and len(own) <= CLAUSE
        and own[-1] in "]】.)"
        and len(own) > len("[cleared]")
    ):
        found = stub(own)
        listed = found and (found.signature != "generic" or not own.isascii())
        if found and found.kind is not REPAIR and (listed or SETTINGS.search(own)):
            return own
    inline = PARTICULAR.search(line) if len(line) <= 4_000 else PARTICULAR.search(line[-400:])
    return inline[0] if inline and _stands_free(inline) else None


def _stands_free(found: re.Match[str]) -> bool:
    """Nothing but a list mark or a short label before it, nothing after, no quotes around."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    if found[0].endswith("(argument truncated)"):
        return not after.strip() and not any(q in before[-1:] for q in _QUOTES if before)
    if after.strip(" .;,|") or _ABOUT.search(before):
        return False
    return not any(q in before for q in _QUOTES) and bool(_MARKER.match(before[-80:]))
