"""Write docs/rules.md and docs/rules/ from the rules."""

from __future__ import annotations

from pathlib import Path

from ctxaudit.docs import index, page
from ctxaudit.rules import RULES

HERE = Path(__file__).parent


def pages() -> dict[Path, str]:
    """Every generated page and what it must hold."""
    out = {HERE / "rules.md": index(RULES)}
    return out | {HERE / "rules" / f"{rule.code}.md": page(rule) for rule in RULES}


if __name__ == "__main__":
    (HERE / "rules").mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text)
