"""Compaction summaries, boundaries and handoff notes, and what they point at.

Judged by how the text starts: a runtime's own heading, not the word "summary" somewhere. The
caller asks only about text that came into a prompt where other text had left; a user who asks
for a summary is told apart all the same.
"""

from __future__ import annotations

import re

from ctxaudit.patterns import regex

HEAD = 600  #: a heading stands here or nowhere

#: Opening tags and bracketed headings.
_BRACKETED = regex(
    r"""[<\[(【*#=_ -]{0,8}(?:
    state_snapshot
  | (?:conversation|context|session|history|compact(?:ed|ion)?|prior|previous)
        [-_ ](?:summary|compaction|checkpoint|handoff|state|history)\b
  | summary\ of\ (?:the\ )?(?:earlier|previous|prior|conversation|chat|session|history|work)
  | compaction[-_ ]summary | handoff[-_ ](?:note|summary|context)s?
  | context\ compact(?:ion|ed) | prior\ context | context\ (?:was|has\ been)\ compact(?:ed)?
  | your\ active\ task\ list\ was\ preserved
  | (?:compact(?:ion)?\ |context\ )?boundary\] | summary\]? | compacted\]
    )""",
    re.I | re.X,
)
_TAG = regex(r"<[\w:-]{1,40}>\s*")
_OPENERS = regex(r"\s*(?:<[\w:-]*\s*|\[|【)")

#: Sentences that a runtime puts before its summary.
_SENTENCES = regex(
    r"""(?:
    this\ session\ is\ being\ continued
  | the\ conversation\ (?:history\ )?(?:is|was|has\ been)\ (?:summarized|compacted)
  | the\ conversation\ history\ before\ this\ point
  | the\ following\ is\ a\ summary\ of
  | (?:here|below)(?:'s|\ is|\ follows)\ (?:a|the)\ (?:\w+\ )?summary\ of
        \ (?:the|our|this|your)\ (?:\w+\ )?(?:conversation|session|history|chat|context|work)
  | (?:the\ )?previous\ (?:context|conversation|session|messages?)
        \ (?:has|have|was|were)\ (?:been\ )?
        (?:compacted|summarized|condensed|interrupted|too\ long)
  | the\ previous\ session\ was\ interrupted
  | earlier\ (?:context|messages|conversation)\ (?:was|were|has\ been|have\ been)
        \ (?:compacted|summarized|condensed|removed)
  | you\ are\ in\ the\ middle\ of\ a\ conversation\ that\ has\ been
  | your\ (?:context|conversation|history)\ (?:was|has\ been)\ (?:compacted|summarized|condensed)
  | another\ (?:language\ model|agent|model|assistant)\ (?:started|began|was\ working)
  | context\ (?:compacted|compaction)\b
  | (?:conversation|context)\ (?:micro)?compacted\b
    )""",
    re.I | re.X,
)
#: The same in other languages, roughly: a heading that names the earlier conversation.
_FOREIGN = regex(
    r"""[<\[(【*#\s]{0,8}(?:
    (?:以下是|之前|先前|此前|对话|對話|会话|上下文|历史|歷史)[^\n]{0,12}
        (?:摘要|总结|總結|压缩|壓縮)
  | (?:これまで|以前|過去|会話|コンテキスト)[^\n]{0,14}(?:要約|まとめ|圧縮)
  | (?:이전|지금까지|대화|컨텍스트)[^\n]{0,14}(?:요약|압축)
  | (?:zusammenfassung|résumé|resumen|resumo|riassunto|сводка|краткое\ содержание)\b
        [^\n]{0,16}
        (?:gespräch|sitzung|bisherig|verlauf|conversa|sesión|session|anterior|précédent
          |precedente|разговор|диалог|беседы)
    )""",
    re.I | re.X,
)
#: "Summary" as a plain heading: a request for one starts the same way.
_PLAIN = regex(
    r"[*#\s]{0,6}(?:(?:conversation|session|progress|work|context) (?:summary|recap)"
    r"|handoff(?: notes?)?)"
    r"[*\s]{0,4}[:\n]"
    r"|\*{0,2}(?:summary|recap)(?: so far| \([^)\n]{1,60}\))?\*{0,2}:",
    re.I,
)
_REQUEST = regex(
    r"\b(?:please|write|draft|produce|generate|provide|give me|make (?:a|me)|create (?:a|me|the)"
    r"|can you|could you|would you|will you|i (?:want|need|would like)|summari[sz]e)\b",
    re.I,
)
_FAILED = regex(
    r"(?:\[?error generating summary\b"
    r"|previous conversation was too long to summarize"
    r"|summary generation failed"
    r"|\[?(?:failed|unable|could not|couldn't)(?: to)? (?:generate|create|produce)"
    r"(?: a| the)? summary"
    r"|\[?(?:no|empty) summary(?: (?:available|generated|provided|text|content|was \w+))?\W*$"
    r"|\[?summary (?:is )?(?:unavailable|not available)\b"
    r"|\[?summari[sz]ation failed\b)",
    re.I,
)


