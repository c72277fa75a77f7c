"""What reading costs, for each format: its turns against bare parsing of the same lines.

Both are measured in this process, without starting it: user time, the least of several rounds. Each
log is told twice, once of double the length, to see that the cost grows as the log does.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from ctxaudit.audit import open_log
from ctxaudit.log import Source
from tests.tellings import Story
from tests.tellings.formats import PROMPTS, SESSIONS, tell

ROUNDS = 5
STEPS, LINES = 1500, 60  # of the one session that a format of sessions tells
PROMPT_STEPS = 12  # of each of the sessions whose records hold whole prompts
STORIES = 30


def table() -> Iterator[tuple[str, float, float, float, int]]:
    """(format, seconds to read, seconds to parse, growth, bytes) of every format.

    The growth is how many times as much a log of double the length costs, of how many times parsing
    it does: 1 where the cost of reading is linear.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in (*SESSIONS, *PROMPTS):
            once = _measured(_told(name, Path(folder), 1))
            twice = _measured(path := _told(name, Path(folder), 2))
            growth = (twice[0] / once[0]) / (twice[1] / once[1])
            yield name, *twice, growth, path.stat().st_size


def _told(name: str, folder: Path, times: int) -> Path:
    if name in SESSIONS:
        return tell(name, folder, [Story("s0", times * STEPS, LINES)])
    if name == "swe-agent":
        return tell(name, folder, [Story("s0", times * PROMPT_STEPS * 5, LINES)])
    stories = [Story(f"s{n}", PROMPT_STEPS, LINES) for n in range(times * STORIES)]
    return tell(name, folder, stories)


def _measured(path: Path) -> tuple[float, float]:
    """Seconds to read a log, and to parse it."""
    return least(lambda: _read(path)), least(lambda: _parse(path))


def least(work: Callable[[], object]) -> float:
    """The least time of this thread in some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        before = time.thread_time()
        work()
        best = min(best, time.thread_time() - before)
    return best


def _read(path: Path) -> None:
    log, adapter = open_log(str(path))
    deque(adapter.read(Source((log,))), maxlen=0)


def _parse(path: Path) -> None:
    with path.open("rb") as stream:
        if path.suffix != ".jsonl":
            orjson.loads(stream.read())
        else:
            for line in stream:
                orjson.loads(line)
