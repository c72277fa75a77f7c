"""What a call does to the world: the answer that the modules about tools share."""

from __future__ import annotations

from enum import StrEnum

from ctxaudit.frozen import frozen


class Effect(StrEnum):
    """Whether a call changes anything outside the conversation."""

    READ = "read"
    MUTATION = "mutation"
    UNKNOWN = "unknown"


@frozen
class Verdict:
    """The effect of a call and how it is known.

    ``adds``: not idempotent, a second call adds again (create, send, pay, append). ``source`` is
    one of ``declared``, ``config``, ``table``, ``shell``, ``http``, ``sql``, ``code``, ``verb``,
    ``unknown``.
    """

    effect: Effect
    adds: bool
    source: str


#: How the tables of this package write an effect.
LETTERS: dict[str, tuple[Effect, bool]] = {
    "r": (Effect.READ, False),
    "c": (Effect.READ, False),  # a check: test, lint or build run, reads the whole working tree
    "p": (Effect.READ, False),  # a poll: watches something that changes by itself
    "m": (Effect.MUTATION, False),
    "a": (Effect.MUTATION, True),
    "u": (Effect.UNKNOWN, False),
}


def lettered(letter: str, source: str) -> Verdict:
    """The verdict that a table's letter stands for."""
    effect, adds = LETTERS[letter]
    return Verdict(effect, adds, source)


UNKNOWN = Verdict(Effect.UNKNOWN, False, "unknown")
