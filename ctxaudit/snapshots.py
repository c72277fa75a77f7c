"""Logs whose records carry whole prompts: turns by the difference of consecutive prompts.

An adapter turns each record into a ``Snapshot``; ``turns`` finds the conversation that it belongs
to (lanes.py), compares its prompt with the one before (differ.py), and infers what was pruned.
Prompts that repeat their predecessor's beginning are compared there, not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ctxaudit.errors import WRONG_SHAPE
from ctxaudit.lanes import Lanes
from ctxaudit.model import Turn
from ctxaudit.pieces import Piece, Snapshot, sound

__all__ = ["Piece", "Snapshot", "turns"]


def turns(
    snapshots: Iterable[Snapshot], damaged: Callable[[str, int, Exception], None]
) -> Iterator[Turn]:
    """Turns of all conversations in the order of the log; a turn whose answer only the next prompt
    shows comes with that one.

    ``damaged`` is told path, line and error of a snapshot whose items cannot be read; it is passed
    over then.
    """
    lanes = Lanes()
    for snapshot in snapshots:
        try:
            sound(snapshot.reply or [])
            done = lanes.advance(snapshot)
        except WRONG_SHAPE as error:
            damaged(snapshot.path, snapshot.line, error)
            continue
        yield from done
    yield from lanes.close()
