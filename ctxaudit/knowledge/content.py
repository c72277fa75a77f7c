"""Is a text content (a file, a search hit, a list) or a plain "none", rather than a message?"""

from __future__ import annotations

import re

from ctxaudit.patterns import regex

#: How quoted content begins: a numbered line, a search hit, a comment, a list, a diff.
_CONTENT = regex(
    r"\s*(?:\d{1,6}[\t\u2192|:]|[^\s:()]{0,200}[./][^\s:]{0,80}:\d{1,6}[:\-]"
    r"|[-+*#] |##|//|/\*|>|@@)"
)
#: Answers that runtimes flag as errors although they only say "none".
_PLAIN_NONE = regex(
    r"\s*(?:no (?:\w+ ){0,2}(?:matches|results?|files|hits|entries|items|records|tasks)(?:"
    r" were)?(?: found)?"
    r"|found 0 \w+|0 (?:matches|results|hits|files)(?: found)?|\[\]|\{\}|none|\(no"
    r" output\))[.!]?\s*\Z",
    re.IGNORECASE,
)


def is_content(text: str) -> bool:
    """Does a text begin like a piece of a file, a search hit or a list, not like a message?"""
    return _CONTENT.match(text) is not None


def is_plain_none(text: str) -> bool:
    """Does a text say "none found" and nothing else? Runtimes may flag it as an error."""
    return _PLAIN_NONE.match(text) is not None
