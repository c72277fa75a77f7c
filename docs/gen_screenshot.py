"""Write ``docs/report.svg``: the report of the shipped example, as a terminal shows it."""

from __future__ import annotations

import os
import re
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ctxaudit.audit import Input, audit
from ctxaudit.report import Report
from ctxaudit.reporters import rich as reporter

HERE = Path(__file__).parent
EXAMPLE = "fixtures/demo/incident.requests.jsonl"
WIDTH = 100


def picture() -> str:
    """The picture, which loads nothing from elsewhere and is the same at every run."""
    os.chdir(HERE.parent)
    os.environ["COLUMNS"] = str(WIDTH)
    drawn = StringIO()
    reporter.write(Report(audit([Input(EXAMPLE)])), drawn, color=True)
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(drawn.getvalue().rstrip("\n")))
    svg = console.export_svg(title=f"ctxaudit scan {EXAMPLE}", unique_id="report")
    svg = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


if __name__ == "__main__":
    (HERE / "report.svg").write_text(picture(), encoding="utf-8")
