"""What there is: ``rules``, ``explain``, ``formats``, ``schema``, ``config``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

import typer

from ctxaudit import console
from ctxaudit.commands.choices import ConfigFile, Isolated, Listing

AsListing = Annotated[Listing, typer.Option(help="How to list them.")]


class Contract(StrEnum):
    report = "report"
    finding = "finding"
    log = "log"
    config = "config"


def explain(
    rule: Annotated[str, typer.Argument(help="A code or a name.", metavar="RULE")],
) -> None:
    """Tell what a rule does, why it matters and what to do.

    Example: ctxaudit explain GT102
    """
    from ctxaudit.docs import page
    from ctxaudit.selection import matching

    console.out("\n".join(page(found) for found in matching(rule)))


def rules(format: AsListing = Listing.table) -> None:
    """List the rules."""
    from ctxaudit.selection import catalogue

    found, failed = catalogue()
    rows = [
        {
            "code": rule.code,
            "name": rule.name,
            "family": rule.family,
            "severity": rule.severity.label,
            "summary": (rule.__doc__ or "").splitlines()[0],
        }
        for rule in found
    ]
    console.listing(rows, format is Listing.json, ("code", "name", "severity", "summary"))
    _told(failed)


def formats(format: AsListing = Listing.table) -> None:
    """List the formats of logs, and what each can show at best."""
    from ctxaudit.adapters import adapters, failures

    rows = [
        {"name": adapter.NAME, "title": adapter.TITLE}
        | {aspect.value: extent.label for aspect, extent in adapter.SHOWS.items()}
        for adapter in adapters()
    ]
    console.listing(
        rows,
        format is Listing.json,
        ("name", "schemas", "prompts", "results", "summaries", "title"),
    )
    _told(failures())


def _told(failed: Iterable[tuple[str, str]]) -> None:
    """Name the plugins that cannot be used; that is exit code 2."""
    failed = list(failed)
    for plugin, why in failed:
        console.complain(f"{plugin}: {why}")
    if failed:
        raise typer.Exit(2)


def schema(
    name: Annotated[Contract, typer.Argument(help="Which contract.")],
) -> None:
    """Print the JSON Schema of a contract.

    Example: ctxaudit schema report > report.schema.json
    """
    from ctxaudit.contract import schema as read

    console.out(read(name.value).decode())


def config(
    format: AsListing = Listing.table, config: ConfigFile = None, isolated: Isolated = False
) -> None:
    """Show the settings that are in force, and where each comes from."""
    from ctxaudit.config import load
    from ctxaudit.plan import plan

    settings = load(config, isolated=isolated)
    plan(settings)  # what does not exist is told here, not at the first scan
    as_json = format is Listing.json
    rows = [
        {
            "setting": key,
            "source": settings.sources[key],
            "value": settings[key] if as_json else console.shown(settings[key]),
        }
        for key in settings.values
    ]
    console.listing(rows, as_json, ("setting", "source", "value"))
