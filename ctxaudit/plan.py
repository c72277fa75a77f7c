"""From settings to a run: what to audit, by which rules, what fails it, what is accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ctxaudit import baseline as baselines
from ctxaudit.accept import Accepted
from ctxaudit.accept import read as read_accepts
from ctxaudit.adapters import failures, names
from ctxaudit.audit import Options
from ctxaudit.baseline import Baseline
from ctxaudit.config import Config
from ctxaudit.errors import UsageError, suggestion
from ctxaudit.log import Problem
from ctxaudit.mcp_tools import hints
from ctxaudit.model import Confidence, Severity
from ctxaudit.own_handles import OwnHandles
from ctxaudit.parallel import audit_paths
from ctxaudit.report import LogReport, Numbered, Report
from ctxaudit.selection import catalogue, select
from ctxaudit.settings import Settings
from ctxaudit.tokens import counter


@dataclass(slots=True)
class Plan:
    """What a run does. ``paths`` are files, globs and directories."""

    paths: Sequence[str]
    exclude: Sequence[str]
    options: Options
    fail_on: Severity
    min_confidence: Confidence
    exit_zero: bool
    accepted: Accepted
    baseline: Baseline | None

    def audited(
        self, jobs: int = 1, watched: bool = False, since: float | None = None
    ) -> list[LogReport]:
        """Audit what the paths mean. Raises: UsageError if there is none."""
        if not self.paths:
            raise UsageError("no path to audit; name one, or set `paths` in the configuration")
        return audit_paths(
            self.paths, self.options, jobs, watched, exclude=self.exclude, since=since
        )

    def report(self, logs: list[LogReport]) -> Report:
        """The report of what was audited, weighed by the settings."""
        report = Report(logs, self.fail_on, self.min_confidence, self.exit_zero, self._why)
        failed = [*catalogue()[1], *failures()]
        report.extra += [Problem(plugin, 0, why) for plugin, why in failed]
        if self.baseline is not None:
            report.extra += self.baseline.problems(report)
        return report

    def _why(self, item: Numbered) -> str | None:
        why = self.accepted.why(item)
        known = self.baseline.why(item) if self.baseline else None
        return why or known

    def warnings(self, report: Report) -> list[str]:
        """What a user should know of the settings themselves, once the report is complete."""
        told = self.accepted.warnings()
        gone = self.baseline.gone(report) if self.baseline else 0
        if gone and self.baseline:
            told.append(
                f"{self.baseline.path}: {gone} of its findings "
                f"{'is' if gone == 1 else 'are'} gone; --update-baseline drops them"
            )
        return told


def plan(config: Config, *, fresh: bool = False, today: date | None = None) -> Plan:
    """The run that settings mean; ``fresh``: without the baseline, which is about to be written.

    Raises: UsageError or ConfigError for what the settings name and does not exist.
    """
    return Plan(
        config.paths("paths"),
        config["exclude"],
        options(config),
        Severity[config["fail-on"].upper()],
        Confidence[config["min-confidence"].upper()],
        config["exit-zero"],
        Accepted(read_accepts(config["accept"]), today or date.today()),
        baselines.load(config.path("baseline")) if config["baseline"] and not fresh else None,
    )


def options(config: Config) -> Options:
    """How each log is audited."""
    settings = Settings(
        config["tools"],
        hints(config.paths("mcp-tools")),
        config["window"],
        OwnHandles(config["handles"]),
        config["tokens"],
    )
    counter(settings.tokens)  # one that is not there is told now
    return Options(
        select(config["select"], config["ignore"]),
        known_format(config["input-format"]),
        settings,
        special=tuple(_special(config)),
        timelines="html" in (config["format"], *config["output"]),
    )


def _special(config: Config) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for table in config["per-path"]:
        changes: dict[str, Any] = {}
        if "select" in table or "ignore" in table:
            changes["rules"] = select(
                table.get("select", config["select"]),
                [*config["ignore"], *table.get("ignore", [])],
            )
        if "fail-on" in table:
            changes["fail_on"] = Severity[table["fail-on"].upper()]
        if "min-confidence" in table:
            changes["min_confidence"] = Confidence[table["min-confidence"].upper()]
        if "input-format" in table:
            changes["input_format"] = known_format(table["input-format"])
        yield table["path"], changes


def known_format(name: str | None) -> str | None:
    """The name of a known format. Raises: UsageError."""
    if name is not None and name not in names():
        hint = suggestion(name, names(), "`ctxaudit formats` lists them")
        raise UsageError(f"no format is called {name!r}{hint}")
    return name
