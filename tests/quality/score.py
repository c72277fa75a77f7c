"""Holds what the audit said against the truth."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.quality.scene import Trial
from tests.quality.truth import Truth, truth

NOTE, LOUD = 0, 1  #: everything; warnings and above


@dataclass(frozen=True, slots=True)
class Said:
    """One finding of the audit."""

    rule: str
    turn: int
    severity: int
    tool: str | None
    handle: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Miss:
    trial: Trial
    expected: Truth


@dataclass(frozen=True, slots=True)
class Alarm:
    trial: Trial
    said: Said


@dataclass(slots=True)
class Score:
    """Counts per rule: expected and found, loud and right.

    Loud findings of which the truth is open are in ``undecided`` and in no share.
    """

    expected: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    loud: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    trials: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    disturbed: defaultdict[tuple[str, str | None], set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )

    def add(self, trial: Trial, said: Iterable[Said]) -> None:
        """Count one trial."""
        said, wanted = list(said), truth(trial)
        kind = trial.kind, trial.twin
        self.trials[kind] += 1
        for expected in wanted:
            if not expected.must:
                continue
            self.expected[expected.codes[0]] += 1
            if any(matches(expected, f) and f.severity >= expected.least for f in said):
                self.found[expected.codes[0]] += 1
            else:
                self.misses.append(Miss(trial, expected))
        for finding in said:
            if finding.severity < (LOUD if pruned(trial) else NOTE):
                continue
            hits = [w for w in wanted if not w.calm and matches(w, finding)]
            if hits and not any(w.must for w in hits):
                self.undecided[finding.rule] += 1
                continue
            self.loud[finding.rule] += 1
            if hits:
                self.right[finding.rule] += 1
            else:
                self.alarms.append(Alarm(trial, finding))
                self.disturbed[kind].add(trial.name)

    def recall(self, rule: str) -> tuple[int, int]:
        return self.found[rule], self.expected[rule]

    def precision(self, rule: str | None = None) -> tuple[int, int]:
        if rule is None:
            return sum(self.right.values()), sum(self.loud.values())
        return self.right[rule], self.loud[rule]


def pruned(trial: Trial) -> bool:
    """Whether anything was ever taken out of a prompt or of the tools."""
    return any(
        sent.tools != trial.sent[0].tools
        or list(sent.prompt) != [m for m in trial.messages if m.uid < sent.reply.uid]
        for sent in trial.sent
    )


def matches(expected: Truth, finding: Said) -> bool:
    """Whether a finding says what was expected."""
    return (
        finding.rule in expected.codes
        and finding.turn in expected.turns
        and (None in (expected.tool, finding.tool) or expected.tool == finding.tool)
        and (None in (expected.handle, finding.handle) or expected.handle == finding.handle)
    )


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (E. B. Wilson, 1927)."""
    if not total:
        return 0.0, 1.0
    share = hits / total
    middle = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