def is_summary(text: str) -> bool:
    """Does this message stand for earlier messages: a summary, a boundary, a handoff note?"""
    head = text.lstrip()[:HEAD].replace("\u2019", "'")
    if not head:
        return False
    if (
        _SENTENCES.match(_TAG.sub("", head, count=1).lstrip("[(<*#_ "))
        or _FAILED.match(head)
        or _FOREIGN.match(head)
    ):
        return True
    if _OPENERS.match(head) and _BRACKETED.match(head):
        return not _REQUEST.search(head.split("\n", 1)[0][:80])
    if _PLAIN.match(head):
        return not _asks(head)
    return False


def _asks(head: str) -> bool:
    """A heading followed by a wish, or by a question, is a user who asks for a summary."""
    _, _, body = head.replace("\n", ":", 1).partition(":")
    first = re.split(r"[.!\n]", body.strip(" *:\n"), maxsplit=1)[0]
    return not first or first.endswith("?") or bool(_REQUEST.match(first))


# -- pointers -----------------------------------------------------------------------------------

#: A verb that sends the reader somewhere, and the place. Places look like paths or references.
_PLACE = (
    r"[`'\"<(]{0,2}(?P<place>(?:[A-Za-z]:)?[\w.~@$-]{0,120}[/\\:][^\s`'\"<>()\[\],;]{1,300}"
    r"|[\w-]{1,120}\.\w{1,8})"
)
_POINTERS = tuple(
    regex(pattern + _PLACE, re.I)
    for pattern in (
        r"\b(?:saved|written|offloaded|archived|stored|moved|spilled|exported|dumped)"
        r"(?: in the filesystem)?(?: (?:to|at|in|as|under))(?: (?:this|the))?(?: (?:file|path))?"
        r"(?: at(?: this path)?)?:? {0,2}",
        r"\b(?:available|found|kept|transcript|located) (?:at|in):? {0,2}",
        r"\bfor (?:the )?(?:full|complete|entire)[\w ]{0,30} see:? {0,2}",
        r"\b(?:refer(?: back)? to|consult|read(?: the)?(?: file| path)?|see(?: also)?"
        r"|look(?: it up)? in|details (?:are )?in|stored in|recorded in):? {0,2}",
    )
)
_REFERENCES = regex(
    r"\b(?:ref|reference|artifact_id|retrieve_key|handle)[=:] {0,2}"
    r"[`'\"]?(?P<place>[\w:./-]{2,200})"
    r"|(?P<scheme>\b(?:artifact|memory|file|s3|gs|blob|store)://[^\s`'\"<>()\[\],;]{1,300})"
    r"|\[Compressed: (?P<key>[^\s\]]{1,200}) ",
    re.I,
)
_CUES = (
    "saved", "written", "offloaded", "archived", "stored", "moved", "spilled", "exported", "dumped",
    "available", "found", "kept", "transcript", "located", " see", "refer", "consult", "read",
    "look", "details", "recorded", "://", "ref", "Compressed", "handle", "retrieve",
)  # fmt: skip
SCAN = 32_000


def pointers(text: str) -> tuple[str, ...]:
    """Paths and references that a stub or a summary tells the reader to consult, in order."""
    text = text if len(text) <= SCAN else text[: SCAN // 2] + "\n" + text[-SCAN // 2 :]
    if not any(cue in text for cue in _CUES):
        return ()
    found: list[tuple[int, str]] = []
    for pattern in (*_POINTERS, _REFERENCES):
        for match in pattern.finditer(text):
            place = next(filter(None, match.groupdict().values()), "").rstrip(".,:;!?*_")
            if len(place) > 1 and not place.startswith(("http://", "https://")):
                found.append((match.end(), place))
    return tuple(dict.fromkeys(place for _, place in sorted(found)))
