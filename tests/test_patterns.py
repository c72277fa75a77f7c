"""Regular expressions that are compiled when first used: all of them are valid ones."""

from __future__ import annotations

import gc
import re
from importlib import import_module

import pytest
from test_layers import modules

from ctxaudit.patterns import _Lazy, regex


def test_every_pattern_compiles() -> None:
    for name, _ in modules():
        import_module("ctxaudit." + name.replace("/", ".").removesuffix(".__init__"))
    found = [one for one in gc.get_objects() if type(one) is _Lazy]
    assert len(found) > 100
    for one in found:
        re.compile(one._source, one._flags)


def test_it_is_used_as_a_compiled_one() -> None:
    number = regex(r"(\d+)", re.ASCII)
    assert number.findall("1 and 2") == ["1", "2"]
    assert number.sub("n", "1 and 2") == "n and n"
    assert number.pattern == r"(\d+)"
    with pytest.raises(re.error):
        regex("(").search("")
