"""Which rules a run applies: codes, names and prefixes to rule classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxaudit.errors import UsageError
from ctxaudit.rule import Rule
from ctxaudit.rules import RULES


def select(wanted: Iterable[str], unwanted: Iterable[str]) -> Sequence[type[Rule]]:
    """The rules that are wanted (all, if none is named) and not unwanted.

    Raises: UsageError for a word that names no rule.
    """
    chosen = {rule for word in _words(wanted) for rule in matching(word)} or set(RULES)
    dropped = {rule for word in _words(unwanted) for rule in matching(word)}
    rules = [rule for rule in RULES if rule in chosen and rule not in dropped]
    if not rules:
        raise UsageError("no rule is left by --select and --ignore")
    return rules


def matching(word: str) -> list[type[Rule]]:
    """The rules with that code, code prefix, name or family, or all for ``ALL``.

    Raises: UsageError if there is none.
    """
    upper, lower = word.upper(), word.lower()
    found = [
        rule
        for rule in RULES
        if upper == "ALL" or rule.code.startswith(upper) or lower in (rule.name, rule.family)
    ]
    if not found:
        from difflib import get_close_matches

        names = [name for rule in RULES for name in (rule.code, rule.name, rule.family)]
        close = get_close_matches(word, [*names, *(n.lower() for n in names)], 1, 0.5)
        hint = f"; did you mean {close[0]}?" if close else "; `ctxaudit rules` lists them"
        raise UsageError(f"no rule is called {word!r}{hint}")
    return found


def _words(values: Iterable[str]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]
