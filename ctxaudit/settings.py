"""What a user can set about the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """``tools`` maps a tool's name or glob to ``read``, ``mutation`` or ``adds``.

    ``window`` is the number of turns after a rejected call in which its recovery is looked for.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    window: int = 5
