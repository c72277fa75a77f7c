"""The index finds whatever reading every text would find."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxaudit.knowledge.mentions import mentions
from ctxaudit.word_index import COMMON, WordIndex

values = st.text(alphabet="ab1_-/.#é ", min_size=1, max_size=8)
around = st.sampled_from(["", " ", "\n", '"', "(", "x", "\\n", "/", "é", "."])


@given(st.lists(st.tuples(around, values, around, st.booleans()), max_size=12), values)
def test_nothing_is_missed(parts: list[tuple[str, str, str, bool]], value: str) -> None:
    index, texts = WordIndex(), {}
    for n, (left, held, right, as_json) in enumerate(parts):
        text = f"{left}{held}{right}"
        texts[f"t{n}"] = json.dumps({"k": text}) if as_json else text
        index.add(f"t{n}", texts[f"t{n}"])
    for wanted in (value, *(held for _, held, _, _ in parts)):
        holding = {name for name, text in texts.items() if mentions(text, wanted)}
        assert holding <= set(index.candidates(wanted))


@pytest.mark.parametrize("value", ["run_8841", "common", "common run_8841"])
def test_common_words_tell_nothing(value: str) -> None:
    index = WordIndex()
    for n in range(2 * COMMON):
        index.add(f"t{n}", f"common {'run_8841' if n == 7 else ''}")
    assert "t7" in index.candidates(value)
    assert len(list(index.candidates("run_8841"))) == 1
    assert len(list(index.candidates("common"))) == 2 * COMMON
