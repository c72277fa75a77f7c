"""What adapters of prompt-per-call formats hand over: prompts, and the pieces that they are
made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.model import Gap, Kind, ToolSchema


@frozen
class Piece:
    """A span before it is known which one. ``call`` is the runtime's own id, None where it has
    none.

    ``loads`` are schemas that the piece brings into the prompt (a tool search's result, an
    addition in mid-conversation; one without parameters means the offered tool of that name),
    ``removes`` names of tools that it takes out. ``opaque`` is what the model can read in it and we
    cannot, as any text that tells two of them apart (an encrypted summary).
    """

    kind: Kind
    text: str
    call: str | None = None
    tool: str | None = None
    failed: bool | None = None
    arguments: Any = None
    loads: tuple[ToolSchema, ...] = ()
    removes: tuple[str, ...] = ()
    opaque: str = ""


def sound(pieces: list[Piece]) -> list[Piece]:
    """The pieces themselves.

    Raises: TypeError if one bears the name of a tool, or the id of a call, that is no text.
    """
    for piece in pieces:
        if not isinstance(piece.tool, str | None) or not isinstance(piece.call, str | None):
            raise TypeError("the name of a tool, or the id of a call, is no text")
    return pieces


@dataclass(slots=True)
class Snapshot:
    """One model call with its whole prompt.

    ``items`` are raw prompt items, compared by equality and read by ``pieces`` only when new;
    ``raw_tools`` likewise by ``schemas`` (None: not logged), and by ``complete``, which says
    whether they are all that is offered. ``reply`` is what the model answered, None if the log does
    not hold the answer: it is then looked for in the next prompt. ``said`` are the items of which
    the answer is made, each with its pieces: where the next prompt repeats one, it is not read
    again. ``lane`` tells agents of one session apart where the log does. ``partial``: the record
    was cut, so nothing is inferred from what it lacks. ``stated`` is the pruner's name where the
    log itself says that this prompt was edited. ``trace``: see ``Turn``.
    """

    path: str
    line: int
    session: str | None
    items: list[Any]
    pieces: Callable[[Any], list[Piece]]
    schemas: Callable[[Any], dict[str, ToolSchema]]
    raw_tools: Any = None
    reply: list[Piece] | None = field(default_factory=list)
    lane: str | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    partial: bool = False
    stated: str | None = None
    gaps: tuple[Gap, ...] = ()
    complete: Callable[[Any], bool] | None = None
    said: list[tuple[Any, list[Piece]]] = field(default_factory=list)
    trace: tuple[str, str] | tuple[()] = ()

    def read(self, item: Any) -> list[Piece]:
        """The pieces of an item. Raises what ``pieces`` raises, and what ``sound`` does."""
        return sound(self.pieces(item))
