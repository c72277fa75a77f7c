"""SARIF 2.1.0: a rule each with its help, and for each finding the way from its beginning, over the
pruning decision, to the use.

Kept within what code scanning takes: 5,000 results of a run, 100 places of a result. What does not
fit is left out from the least grave on, and a notification says how much that is. Accepted findings
are not in it: code scanning does not look at suppressions and would open an alert for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import IO, Any

import orjson

from ctxaudit import __version__
from ctxaudit.model import Finding, Location, Severity
from ctxaudit.report import Numbered, Report
from ctxaudit.reporters.places import below, uri
from ctxaudit.reporters.ranked import gravest
from ctxaudit.reporters.story import not_checked, problems, verdict
from ctxaudit.safe import clean, excerpt

NAME = "sarif"
MOST_RESULTS, MOST_PLACES, MOST_NOTES = 5_000, 100, 1_000
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}
RANKS = {Severity.CRITICAL: 95.0, Severity.ERROR: 75.0, Severity.WARNING: 50.0, Severity.NOTE: 10.0}
#: Places of one turn in their order: the prompt is pruned, then the model answers.
PRUNED, SHOWN, USED = range(3)


def write(report: Report, stream: IO[str], *, color: bool = False) -> None:
    """Write the whole document, indented."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    stream.write(orjson.dumps(document(report), option=options).decode())


def document(report: Report) -> dict[str, Any]:
    """The report as a SARIF log with one run."""
    shown, left_out = gravest(report.findings(), MOST_RESULTS)
    names = dict(sorted({item.finding.rule: item.finding.name for item in shown}.items()))
    indices = {code: index for index, code in enumerate(names)}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ctxaudit",
                        "semanticVersion": __version__,
                        "rules": [_rule(code, name) for code, name in names.items()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "where it was run"}}},
                "invocations": [
                    {
                        "executionSuccessful": report.exit_code < 2,
                        "exitCode": report.exit_code,
                        "exitCodeDescription": verdict(report),
                        "toolExecutionNotifications": list(_notifications(report, left_out)),
                    }
                ],
                "results": [_result(item, indices[item.finding.rule]) for item in shown],
            }
        ],
    }


# -- what could not be told ---------------------------------------------------------------------


def _notifications(report: Report, left_out: int) -> Iterator[dict[str, Any]]:
    if left_out:
        text = f"{left_out} more findings, none graver than those shown, are left out"
        yield _notification("warning", text)
    told = _unseen(report)
    yield from islice(told, MOST_NOTES)
    if more := sum(1 for _ in told):
        yield _notification("warning", f"{more} more notifications are left out")


def _unseen(report: Report) -> Iterator[dict[str, Any]]:
    for problem in problems(report):
        note = _notification("error", problem.message)
        yield note | {"locations": [{"physicalLocation": _place(problem.path, problem.line)}]}
    for reason, sessions in not_checked(report).items():
        plural = "" if sessions == 1 else "s"
        yield _notification("note", f"not checked: {reason} ({sessions} session{plural})")


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": _message(text)}


# -- rules --------------------------------------------------------------------------------------


@cache
def _rule(code: str, name: str) -> dict[str, Any]:
    """A rule's entry. Its documentation is that of the rule itself, where there is one."""
    from ctxaudit.rulebook import documentation

    first, whole, worst = documentation(code)
    told: dict[str, Any] = {
        "id": code,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": first or name},
        "fullDescription": {"text": first or name},
        "help": {"text": whole or name, "markdown": whole or name},
        "properties": {"tags": ["context-pruning", name]},
    }
    if worst is not None:
        told["defaultConfiguration"] = {"level": LEVELS[worst], "rank": RANKS[worst]}
    return told


# -- findings -----------------------------------------------------------------------------------


def _result(item: Numbered, index: int) -> dict[str, Any]:
    found, where = item.finding, item.finding.where
    logical = {"fullyQualifiedName": f"{clean(where.session, 200)}, turn {where.turn}"}
    told: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": LEVELS[found.severity],
        "rank": RANKS[found.severity],
        "message": _message(f"{clean(found.message)}. Fix: {clean(found.fix)}"),
        "locations": [
            {
                "physicalLocation": _place(where.path, where.line),
                "logicalLocations": [logical | {"kind": "member"}],
            }
        ],
        "partialFingerprints": {"ctxauditFinding/v1": item.id},
        "properties": {
            "severity": found.severity.label,
            "confidence": found.confidence.label,
            "session": clean(where.session),
            "turn": where.turn,
            "tool": found.tool and clean(found.tool),
            "handle": found.handle and clean(found.handle),
            "incident": item.incident,
        },
    }
    if found.cause is not None or found.evidence:
        told["codeFlows"] = [{"threadFlows": [{"locations": _flow(found)}]}]
    return told


def _flow(found: Finding) -> list[dict[str, Any]]:
    """What proves a finding, the decision that led to it, and the finding, in their order."""
    steps: list[tuple[int, int, Location, str]] = [
        (e.where.turn, SHOWN, e.where, f"{e.role}: {excerpt(e.excerpt)}")
        for e in found.evidence[: MOST_PLACES - 2]
    ]
    if (cause := found.cause) is not None:
        known = "logged" if cause.explicit else "inferred"
        by = f" by {clean(cause.actor)}" if cause.actor else ""
        text = f"{cause.kind} of {clean(cause.subject)} ({known}{by})"
        steps.append((cause.where.turn, PRUNED, cause.where, text))
    text = f"{found.rule} {clean(found.message)}"
    steps.append((found.where.turn, USED, found.where, text))
    steps.sort(key=lambda step: step[:2])
    return [
        {
            "location": {
                "physicalLocation": _place(where.path or found.where.path, where.line),
                "message": _message(f"turn {turn}: {text}"),
            },
            "executionOrder": order,
            "importance": "important" if kind == SHOWN else "essential",
        }
        for order, (turn, kind, where, text) in enumerate(steps, 1)
    ]


def _message(text: str) -> dict[str, str]:
    """A message in which nothing is a link: ``[words](target)`` would be one."""
    return {"text": clean(text, 5_000).replace("](", "] (")}


def _place(path: str, line: int) -> dict[str, Any]:
    artifact = {"uri": uri(path)}
    if below(path) is not None:
        artifact["uriBaseId"] = "SRCROOT"
    told: dict[str, Any] = {"artifactLocation": artifact}
    if line:
        told["region"] = {"startLine": line}
    return told
