"""A small draw of the quality bench: its own labels hold together, and the audit is near them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.quality.__main__ import conversations, run
from tests.quality.faults import FAULTS, trial, trials
from tests.quality.score import Score, pruned, wilson
from tests.quality.truth import Truth, truth

SEED = 7


def codes(expected: list[Truth], *, must: bool) -> set[str]:
    return {code for t in expected if (t.must or not must) and not t.calm for code in t.codes}


@pytest.mark.parametrize("kind", [kind for kind, fault in FAULTS.items() if not fault.only_sound])
def test_the_truth_holds_what_was_planted(kind: str) -> None:
    for n in range(4):
        assert set(FAULTS[kind].codes) <= codes(truth(trial(kind, None, f"{SEED}-{n}")), must=True)


@pytest.mark.parametrize(
    ("kind", "twin"), [(kind, twin) for kind, fault in FAULTS.items() for twin in fault.twins]
)
def test_the_truth_of_a_twin_is_sound(kind: str, twin: str) -> None:
    for n in range(3):
        expected = truth(trial(kind, twin, f"{SEED}-{n}"))
        assert not set(FAULTS[kind].codes) & codes(expected, must=False)


def test_a_seed_always_draws_the_same() -> None:
    assert trial("orphan", None, "1-1") == trial("orphan", None, "1-1")


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> Score:
    folder: Path = tmp_path_factory.mktemp("quality")
    return run([*trials(SEED, 2), *conversations(SEED, 1)], folder)


def test_nothing_is_found_where_nothing_was_pruned(score: Score) -> None:
    assert [a.said for a in score.alarms if not pruned(a.trial)] == []


def test_most_of_what_is_planted_is_found(score: Score) -> None:
    noted = {"RN301"}  # much of it is noted once for several
    found = sum(n for rule, n in score.found.items() if rule not in noted)
    assert found >= 0.9 * sum(n for rule, n in score.expected.items() if rule not in noted)


def test_nearly_all_that_is_loud_is_right(score: Score) -> None:
    right, loud = score.precision()
    assert right >= 0.95 * loud


def test_wilson() -> None:
    low, high = wilson(98, 100)
    assert (round(low, 3), round(high, 3)) == (0.93, 0.994)
    assert wilson(0, 0) == (0.0, 1.0)
