"""Which rules there are, and which a run applies: codes, names and prefixes to rule classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from ctxaudit import plugins
from ctxaudit.errors import UsageError, suggestion
from ctxaudit.patterns import regex
from ctxaudit.rule import Rule
from ctxaudit.rules import RULES

CODE = regex(r"[A-Z]{2,4}[0-9]{3}")


@cache
def catalogue() -> tuple[tuple[type[Rule], ...], tuple[tuple[str, str], ...]]:
    """All rules, ours and those of plugins, and (plugin, reason) of what cannot be used."""
    rules, failed = list(RULES), []
    for plugin in plugins.plugins(plugins.RULES):
        why = plugin.error or _unfit(plugin.value, rules)
        if why:
            failed.append((f"rule plugin {plugin.name} of {plugin.package}", why))
        else:
            rules.append(plugin.value)
    return tuple(rules), tuple(failed)


def _unfit(value: object, known: Sequence[type[Rule]]) -> str | None:
    """Why a plugin's value is no rule that can be used, None if it is one."""
    if not (isinstance(value, type) and issubclass(value, Rule)):
        return "is no subclass of ctxaudit.rule.Rule"
    missing = [n for n in ("code", "name", "family", "severity") if not hasattr(value, n)]
    if missing:
        return f"has no {', '.join(missing)}"
    if not CODE.fullmatch(value.code):
        return f"its code {value.code!r} is not like XY123"
    families = {rule.family for rule in RULES}
    if value.family not in families:
        return f"its family {value.family!r} is none of {', '.join(sorted(families))}"
    taken = [rule.name for rule in known if value.code == rule.code or value.name == rule.name]
    return f"its code or name is taken by {taken[0]}" if taken else None


def select(wanted: Iterable[str], unwanted: Iterable[str]) -> Sequence[type[Rule]]:
    """The rules that are wanted (all, if none is named) and not unwanted.

    Raises: UsageError for a word that names no rule.
    """
    chosen = {rule for word in _words(wanted) for rule in matching(word)} or set(catalogue()[0])
    dropped = {rule for word in _words(unwanted) for rule in matching(word)}
    rules = [rule for rule in catalogue()[0] if rule in chosen and rule not in dropped]
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
        for rule in catalogue()[0]
        if upper == "ALL" or rule.code.startswith(upper) or lower in (rule.name, rule.family)
    ]
    if not found:
        names = [name for rule in catalogue()[0] for name in (rule.code, rule.name, rule.family)]
        known = [*names, *(name.lower() for name in names)]
        hint = suggestion(word, known, "`ctxaudit rules` lists them", likeness=0.5)
        raise UsageError(f"no rule is called {word!r}{hint}")
    return found


def _words(values: Iterable[str]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]
