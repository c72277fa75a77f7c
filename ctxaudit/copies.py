"""Conversations that several logs hold: checkpoints, forks, resumed and copied logs.

What two logs hold alike is audited once, in the log that holds most of it, and the report says so.
Sessions are looked at only where they begin with the very same call, so this costs nothing where
no log repeats another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from ctxaudit.adapters import Adapter
from ctxaudit.adapters import adapter as adapter_of
from ctxaudit.frozen import frozen
from ctxaudit.log import STDIN_NAME, Log, Source
from ctxaudit.model import Turn, dumps
from ctxaudit.report import LogReport, SessionReport

#: What tells a turn: its place, and hashes of what was pruned, came, was said and called.
Print = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
Prints = dict[str, list[Print]]


@frozen
class Held:
    """A session as a log holds it; ``at`` is the place of the log among the inputs."""

    at: int
    session: SessionReport
    prints: list[Print]


def told_once(
    reports: list[LogReport], alike: Callable[[str, str], bool] = lambda _, __: True
) -> list[LogReport]:
    """The reports without what another one tells, too: one of a longer, fuller or earlier log.

    ``alike`` says whether two paths are audited in the same way; else both have their say.
    """
    for group in _alike(reports):
        held = _held(reports, group)
        held.sort(key=lambda one: _rank(one, reports[one.at]))
        for n, one in enumerate(held):
            path = reports[one.at].path
            others = [
                (_shared(one, other), -m, other)
                for m, other in enumerate(held[:n])
                if other.at != one.at and alike(path, reports[other.at].path)
            ]
            most, _, other = max(others, default=(0, 0, one), key=lambda found: found[:2])
            if most:
                _tell(reports, one, other, most)
    return reports


def _alike(reports: list[LogReport]) -> Iterator[list[tuple[int, SessionReport]]]:
    """Groups of sessions, of more logs than one, that begin with the same call."""
    groups: dict[tuple[str, str], list[tuple[int, SessionReport]]] = defaultdict(list)
    for n, report in enumerate(reports):
        for session in report.sessions:
            if session.begins is not None and report.path != STDIN_NAME:
                groups[session.format, session.begins].append((n, session))
    yield from (group for group in groups.values() if len({n for n, _ in group}) > 1)


def _held(reports: list[LogReport], group: list[tuple[int, SessionReport]]) -> list[Held]:
    prints = {
        n: _prints(reports[n].path, adapter_of(session.format))
        for n, session in {n: session for n, session in group}.items()
    }
    return [Held(n, session, prints[n].get(session.session, [])) for n, session in group]


def _rank(held: Held, report: LogReport) -> tuple[int, int, int, int]:
    """What tells most comes first: by turns, by what is seen of them, by the rest of the log."""
    seen = sum(held.session.extent.values())
    return -len(held.prints), -seen, -sum(s.turns for s in report.sessions), held.at


def _prints(path: str, adapter: Adapter) -> Prints:
    found: Prints = defaultdict(list)
    # What goes wrong here has gone wrong in the audit before, and is told.
    with suppress(Exception):
        for turn in adapter.read(Source((Log(path),))):
            if not turn.final:
                found[turn.where.session].append(_print(turn))
    return found


def _print(turn: Turn) -> Print:
    return (
        turn.where.turn,
        tuple(hash((d.kind, d.spans, d.tools)) for d in turn.decisions),
        tuple(hash((span.kind, span.call, span.text)) for span in turn.added),
        tuple(hash((span.kind, span.text)) for span in turn.reply),
        tuple(hash((call.id, call.tool, dumps(call.arguments))) for call in turn.calls),
    )


def _shared(one: Held, other: Held) -> int:
    """How many turns the two begin with alike, 0 if there is no call in them.

    The last turn of ``one`` may be cut off.
    """
    last, calls = len(one.prints) - 1, False
    shared = 0
    for n, (mine, others) in enumerate(zip(one.prints, other.prints, strict=False)):
        if mine != others and not (n == last and _begins(mine, others)):
            break
        shared, calls = n + 1, calls or bool(mine[-1])
    return shared if calls else 0


def _begins(mine: Print, others: Print) -> bool:
    """Whether a turn may be the beginning of another one."""
    parts = zip(mine[1:], others[1:], strict=True)
    return mine[0] == others[0] and all(a == b[: len(a)] for a, b in parts)


def _tell(reports: list[LogReport], one: Held, other: Held, shared: int) -> None:
    """Take out of the report what is told elsewhere, and say so."""
    name, turn = one.session.session, one.prints[shared - 1][0]
    report, keeper = reports[one.at], reports[other.at]
    if shared == len(one.prints):
        left = [session for session in report.sessions if session.session != name]
        report.sessions, turn = left, max(turn, one.session.turns)
        note = f"{report.path} holds {_extent(one, other)} of this conversation, too: told once"
        _note(keeper, other.session.session, note)
    elif any(f.where.session == name and f.where.turn <= turn for f in report.findings):
        note = (
            f"its first {turn} turns are those of {other.session.session} in {keeper.path}, too: "
            "what was found in them is told there"
        )
        _note(report, name, note)
    report.findings = [
        finding
        for finding in report.findings
        if finding.where.session != name or finding.where.turn > turn
    ]


def _note(report: LogReport, name: str, note: str) -> None:
    report.sessions = [
        replace(session, notes=(*session.notes, note)) if session.session == name else session
        for session in report.sessions
    ]


def _extent(one: Held, other: Held) -> str:
    if len(one.prints) == len(other.prints):
        return "all"
    return f"the first {one.prints[-1][0]} turns"
