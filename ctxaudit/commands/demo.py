"""``ctxaudit demo``: the shipped incident, told."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ctxaudit import console
from ctxaudit.errors import NothingError


def demo(
    save: Annotated[
        str | None, typer.Option(help="Write the example log to a file, and do not scan it.")
    ] = None,
) -> None:
    """Scan an example: a pruned tool, a rejected call, a duplicate incident.

    Example: ctxaudit demo
    """
    from ctxaudit.audit import Options
    from ctxaudit.parallel import audit_paths
    from ctxaudit.report import Report
    from ctxaudit.shipped import demo as example

    path = example()
    if path is None:
        raise NothingError("the example is not installed; it is in fixtures/demo of the checkout")
    if save is not None:
        console.write_file(save, path.read_bytes())
        console.out(f"wrote {save}; now: ctxaudit scan {console.quoted(save)}")
        return
    report = Report(audit_paths([str(path)], Options()))
    console.report(report, "rich", sys.stdout.isatty())
    console.out(f"\nthe same by hand: ctxaudit scan {console.quoted(str(path))}")
