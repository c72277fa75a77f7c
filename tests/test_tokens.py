"""Tokens: estimated, or counted by a tokenizer that may not be installed."""

from __future__ import annotations

import sys

import pytest
from conftest import FIXTURES

from ctxaudit.audit import Input, Options, audit
from ctxaudit.errors import ConfigError
from ctxaudit.settings import Settings
from ctxaudit.tokens import counter

ORPHAN = FIXTURES / "demo" / "orphan.requests.jsonl"


def test_an_estimate_goes_by_length() -> None:
    assert counter("estimate")("x" * 44) == pytest.approx(10)


def test_a_tokenizer_counts() -> None:
    pytest.importorskip("bpe_openai", reason="the extra `tokens` is not installed")
    count = counter("o200k_base")
    assert count("hello world") == 2
    assert count("half \ud800 a pair") > 3
    assert count("word " * 200_000) > 100_000  # more than the tokenizer takes at once
    told = []
    for name in ("estimate", "o200k_base"):
        (report,) = audit([Input(str(ORPHAN))], Options(settings=Settings(tokens=name)))
        told.append(report.sessions[0].metrics["pruned_tokens_estimate"])
    assert told[0] != told[1]
    assert all(told)


def test_one_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(ConfigError, match=r"needs the extra `tokens`"):
        counter.__wrapped__("cl100k_base")
    with pytest.raises(ConfigError, match="no tokenizer is called 'gpt'"):
        counter("gpt")
