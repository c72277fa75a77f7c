"""OTLP's typed values as plain ones, and lists that are spread over numbered attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def attributes(listed: Any) -> dict[str, Any]:
    """OTLP's list of typed values as a plain dict."""
    return {item["key"]: plain(item.get("value") or {}) for item in listed or ()}


def plain(value: dict[str, Any]) -> Any:
    """A typed value as a plain one."""
    if "arrayValue" in value:
        return [plain(item) for item in value["arrayValue"].get("values") or ()]
    if "kvlistValue" in value:
        return attributes(value["kvlistValue"].get("values"))
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def numbered(found: dict[str, Any], prefix: str) -> tuple[list[Any], bool]:
    """The list under a prefix (``prefix.0.role``), and whether nothing of it is missing: recorders
    that have reached a limit drop attributes one by one.
    """
    group: dict[int, dict[str, Any]] = {}
    start = f"{prefix}."
    for key, value in found.items():
        if key.startswith(start):
            number, _, rest = key[len(start) :].partition(".")
            if number.isdigit():
                _put(group.setdefault(int(number), {}), rest.split(".") if rest else [""], value)
    order = sorted(group)
    return [_listed(group[n]) for n in order], order == list(range(len(order)))


def _put(target: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        inner = target.setdefault(step, {})
        if not isinstance(inner, dict):
            inner = target[step] = {}
        target = inner
    target[path[-1]] = value


def _listed(tree: dict[str, Any]) -> Any:
    """Dicts whose keys are all numbers become lists; what the tree holds is changed in place."""
    for key, inner in tree.items():
        if isinstance(inner, dict):
            tree[key] = _listed(inner)
    if next(iter(tree), "").isdigit() and all(key.isdigit() for key in tree):
        return [tree[key] for key in sorted(tree, key=int)]
    return tree


def flat(value: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Attributes that an export nested, under their dotted names again."""
    out: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{path}.{key}" if path else key
        if isinstance(inner, dict):
            out.update(flat(inner, name))
        elif isinstance(inner, list) and inner and _all_dicts(inner):
            for n, item in enumerate(inner):
                out.update(flat(item, f"{name}.{n}"))
        else:
            out[name] = inner
    return out


def _all_dicts(items: Iterable[Any]) -> bool:
    return all(isinstance(item, dict) for item in items)
