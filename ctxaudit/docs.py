"""The documentation of the rules, made from the rules."""

from __future__ import annotations

import inspect

from ctxaudit.example import example
from ctxaudit.rule import Rule


def page(rule: type[Rule]) -> str:
    """One rule's page, in Markdown."""
    first, _, rest = (inspect.getdoc(rule) or "").partition("\n")
    needs = ", ".join(sorted(aspect.value for aspect in rule.needs)) or "nothing in particular"
    shown = example(rule)
    return (
        f"# {rule.code} {rule.name}\n\n{first}\n\n"
        f"| family | worst severity | the log must show |\n|---|---|---|\n"
        f"| {rule.family} | {rule.severity.label} | {needs} |\n{rest.rstrip()}\n"
        + (f"\n## Example\n\n```text\n{shown}\n```\n" if shown else "")
    )


def index(rules: tuple[type[Rule], ...]) -> str:
    """The list of all rules, in Markdown."""
    lines = [
        "# Rules",
        "",
        "Codes are stable and never reused. `ctxaudit explain CODE` prints the same pages.",
        "",
        "| code | name | worst severity | what it finds |",
        "|---|---|---|---|",
    ]
    for rule in rules:
        summary = (inspect.getdoc(rule) or "").partition("\n")[0]
        link = f"[{rule.code}](rules/{rule.code}.md)"
        lines.append(f"| {link} | `{rule.name}` | {rule.severity.label} | {summary} |")
    return "\n".join(lines) + "\n"
