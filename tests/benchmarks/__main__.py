"""Speed: a scan against bare parsing of the same lines, ``--help`` against importing Typer, and
what reading costs for each format (reading.py).

Made-up logs are always measured; real ones too, where CTXAUDIT_LOGS names a folder of them. The
figures of the first table are of whole processes, start included, and the least of several runs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks import reading

TURNS = 160
SESSIONS = 200
WINDOW = 120  # messages that the pruner keeps
ROUNDS = 9
STARTS = 9
MEASURABLE = 5_000_000  # bytes
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"tool_{n}",
            "description": f"Tool number {n}.",
            "parameters": {
                "type": "object",
                "properties": {"run_id": {"type": "string"}, "depth": {"type": "integer"}},
                "required": ["run_id"],
            },
        },
    }
    for n in range(20)
]


def windowed() -> Iterator[dict[str, Any]]:
    """A long session under a sliding window: every prompt repeats what is left of the last one."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You look after runs. " * 40},
        {"role": "user", "content": "Go through the runs one by one."},
    ]
    for turn in range(TURNS):
        answer = _answer(turn)
        prompt = messages[:2] + messages[2:][-WINDOW:]
        yield _call("bench", prompt, answer)
        messages += [answer, _result(turn, 60)]


def unpruned() -> Iterator[dict[str, Any]]:
    """Many conversations that only grow, as most logs are: nothing is ever pruned in them."""
    for session in range(SESSIONS):
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": "You look after runs, carefully and in order. " * 150},
            {"role": "user", "content": f"Go through the runs of group {session}."},
        ]
        for turn in range(12):
            number = session * 12 + turn
            answer = _answer(number)
            yield _call(f"s{session}", messages, answer)
            messages = [*messages, answer, _result(number, 30)]


def _call(session: str, prompt: list[dict[str, Any]], answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": session,
        "request": {"model": "m", "messages": prompt, "tools": TOOLS},
        "response": {"choices": [{"message": answer}]},
    }


def _result(turn: int, lines: int) -> dict[str, Any]:
    listing = "\n".join(f"{turn}.{line} step {line * turn} done" for line in range(lines))
    return {"role": "tool", "tool_call_id": f"call_{turn}", "content": listing}


def _answer(turn: int) -> dict[str, Any]:
    arguments = orjson.dumps({"run_id": f"run_{7000 + turn}", "depth": turn}).decode()
    function = {"name": f"tool_{turn % 20}", "arguments": arguments}
    call = {"id": f"call_{turn}", "type": "function", "function": function}
    return {"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]}


def cpu_time(work: Callable[[], object], rounds: int, *, system: bool = False) -> float:
    """The least user time (and system time) of some rounds, children included."""
    best = float("inf")
    for _ in range(rounds):
        before = _spent(system)
        work()
        best = min(best, _spent(system) - before)
    return best


def _spent(system: bool) -> float:
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in whose]
    return sum(u.ru_utime + (u.ru_stime if system else 0) for u in used)


def python(*command: str) -> Callable[[], object]:
    """Running a command of this Python."""
    return lambda: subprocess.run([sys.executable, *command], capture_output=True, check=False)


#: Bare parsing of a log, in a process of its own, as a scan is one.
PARSE = """
import sys, orjson
path = sys.argv[1]
with open(path, "rb") as stream:
    if path.endswith(".json"):
        orjson.loads(stream.read())
    else:
        for line in stream:
            orjson.loads(line)
"""


def logs(folder: Path) -> Iterator[tuple[str, Path]]:
    for name, made in (("unpruned conversations", unpruned), ("a sliding window", windowed)):
        path = folder / f"{made.__name__}.jsonl"
        with path.open("wb") as stream:
            stream.writelines(orjson.dumps(r, option=orjson.OPT_APPEND_NEWLINE) for r in made())
        yield name, path
    if given := os.environ.get("CTXAUDIT_LOGS"):
        paths = sorted(p for p in Path(given).rglob("*.json*") if p.is_file())
        yield from ((p.name[-34:], p) for p in paths if p.stat().st_size > MEASURABLE)


def row(what: str, took: float, base: float, note: str) -> None:
    print(f"{what:<34} {took * 1000:>8.0f} ms {base * 1000:>8.0f} ms {took / base:>7.2f}  {note}")


def main() -> None:
    print(f"{'':<34} {'ctxaudit':>11} {'base':>11} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs(Path(folder)):
            scan = python("-m", "ctxaudit", "scan", str(path), "--quiet")
            base = cpu_time(python("-c", PARSE, str(path)), ROUNDS)
            note = f"{path.stat().st_size / 1e6:.1f} MB; user time; base: orjson.loads"
            row(name, cpu_time(scan, ROUNDS), base, note)
    shown = cpu_time(python("-m", "ctxaudit", "--help"), STARTS, system=True)
    none = cpu_time(python("-m", "ctxaudit", "scan", os.devnull), STARTS, system=True)
    imported = cpu_time(python("-c", "import typer"), STARTS, system=True)
    row("--help", shown, imported, "CPU time; base: import typer")
    row("scan of nothing", none, imported, "CPU time; base: import typer")
    print(f"\n{'reading, in this process':<34} {'turns':>11} {'base':>11} {'ratio':>7}")
    for name, took, base, growth, size in reading.table():
        note = f"{size / 1e6:.1f} MB; base: orjson.loads; growth {growth:.2f} (linear is 1)"
        row(name, took, base, note)


if __name__ == "__main__":
    main()
