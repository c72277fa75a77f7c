"""``python -m tests.quality``: plant faults, audit the logs, print and write the table.

``--seed`` takes another draw (keep one seed back that nobody develops on), ``--keep DIR`` leaves
the logs there, one a trial, ``--alarms`` prints every miss and every false alarm.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ctxaudit.audit import Input, audit
from ctxaudit.model import Severity
from ctxaudit.rules import RULES
from tests.quality.conversations import Recorded, recorded_folder, recorded_trial, seeded
from tests.quality.faults import trials
from tests.quality.logs import write
from tests.quality.policies import POLICIES
from tests.quality.scene import Trial, finished
from tests.quality.score import Said, Score, wilson

SEED, HELD_BACK = 1, 2
PAGE = Path(__file__).parents[2] / "docs" / "quality.md"
#: What is asked of every rule that reports errors, and of all warnings and above together.
RECALL, PRECISION = 0.98, 0.99


def conversations(seed: int, count: int) -> Iterator[Trial]:
    """Whole conversations, unpruned and under every pruner."""
    for name, policy in {"unpruned": None, **POLICIES}.items():
        for n in range(count):
            scene = seeded(seed * 1000 + n, policy)
            yield finished(scene, f"{name}.{seed}-{n}", name, None)


def recorded(count: int) -> Iterator[Trial]:
    """Recorded conversations, unpruned and under every pruner for which they have tools."""
    root = recorded_folder()
    if root is None:
        return
    source = Recorded(root)
    for name, policy in {"unpruned": None, **POLICIES}.items():
        limit = len(source.runs) if policy is None else count
        for n, scene in enumerate(source.scenes(policy, limit)):
            yield recorded_trial(scene, f"recorded.{name}.{n}", f"recorded-{name}")


def everything(seed: int, count: int) -> Iterator[Trial]:
    """All trials of a run."""
    yield from trials(seed, count)
    yield from conversations(seed, count)
    yield from recorded(count)


def said(path: Path) -> list[Said]:
    """What the audit finds in a log."""
    return [
        Said(f.rule, f.where.turn, int(f.severity), f.tool, f.handle, f.message)
        for report in audit([Input(str(path))])
        for f in report.findings
    ]


def run(source: Iterable[Trial], folder: Path) -> Score:
    """Audit trials, every third one as a log of Anthropic's messages."""
    score = Score()
    for n, trial in enumerate(source):
        path = folder / f"{trial.name}.jsonl"
        write(trial, path, anthropic=n % 3 == 2 or trial.kind == "opaque")
        score.add(trial, said(path))
    return score


def share(hits: int, total: int) -> str:
    """A share with its 95 % interval."""
    if not total:
        return "-"
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / total:.3f} ({low:.3f}-{high:.3f})"


def table(score: Score) -> Iterator[str]:
    """Recall and precision per rule."""
    yield "| rule | recall | precision at warning and above | open |"
    yield "|---|---|---|---|"
    for rule in sorted({*score.expected, *score.loud, *score.undecided}):
        recall, precision = share(*score.recall(rule)), share(*score.precision(rule))
        yield f"| {rule} | {recall} | {precision} | {score.undecided[rule]} |"
    yield f"| all | | {share(*score.precision())} | {score.undecided.total()} |"


def kinds(score: Score) -> Iterator[str]:
    """Trials per kind, and how many of them had a false alarm or a miss."""
    missed = Counter((m.trial.kind, m.trial.twin) for m in score.misses)
    yield "| kind | sound twin | logs | with a false alarm | findings missed |"
    yield "|---|---|---|---|---|"
    for (kind, twin), count in score.trials.items():
        alarms = len(score.disturbed[kind, twin])
        yield f"| {kind} | {twin or ''} | {count} | {alarms} | {missed[kind, twin]} |"


def page(score: Score, seed: int) -> str:
    """``docs/quality.md``."""
    lines = [
        "# Quality",
        "",
        f"Written by `make quality` (seed {seed}). Faults are planted into made-up conversations, "
        "pruners are run",
        "over whole ones, and the truth is computed by brute force over the prompts really sent, "
        "by code that shares",
        "nothing with the product. Intervals are Wilson's at 95 %. A finding that the truth does "
        "not hold counts as false;",
        "where the truth is open (a vague “done”, a handle within prose) a finding is counted "
        "apart, under “open”.",
        f"Rules are developed on seed {SEED}: its shares flatter. Recorded conversations are the "
        "same for every seed, are",
        "not part of the repository, and are left out where they are not at hand.",
        "",
        *table(score),
        "",
        "## By kind",
        "",
        *kinds(score),
        "",
    ]
    return "\n".join(lines)


def complaints(score: Score) -> Iterator[str]:
    """Every miss and every false alarm, for reading."""
    for miss in score.misses:
        want = miss.expected
        yield f"missed {'/'.join(want.codes)} at {want.turns} {want.tool or ''} " + (
            f"{want.handle or ''} in {miss.trial.name}"
        )
    for alarm in score.alarms:
        found = alarm.said
        yield f"false {found.rule} at {found.turn} in {alarm.trial.name}: {found.message}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help=f"{HELD_BACK} is held back")
    parser.add_argument("--count", type=int, default=30, help="trials per kind of fault")
    parser.add_argument("--keep", type=Path, help="leave the logs in this folder")
    parser.add_argument("--alarms", action="store_true", help="print misses and false alarms")
    parser.add_argument("--no-page", action="store_true", help=f"do not write {PAGE.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        score = run(everything(options.seed, options.count), folder)
    if options.alarms:
        print(*complaints(score), sep="\n")
    text = page(score, options.seed)
    print(text)
    if not options.no_page:
        PAGE.write_text(text, encoding="utf-8")
    return 0 if good(score) else 1


def good(score: Score) -> bool:
    """Whether the targets are met."""
    hits, total = score.precision()
    grave = {rule.code for rule in RULES if rule.severity >= Severity.ERROR}
    recalls = [score.recall(rule) for rule in score.expected if rule in grave]
    return hits >= PRECISION * total and all(h >= RECALL * n for h, n in recalls)


if __name__ == "__main__":
    sys.exit(main())
