"""What is inside a result's wrapping."""

from __future__ import annotations

import pytest

from ctxaudit.knowledge.envelopes import unwrap


@pytest.mark.parametrize(
    ("text", "body", "code"),
    [
        ("Exit code 1\nboom", "boom", 1),
        ("boom\n\nCommand exited with code 2", "boom\n\nCommand exited with code 2", 2),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nhi\n", "hi\n", 0),
        ('{"output":"hi","metadata":{"exit_code":0}}', "hi", 0),
        ("<error>bad</error>", "bad", None),
        ('[{"type":"text","text":"a"}]', "a", None),
        ("plain", "plain", None),
    ],
)
def test_unwrap(text, body, code):
    envelope = unwrap(text)
    assert (envelope.text, envelope.exit) == (body, code)
