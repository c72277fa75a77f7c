"""Every kind of fault that is planted, with its sound twins."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.quality import faults_ghost as ghost
from tests.quality import faults_negatives as negatives
from tests.quality import faults_refs as refs
from tests.quality.scene import Scene, Trial, finished
from tests.quality.world import Domain


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault. ``codes``: of these rules, the truth must hold one for each trial of the
    fault, and none for a twin. ``needs``: tools that the domain must have, by role."""

    plant: Callable[[Scene, str | None], None]
    codes: tuple[str, ...]
    twins: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    only_sound: bool = False


FAULTS: dict[str, Fault] = {
    "ghost": Fault(
        ghost.ghost,
        ("GT103", "GT104"),
        (
            "arguments-evicted-too",
            "tombstone-obeyed",
            "restored-before-the-call",
            "business-error",
            "business-error-in-sight",
        ),
    ),
    "ghost-success": Fault(
        ghost.ghost_success, ("GT102",), ("restored-at-once", "user-offered-the-choice")
    ),
    "memory-call": Fault(
        ghost.memory_call, ("GT108",), ("restored-before-the-call", "never-called")
    ),
    "lossy": Fault(ghost.lossy, ("GT105",), ("descriptions-only", "reordered")),
    "migrated": Fault(ghost.migrated, ("GT106",), ("new-shape", "compatible")),
    "orphan": Fault(
        refs.orphan,
        ("OR202",),
        ("restated-in-the-summary", "told-to-the-user", "user-typed", "computed-or-plain-values"),
        ("create",),
    ),
    "minted": Fault(refs.minted, ("OR202",), ("minted",), only_sound=True),
    "mutated": Fault(refs.mutated, ("OR207",), ("another-one", "original-in-sight"), ("create",)),
    "severed": Fault(refs.severed, ("OR204",), ("pending-at-the-end", "interrupted", "whole-pair")),
    "placeholder": Fault(
        refs.placeholder, ("OR206",), ("discussed-in-prose", "it-was-in-the-file"), ("write",)
    ),
    "pointer": Fault(refs.pointer, ("OR208",), ("resolves", "not-followed")),
    "back-reference": Fault(
        refs.back_reference, ("OR208",), ("still-in-sight", "content-again"), ("write",)
    ),
    "opaque": Fault(refs.opaque, ("OR201", "OR202"), ("opaque",), ("create", "get"), True),
    "renegative": Fault(
        negatives.renegative,
        ("RN302",),
        (
            "kept-in-the-summary",
            "told-to-the-user",
            "subject-edited",
            "transient-error",
            "user-asked-again",
            "still-in-sight",
        ),
        ("create", "write", "test"),
    ),
    "polling": Fault(negatives.polling, ("RN302", "RN305"), ("polling",), ("start", "poll"), True),
    "side-effect": Fault(
        negatives.side_effect,
        ("RN304",),
        (
            "kept-in-the-summary",
            "told-to-the-user",
            "user-asked-for-another",
            "set-same-value",
            "first-one-failed",
        ),
        ("create", "send"),
    ),
    "dead-end": Fault(
        negatives.dead_end,
        ("RN305",),
        (
            "kept-in-the-summary",
            "told-to-the-user",
            "user-changed-their-mind",
            "transient-error",
            "still-in-sight",
        ),
    ),
    "irreducible": Fault(
        negatives.irreducible,
        ("RN301",),
        ("pure-read", "told-to-the-user"),
        ("create", "send", "start"),
    ),
    "unpruned-noise": Fault(ghost.unpruned_noise, (), ("unpruned",), ("get",), True),
}
ALWAYS = ("search", "read", "grep", "update", "part")


def trial(kind: str, twin: str | None, seed: str) -> Trial:
    """One planted fault, or one twin of it."""
    fault = FAULTS[kind]
    rng = random.Random(f"{seed} {kind} {twin}")
    scene = Scene(rng, Domain(rng, ALWAYS + fault.needs))
    fault.plant(scene, twin)
    return finished(scene, f"{kind}.{twin or 'fault'}.{seed}", kind, twin)


def trials(seed: int, count: int) -> Iterator[Trial]:
    """``count`` trials of every fault, and a third as many of every twin."""
    for kind, fault in FAULTS.items():
        if not fault.only_sound:
            for n in range(count):
                yield trial(kind, None, f"{seed}-{n}")
        for twin in fault.twins:
            for n in range(max(1, count // 3)):
                yield trial(kind, twin, f"{seed}-{n}")
