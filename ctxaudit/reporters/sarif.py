"""SARIF 2.1.0: a rule each with its help, and for each finding the way from its beginning, over the
pruning decision, to the use.

Kept within what code scanning takes: 5,000 results of a run, 100 places of a result. What does not
fit is left out from the least grave on, and a notification says how much that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from typing import IO, Any
from urllib.parse import quote

import orjson

from ctxaudit import __version__
from ctxaudit.model import Evidence, Finding, Severity
from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.ranked import gravest
from ctxaudit.reporters.story import problems
from ctxaudit.safe import clean, excerpt, inert

NAME = "sarif"
MOST_RESULTS, MOST_PLACES = 5_000, 100
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}
RANKS = {Severity.CRITICAL: 95.0, Severity.ERROR: 75.0, Severity.WARNING: 50.0, Severity.NOTE: 10.0}
#: Roles of evidence that come before the decision in the story; the others follow it.
BEFORE = ("prior-call", "binding", "evicted", "first", "ruled-out", "quoted-call", "offer")


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole document, indented."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    stream.write(orjson.dumps(document(report), option=options).decode())


def document(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run."""
    shown, left_out = gravest(report.numbered(), MOST_RESULTS)
    codes = list(dict.fromkeys(sorted(item.finding.rule for item in shown)))
    names = {item.finding.rule: item.finding.name for item in shown}
    notes = list(_notifications(report, left_out))
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ctxaudit",
                        "semanticVersion": __version__,
                        "rules": [_rule(code, names[code]) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "where it was run"}}},
                "invocations": [
                    {
                        "executionSuccessful": report.exit_code < 2,
                        "exitCode": report.exit_code,
                        "toolExecutionNotifications": notes,
                    }
                ],
                "results": [_result(item, codes) for item in shown],
            }
        ],
    }


def _notifications(report: Report, left_out: int) -> Iterator[dict[str, Any]]:
    for problem in problems(report):
        told: dict[str, Any] = {
            "level": "error",
            "message": {"text": clean(problem.message)},
            "locations": [{"physicalLocation": _place(problem.path, problem.line)}],
        }
        yield told
    if left_out:
        text = f"{left_out} more findings, none graver than those shown, are left out"
        yield {"level": "warning", "message": {"text": text}}


@cache
def _rule(code: str, name: str) -> dict[str, Any]:
    """A rule's entry. Its documentation is that of the rule itself, where it is one of ours."""
    from ctxaudit.rulebook import documentation

    first, whole = documentation(code)
    words = "".join(part.capitalize() for part in name.split("-"))
    told: dict[str, Any] = {
        "id": code,
        "name": words,
        "shortDescription": {"text": first or name},
        "fullDescription": {"text": first or name},
        "help": {"text": whole or name, "markdown": whole or name},
        "properties": {"tags": ["context-pruning", name]},
    }
    return told


def _result(item: Numbered, codes: list[str]) -> dict[str, Any]:
    found = item.finding
    told: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": codes.index(found.rule),
        "level": LEVELS[found.severity],
        "rank": RANKS[found.severity],
        "message": {"text": f"{clean(found.message)}. Fix: {clean(found.fix)}"},
        "locations": [_location(found)],
        "partialFingerprints": {"ctxauditFinding/v1": item.id},
        "codeFlows": [{"threadFlows": [{"locations": list(_flow(found))}]}],
        "properties": {
            "severity": found.severity.label,
            "confidence": found.confidence.label,
            "session": clean(found.where.session),
            "turn": found.where.turn,
            "incident": item.incident,
        },
    }
    if item.accepted is not None:
        why = {"kind": "external", "justification": clean(item.accepted)}
        told["suppressions"] = [why]
    return told


def _location(found: Finding) -> dict[str, Any]:
    where = found.where
    name = f"{clean(where.session, 200)}, turn {where.turn}"
    logical = [{"fullyQualifiedName": name, "kind": "member"}]
    return {
        "physicalLocation": _place(where.path, where.line),
        "logicalLocations": logical,
    }


def _place(path: str, line: int) -> dict[str, Any]:
    shown = PurePath(inert(path)).as_posix()
    artifact = {"uri": quote(shown, safe="/~!$&'()*+,;=@-._")}
    if not shown.startswith("/"):
        artifact["uriBaseId"] = "SRCROOT"
    told: dict[str, Any] = {"artifactLocation": artifact}
    if line:
        told["region"] = {"startLine": line}
    return told


def _flow(found: Finding) -> Iterator[dict[str, Any]]:
    """Where it began, what was pruned, what followed, and the finding itself."""
    before = [e for e in found.evidence if e.role.startswith(BEFORE)]
    after = [e for e in found.evidence if not e.role.startswith(BEFORE)]
    steps: list[tuple[str, int, str, str]] = [_step(found, e) for e in before]
    if found.cause is not None:
        cause = found.cause
        known = "logged" if cause.explicit else "inferred"
        text = f"turn {cause.where.turn}: {cause.kind} of {clean(cause.subject)} ({known})"
        steps.append((cause.where.path or found.where.path, cause.where.line, text, "essential"))
    steps += [_step(found, e) for e in after]
    text = f"turn {found.where.turn}: {found.rule} {clean(found.message)}"
    steps.append((found.where.path, found.where.line, text, "essential"))
    for path, line, text, importance in steps[:MOST_PLACES]:
        place = {"physicalLocation": _place(path, line), "message": {"text": text}}
        yield {"location": place, "importance": importance}


def _step(found: Finding, evidence: Evidence) -> tuple[str, int, str, str]:
    where = evidence.where
    text = f"turn {where.turn}: {evidence.role}: {excerpt(evidence.excerpt)}"
    return where.path or found.where.path, where.line, text, "important"
