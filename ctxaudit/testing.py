"""For tests of other projects: a log is sound, or the test fails and says why.

from ctxaudit.testing import assert_sound

def test_our_pruner(tmp_path):
    run_the_agent(log=tmp_path / "run.jsonl")
    assert_sound(tmp_path / "run.jsonl")
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from os import PathLike, fspath

from ctxaudit.config import load
from ctxaudit.golden import check, golden_of
from ctxaudit.plan import plan
from ctxaudit.report import Report
from ctxaudit.reporters.rich import write


def audited(
    log: str | PathLike[str],
    *,
    fail_on: str | None = None,
    min_confidence: str | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> Report:
    """The report of a log under the nearest configuration; what is given here goes before it.

    Raises: CtxauditError for a setting that does not exist.
    """
    told = {
        "paths": [fspath(log)],
        "fail-on": fail_on,
        "min-confidence": min_confidence,
        "select": list(select),
        "ignore": list(ignore),
    }
    made = plan(load().over(told))
    return made.report(made.audited())


def assert_sound(
    log: str | PathLike[str],
    *,
    fail_on: str | None = None,
    min_confidence: str | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> None:
    """Fail with the report, unless the whole log could be audited and has no violation.

    Raises: AssertionError; CtxauditError for a setting that does not exist.
    """
    __tracebackhide__ = True
    report = audited(
        log, fail_on=fail_on, min_confidence=min_confidence, select=select, ignore=ignore
    )
    if report.exit_code:
        raise AssertionError(f"{fspath(log)} is not sound\n\n{told(report)}")


def assert_as_expected(log: str | PathLike[str]) -> None:
    """Fail with a diff, unless the log's findings are those that stand beside it.

    Raises: AssertionError; CtxauditError for an expectation that cannot be read.
    """
    __tracebackhide__ = True
    report = audited(log)
    if report.exit_code > 1:
        raise AssertionError(f"{fspath(log)} cannot be audited\n\n{told(report)}")
    lines = [line for compared in check(report) for line in compared.lines]
    if lines:
        raise AssertionError("\n".join(["not as expected", *lines]))


def has_expectation(log: str | PathLike[str]) -> bool:
    """Whether findings that are expected stand beside a log."""
    return golden_of(fspath(log)).is_file()


def told(report: Report) -> str:
    """The report as plain text."""
    stream = StringIO()
    write(report, stream)
    return stream.getvalue()
