"""How many tokens a text has: estimated from its length, or counted by an offline tokenizer.

The extra ``tokens`` brings the tokenizer with its vocabularies; nothing is ever loaded from
elsewhere. It is another model's, unless the log is of that model, and slow: an estimate is the
default.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ctxaudit.errors import ConfigError

#: Characters a token of text that is mostly JSON.
CHARS_PER_TOKEN = 4.4
ESTIMATE = "estimate"
NAMES = (ESTIMATE, "o200k_base", "cl100k_base")
LONGEST = 500_000  # characters that are encoded at once
Counter = Callable[[str], float]


def estimate(text: str) -> float:
    """Tokens by the length of a text."""
    return len(text) / CHARS_PER_TOKEN


@cache
def counter(name: str) -> Counter:
    """What counts tokens. Raises: ConfigError if it is not installed or of no known name."""
    if name == ESTIMATE:
        return estimate
    if name not in NAMES:
        raise ConfigError(f"tokens: no tokenizer is called {name!r}; there are {', '.join(NAMES)}")
    try:
        from bpe_openai import get_encoding
    except ImportError:
        raise ConfigError(
            f"tokens: {name} needs the extra `tokens`: pip install '.[tokens]'"
        ) from None
    encode = get_encoding(name).encode_ordinary

    def exact(text: str) -> float:
        clean = text.encode("utf-8", "replace").decode()
        parts = range(0, len(clean), LONGEST)
        return float(sum(len(encode(clean[at : at + LONGEST])) for at in parts))

    return exact
