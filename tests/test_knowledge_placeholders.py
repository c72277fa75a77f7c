"""Stubs in the wild, and texts that only look like them."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.placeholders import StubKind, embedded, stub

STUBS = [
    ("[Old tool result content cleared]", StubKind.CLEARED, None),
    ("  [Old tool result content cleared]\n", StubKind.CLEARED, None),
    ("[cleared]", StubKind.CLEARED, None),
    ("[Content cleared to save context]", StubKind.CLEARED, None),
    ("[Old large output cleared to save context space]", StubKind.CLEARED, None),
    ("[Tool output pruned — was 14,203 chars]", StubKind.CLEARED, None),
    ("[terminal] ran `npm test` -> exit 0, 47 lines output", StubKind.CLEARED, None),
    ("[search_files] content search for 'x' in src/ -> 4 matches", StubKind.CLEARED, None),
    ("[read_file] tool result pruned (512 bytes; args: path=a)", StubKind.CLEARED, None),
    ("[screenshot pruned to save context - take another]", StubKind.CLEARED, None),
    ("[12 earlier messages removed to free context space]", StubKind.CLEARED, None),
    ("9 earlier messages were removed to free context. Tools used: a, b.", StubKind.CLEARED, None),
    ("[Tool references removed - tool search not enabled]", StubKind.CLEARED, None),
    ("[旧工具结果内容已清除]", StubKind.CLEARED, None),
    ("【旧的工具输出已清理】", StubKind.CLEARED, None),
    ("[Älteres Werkzeugergebnis gelöscht]", StubKind.CLEARED, None),
    ("[古いツールの出力は省略されました]", StubKind.CLEARED, None),
    ('{"output": "[Old tool result content cleared]"}', StubKind.CLEARED, None),
    ('[{"type": "text", "text": "[cleared]"}]', StubKind.CLEARED, None),
    ("<MASKED>", StubKind.CLEARED, None),
    ("Output too large. Full output available at: /tmp/o-1.txt", StubKind.SPILLED, "/tmp/o-1.txt"),
    (
        "<persisted-output>\nOutput too large (61KB). Full output saved to: /h/t/a.txt\n\n"
        "Preview:\nline 1\n</persisted-output>",
        StubKind.SPILLED,
        "/h/t/a.txt",
    ),
    (
        "<tool_output_masked>\n[Tool shell string (2MB, 9 lines) masked to preserve context "
        "window. Full string saved to: /t/m.txt]\n</tool_output_masked>",
        StubKind.SPILLED,
        "/t/m.txt",
    ),
    (
        "Tool result too large, the result of this tool call c_1 was saved in the filesystem "
        "at this path: /large_tool_results/c_1\n\nHere are the first lines:\n1 a\n2 b",
        StubKind.SPILLED,
        "/large_tool_results/c_1",
    ),
    ("[Large output offloaded to /var/spool/7.txt]", StubKind.SPILLED, "/var/spool/7.txt"),
    (
        "File unchanged since last read. The content from the earlier Read tool_result in this "
        "conversation is still current — refer to that instead of re-reading.",
        StubKind.UNCHANGED,
        None,
    ),
    (
        '{"status":"unchanged","message":"same","path":"a/b.py","content_returned":false}',
        StubKind.UNCHANGED,
        "a/b.py",
    ),
    ("[Tool result missing due to internal error]", StubKind.REPAIR, None),
    (
        "[anyclaw] missing tool result in session history; inserted synthetic error result "
        "for transcript repair.",
        StubKind.REPAIR,
        None,
    ),
    ("[Request interrupted by user for tool use]", StubKind.REPAIR, None),
    ("aborted by user after 12.4s", StubKind.REPAIR, None),
    ("[truncated: output exceeded context limit]", StubKind.TRUNCATED, None),
    ("[Output truncated - 900 tokens]", StubKind.TRUNCATED, None),
    ("... [truncated: 4000 chars removed] ...", StubKind.TRUNCATED, None),
]


@pytest.mark.parametrize(("text", "kind", "target"), STUBS)
def test_stub(text, kind, target):
    found = stub(text)
    assert found is not None
    assert (found.kind, found.target) == (kind, target)


CONTENT = [
    "",
    "No matches found",
    "[]",
    "[1, 2]",
    '["output removed"]',
    "[Messages](docs/removed.md)",
    "[3 messages deleted]",
    "[report saved]",
    "[INFO] cache cleared [ok]",
    "# notes\n[Old tool result content cleared]\n",
    'PLACEHOLDER = "[Old tool result content cleared]"',
    "The user aborted",
    '{"status": "unchanged", "rows": 4}',
    '{"output": "done", "path": "x", "exit": 0}',
    "(see the results below)",
    "src/prune.py:12: [cleared]",
    "Cache cleared.",
    "[内容]",
]


@pytest.mark.parametrize("text", CONTENT)
def test_content_is_no_stub(text):
    assert stub(text) is None


CARRIED = [
    "[Old tool result content cleared]",
    "[cleared]",
    "# Report\n\n[Old tool result content cleared]\n\nEnd.",
    "a = 1\n    [Older tool output elided to save context — re-run the tool if needed.]\n",
    "cat > f <<EOF\n[Old tool result content cleared]\nEOF",
    "- Findings: [Old tool result content cleared]",
    "first half of the text ...(argument truncated)",
    "[TOOL TOMBSTONE] 'update_x' schema withheld; request re-expansion before calling.",
    "[旧工具结果内容已清除]",
]


@pytest.mark.parametrize("value", CARRIED)
def test_embedded(value):
    phrase = embedded(value)
    assert phrase
    assert phrase in value


TALK = [
    "ordinary text",
    'STUB = "[Old tool result content cleared]"',
    "the pruner writes `[Old tool result content cleared]` there",
    "```\n[Old tool result content cleared]\n```",
    'TEXT = """\n[Old tool result content cleared]\n"""',
    "We saw [Old tool result content cleared] in the request.",
    "The placeholder text: [Old tool result content cleared]",
    "if text == '[cleared]':",
    "- [x] results cleared\n- [ ] output pruned",
    '["[Old tool result content cleared]", "x"]',
    "[cleared]\nthe table\n",
    "[Request interrupted by user]",
    "messages:\n  - [removed]\n",
    "$ make\n[output omitted]\n",
    "[tool.output.truncated]\nx = 1\n",
]


@pytest.mark.parametrize("value", TALK)
def test_talk_about_stubs_is_not_embedded(value):
    assert embedded(value) is None


@pytest.mark.parametrize(
    "piece", ["[", "<persisted-output>", "[a] -> ", "saved to: ", "saved to: x\n", "ref=", "x\n"]
)
def test_hostile_text_is_cheap(piece):
    text = (piece * 60_000)[:60_000]
    start = time.perf_counter()
    stub(text)
    for head in ("<persisted-output>\n", "<tool_output_masked>", "TOOL_RESULT_REF "):
        stub(head + text)
    embedded("[" + text)
    assert time.perf_counter() - start < 1
