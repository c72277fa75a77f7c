"""A conversation that is a list of chat messages: each read once, turns out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxaudit.adapters import openai_chat
from ctxaudit.adapters.stated import Conversation
from ctxaudit.model import Gap, Kind, Turn
from ctxaudit.pieces import Piece, sound


class Chat:
    """A conversation of messages, with the spans of each.

    ``pieces`` reads a message; without it they are those of the chat API. A result that does not
    tell its call is that of the first call of the last answer that has none yet.
    """

    def __init__(
        self,
        name: str,
        path: str,
        gaps: Iterable[Gap] = (),
        pieces: Callable[[Any], list[Piece]] = openai_chat.pieces,
    ) -> None:
        self.talk = Conversation(name, path, gaps)
        self.spans: list[list[str]] = []
        self._pieces = pieces
        self._open: list[str] = []  # calls without a result

    def take(
        self, message: dict[str, Any], line: int, *, kind: Kind | None = None
    ) -> Iterator[Turn]:
        """Read a message; ``kind`` is what its text is, where that is known better: then it is no
        answer of the model.

        Raises: TypeError, KeyError or AttributeError if it is none.
        """
        found = sound(self._pieces(message))
        mark = self.talk.mark()
        if message.get("role") == "assistant" and kind is None:
            usage = message.get("usage")
            tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
            calls = [piece for piece in found if piece.kind is Kind.CALL]
            turn = self.talk.answer(
                line,
                text=_joined(found, Kind.ASSISTANT),
                reasoning=_joined(found, Kind.REASONING),
                calls=[(p.call or "", p.tool or "", p.arguments) for p in calls],
                tokens=tokens if isinstance(tokens, int) and tokens else None,
            )
            named = zip(calls, turn.calls, strict=True)
            self._open = [piece.call or made.id for piece, made in named]
            yield turn
        else:
            self.enter(found, line, kind)
        self.spans.append(self.talk.since(mark))

    def enter(self, found: list[Piece], line: int, kind: Kind | None = None) -> None:
        """What comes into the prompt without being an answer."""
        for piece in found:
            if piece.kind is Kind.RESULT:
                call = piece.call or next(iter(self._open), "")
                self._open = [other for other in self._open if other != call]
                if call:
                    self.talk.result(call, piece.text, line, piece.failed)
                else:
                    self.talk.says(Kind.USER, piece.text, line)
            elif piece.kind is Kind.CALL:
                self.talk.carried(piece.call or "", piece.tool or "", piece.arguments, line)
            else:
                self.talk.says(kind or piece.kind, piece.text, line)


def _joined(found: list[Piece], kind: Kind) -> str:
    return "\n".join(piece.text for piece in found if piece.kind is kind)
