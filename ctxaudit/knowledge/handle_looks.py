"""How a string looks: plain, a path, random letters, odd enough to be no word of a text."""

from __future__ import annotations

from ctxaudit.knowledge import handle_shapes as shapes


def is_plain(value: str) -> bool:
    """Dates, times, versions, quantities, colours."""
    return bool(
        shapes.DATES.fullmatch(value)
        or shapes.PLAIN_FIGURES.fullmatch(value)
        or shapes.COLOUR.fullmatch(value)
    ) and not (value.isdigit() and len(value) != 8)


def is_path(value: str) -> bool:
    """A file or a folder; no media type, no pair of short words."""
    if shapes.ABSOLUTE.fullmatch(value):
        return bool(value.strip("./~\\"))
    bare = shapes.AT_LINE.sub("", value)
    if shapes.FILE.fullmatch(bare):
        return True
    if not shapes.RELATIVE.fullmatch(bare):
        return False
    head, *rest = bare.lower().split("/")
    return not (
        head in shapes.MEDIA or all(len(part) < 3 or part.isdigit() for part in (head, *rest))
    )


def is_random(value: str) -> bool:
    """Letters of mixed case behind an identifier's prefix that are no words in camel case."""
    match = shapes.PREFIXED.fullmatch(value)
    if match is None or match[1] not in shapes.PREFIXES:
        return False
    return not all(map(_is_piece, shapes.CAMEL_PIECE.findall(match[2])))


def _is_piece(piece: str) -> bool:
    """Does a piece of a camel-case name read as a word or an acronym?"""
    low = piece.lower()
    if low in shapes.SHORT_PIECES or (piece.isupper() and len(piece) > 1):
        return True
    return len(piece) > 2 and any(vowel in low for vowel in "aeiouy")


def is_strong(token: str) -> bool:
    """Odd enough to be no word of a text: enough digits, a digit amid letters, or long."""
    digits = sum(map(str.isdigit, token))
    if shapes.UTILITY.fullmatch(token):
        return False
    return len(token) >= 4 and (
        digits >= 3 or "_" in token or (not token.islower() and len(token) > 4)
    )


def numbers_issue(text: str, name: set[str]) -> bool:
    """``#123`` as a whole value, unless the name speaks of a colour or of a quantity."""
    return bool(shapes.ISSUE_NUMBER.fullmatch(text)) and not (
        name & shapes.COLOURED or name & shapes.QUANTITIES
    )
