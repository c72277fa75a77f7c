"""How the tables of this package are written: words in a text, by white space."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a table's text."""
    return frozenset(text.split())


def rows(**texts: str) -> dict[str, str]:
    """A table from each letter's words: ``rows(r="ls cat", m="rm")``, keyed by word."""
    return {word: letter for letter, text in texts.items() for word in text.split()}
