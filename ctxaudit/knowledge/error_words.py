"""Where in a text the wording of an error may begin: at its start, and after error prefixes."""

from __future__ import annotations

import re

from ctxaudit.knowledge.error_table import LEAD, Row
from ctxaudit.patterns import regex

#: What may stand before the wording: "MCP error -32602:", "Error executing tool x:", "ToolError:".
_PREFIX = regex(
    r"""\s*(?:[❌✗⚠️🚫]\s*)?(?:
      error\ invoking\ tool\ ['"](?P<t1>[^'"\n]{1,128})['"]\ with\ kwargs
        \ .{0,2000}?\ with\ error:\s*
    | (?:error|exception|failed)\ (?:executing|calling|running|invoking|in|from|when\ calling)
        (?:\ mcp)?\ (?:tool|function)(?:\ ['"`]?(?P<t2>[\w.\-/:]{1,128}?)['"`]?)?:\s+
    | tool\ call\ (?:error:\ tool\ call\ )?failed\ for\ `[^`\n]{1,160}`\s*(?:caused\ by:)?\s*
    | caused\ by:\s*
    | messages\.\d{1,6}[\w.]{0,40}:\s+
    | invalid\ params?,\s+
    | script\ (?:error|failed):?\s+
    | (?:invalid\ parameters?\ provided|invalid\ params)\.?\ reason:\s*
    | (?:[\w\[\]\-]+\ ){0,4}?\[?\w*(?:error|exception|failure|failed)\]?(?:\ code)?
        (?:\ ?[\[(]?-?[A-Za-z]{0,6}\d{1,6}[\])]?)?\ ?[:\-]\s+(?:-\d{4,6}:\s)?
    | mcp\ error:?\ -?\d{1,6}:\s
    | (?:http\ )?4\d\d\ (?:bad\ request|unprocessable\ \w+|conflict)\s?[:\-]\s+
    | \[\w*(?:error|failed)\w*\]:?\s+
    | (?:errors?|failed)\s*(?:\n|$)
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
#: A cheap test before the table is tried on a text that is not flagged.
_HINT = regex(
    r"error|fail|invalid|missing|unknown|unrecognized|unsupported|unexpected|require|not |no |n't"
    r"|denied|reject"
    r"|declin|cancel|abort|interrupt|timed|timeout|valid|exceed|forbidden|unavailable|unauthor"
    r"|block"
    r"|overload|rate|refuse|closed|must|defined|enoent|eacces|econn|etimed|40[0-9]|42[29]|451|50[0-9]"
    r"|tool_use|ensure|disabled|retry|tried|permission",
    re.IGNORECASE,
)


def hinted(text: str) -> bool:
    """Can there be an error in a text at all?"""
    return _HINT.search(text) is not None


def last_line(text: str) -> str:
    """The last line with something on it: of a traceback, the error."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def stages_of(head: str) -> tuple[list[int], str | None]:
    """Offsets where a wording may begin (at the start, after each error prefix); a tool named."""
    at = len(head) - len(head.lstrip())
    stages, tool = [at], None
    for _ in range(4):
        match = _PREFIX.match(head, at)
        if match is None or match.end() == at:
            break
        tool = tool or match["t1"] or match["t2"]
        at = match.end()
        stages.append(at)
    return stages, tool


def match_row(row: Row, head: str, stages: list[int], known: bool) -> re.Match[str] | None:
    """Where a row's wording stands; ``known`` to be an error, a telling one may stand anywhere."""
    for at in stages:
        if match := row.pattern.match(head, at, at + LEAD):
            return match
    if known and row.anywhere:
        return row.pattern.search(head, stages[0], stages[-1] + LEAD)
    return None
