"""Which spans may hold a value: found by the value's words, without reading every text again.

A value stands in a text between characters of no word (``knowledge.mentions``), so each run of
letters and digits in it is a whole run of the text. Words that stand almost everywhere are not
kept: a value that has none but such is looked for in every span.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ctxaudit.patterns import regex

WORD = regex(r"\w+")
ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|[ntrbf])")
COMMON = 64  # spans that hold a word which tells nothing any more


class WordIndex:
    """Words of texts, each text under a name; a name may be given several texts."""

    def __init__(self) -> None:
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        self._common: set[str] = set()
        self.all: dict[str, None] = {}

    def add(self, name: str, text: str) -> None:
        """Take in a text."""
        self.all.setdefault(name)
        for word in words_of(text) - self._common:
            names = self._names[word]
            if len(names) == COMMON:
                del self._names[word]
                self._common.add(word)
            elif not names or names[-1] != name:
                names.append(name)

    def candidates(self, value: str) -> Iterable[str]:
        """Names of the texts that may hold a value, in the order in which they came."""
        words = WORD.findall(value)
        known = [self._names.get(word, ()) for word in words if word not in self._common]
        if not known:
            return list(self.all)
        return list(min(known, key=len))


def words_of(text: str) -> set[str]:
    """The words of a text; where it holds JSON, the letter of an escape is no part of a word."""
    words = set(WORD.findall(text))
    if "\\" in text:
        words.update(WORD.findall(ESCAPE.sub(_shown, text)))
    return words


def _shown(escape: object) -> str:
    code = escape[1]  # type: ignore[index]
    return chr(int(code, 16)) if code else " "
