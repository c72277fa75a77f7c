"""Every fixture of every format: recognised by one adapter only, whole or damaged, and its turns.

The turns stand beside each fixture (``<file>.turns``), one line a turn and one for each thing that
was pruned, came, was answered or could not be seen.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import FIXTURES, check_golden

from ctxaudit.adapters import FORMATS, adapters
from ctxaudit.audit import expand, open_log
from ctxaudit.log import Log, Source
from ctxaudit.model import Turn

FOLDER = FIXTURES / "adapters"
#: All fixtures but those that stand beside a log, and are none.
ASIDE = ("dcp/*.json", "*.compaction.json", "session.json")
LOGS = [
    path
    for path in (Path(item.path) for item in expand([str(FOLDER)]))
    if not any(path.match(pattern) for pattern in ASIDE) or path.parent.name == "opencode"
]
FILES = [path for path in LOGS if path.is_file()]
LINES = [p for p in FILES if p.suffix == ".jsonl" and p.read_bytes().count(b"\n") > 3]
#: The format of each folder of fixtures: it has the name of the format, or of its module.
NAMES = {module: name for name, module in FORMATS.items()}
NAMES |= {name.replace("-", "_"): name for name in FORMATS}


def label(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def format_of(path: Path) -> str:
    return NAMES[path.relative_to(FOLDER).parts[0]]


def recognised(path: Path) -> list[str]:
    """All formats that claim a log."""
    head = Log(str(path)).head()
    return [adapter.NAME for adapter in adapters() if adapter.recognises(head)]


@pytest.mark.parametrize("path", LOGS, ids=label)
def test_one_format_recognises_it(path: Path) -> None:
    assert recognised(path) == [format_of(path)]


@pytest.mark.parametrize("path", FILES, ids=label)
def test_recognised_when_packed(path: Path, tmp_path: Path) -> None:
    if path.suffix in {".eval", ".db"}:
        pytest.skip("is packed already, or no stream")
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert recognised(packed) == [format_of(path)]


@pytest.mark.parametrize("path", LINES, ids=label)
def test_recognised_by_the_rest(path: Path, tmp_path: Path) -> None:
    first, _, rest = path.read_bytes().partition(b"\n")
    damaged = tmp_path / path.name
    damaged.write_bytes(first[: len(first) // 2] + b"\n" + rest)
    assert recognised(damaged) == [format_of(path)]


def drawn(turn: Turn) -> Iterator[str]:
    """A turn in a few lines."""
    where = turn.where
    offer = "unlogged" if turn.tools is None else " ".join(sorted(turn.tools)) or "none"
    partly = "" if turn.complete else " and others"
    yield f"{where.session}:{where.turn}{' after it' if turn.final else ''} line {where.line}"
    if not turn.final:
        yield f"  tools {offer}{partly}"
    for d in turn.decisions:
        marks = "explicit " * d.explicit + "opaque " * d.opaque + "external " * d.external
        what = " ".join((*d.tools, *d.spans)) or "context"
        yield f"  pruned: {marks}{d.kind} {what}{f' by {d.actor}' if d.actor else ''}"
    if turn.withdrawn:
        yield f"  withdrawn: {' '.join(turn.withdrawn)}"
    if turn.restored:
        yield f"  restored: {' '.join(turn.restored)}"
    for span in turn.added:
        failed = " (failed)" * bool(span.failed)
        yield f"  + {span.kind} {span.id}{failed}: {' '.join(span.text.split())[:60]}"
    for span in turn.reply:
        yield f"  = {span.kind} {span.id}: {' '.join(span.text.split())[:60]}"
    for call in turn.calls:
        yield f"  > {call.id} {call.span().text[:80]}"
    if turn.error:
        yield f"  refused: {turn.error[:80]}"
    if turn.prompt_tokens is not None:
        yield f"  prompt of {turn.prompt_tokens} tokens"
    for gap in turn.gaps:
        yield f"  cannot be seen: {gap.aspect} {gap.extent.label}: {gap.reason}"


@pytest.mark.parametrize("path", LOGS, ids=label)
def test_turns(path: Path, update: bool) -> None:
    log, adapter = open_log(str(path))
    lines = [line for turn in adapter.read(Source((log,))) for line in drawn(turn)]
    lines += [f"note: {note}" for note in log.notes]
    lines += [f"problem in line {problem.line}: {problem.message}" for problem in log.problems]
    check_golden(path.with_name(f"{path.name}.turns"), "".join(f"{x}\n" for x in lines), update)


def test_every_format_has_a_fixture() -> None:
    shown = {NAMES.get(path.name) for path in FOLDER.iterdir()} | {"native"}  # see fixtures/demo
    assert not set(FORMATS) - shown
