"""One finding a line, each complete in itself (``ctxaudit schema finding``): for pipes."""

from __future__ import annotations

from typing import IO

import orjson

from ctxaudit import __version__
from ctxaudit.report import Report
from ctxaudit.reporters.json import finding

NAME = "jsonl"
SCHEMA = "ctxaudit.finding/1"


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the findings that count, in the order of the logs."""
    for item in report.findings():
        told = {"schema": SCHEMA, "version": __version__, **finding(item)}
        told["violation"] = item.violation
        stream.write(orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE).decode())
