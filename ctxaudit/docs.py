"""The documentation of the rules, made from the rules."""

from __future__ import annotations

import inspect

from ctxaudit.example import example, sound
from ctxaudit.rule import Rule


def page(rule: type[Rule]) -> str:
    """One rule's page, in Markdown."""
    first, _, rest = (inspect.getdoc(rule) or "").partition("\n")
    needs = ", ".join(sorted(aspect.value for aspect in rule.needs)) or "nothing in particular"
    shown, (why, twin) = example(rule), sound(rule)
    return (
        f"# {rule.code} {rule.name}\n\n{first}\n\n"
        f"| family | worst severity | the log must show |\n|---|---|---|\n"
        f"| {rule.family} | {rule.severity.label} | {needs} |\n{rest.rstrip()}\n"
        + (f"\n## Example\n\n```text\n{shown}\n```\n" if shown else "")
        + (f"\n## A sound version: {why}\n\n```text\n{twin}\n```\n" if twin else "")
        + _configuration(rule)
    )


def _configuration(rule: type[Rule]) -> str:
    lines = [
        "\n## Configuration\n\n```toml",
        "[tool.ctxaudit]",
        f'ignore = ["{rule.code}"]          # never',
        "",
        "[[tool.ctxaudit.accept]]     # where it is known",
        f'rule = "{rule.code}"',
        'path = "golden/*"',
        'reason = "why it stays"',
    ]
    if rule.family == "ghost-tool":
        lines += ["", "[tool.ctxaudit.tools]        # what a tool does decides the severity"]
        lines += ['"deploy_*" = "mutation"']
    elif rule.family == "orphaned-reference":
        lines += ["", "# identifiers beside those that are known; under [tool.ctxaudit]"]
        lines += ['# handles = ["KITE-[0-9]+"]']
    else:
        lines += ["", '[tool.ctxaudit.tools]        # "adds": a second call adds again']
        lines += ['"post_*" = "adds"']
    return "\n".join([*lines, "```\n"])


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
