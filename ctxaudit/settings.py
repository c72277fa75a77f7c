"""What a user can set about the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ctxaudit.frozen import frozen
from ctxaudit.own_handles import OwnHandles
from ctxaudit.tokens import ESTIMATE


@frozen
class Settings:
    """``tools`` maps a tool's name or glob to ``read``, ``mutation`` or ``adds``; ``hints`` are
    the MCP hints of tools by name.

    ``window`` is the number of turns after a rejected call in which its recovery is looked for;
    ``handles`` are identifiers beside those that are known; ``tokens`` is how tokens are counted.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    window: int = 5
    handles: OwnHandles = field(default_factory=OwnHandles)
    tokens: str = ESTIMATE
