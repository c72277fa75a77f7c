"""What is a compaction summary, what only speaks of one, and where summaries point."""

from __future__ import annotations

import time

import pytest

from ctxaudit.knowledge.summaries import is_summary, pointers

SUMMARIES = [
    "This session is being continued from a previous conversation that ran out of context. ...",
    "The conversation is summarized below:\n- x",
    "[CONTEXT COMPACTION — REFERENCE ONLY] the job runs at two",
    "[PRIOR CONTEXT] x",
    "[Your active task list was preserved across context compression]\n1. x",
    "<state_snapshot>\n<overall_goal>x</overall_goal>",
    "<conversation-summary>One test failed.</conversation-summary>",
    "<summary>a has b and c.</summary>",
    "[summary] a.py was read",
    "[boundary] Tool schemas were discarded. Loadable: a, b. Summary: up.",
    "[Conversation summary] APIs found: x",
    "[Compaction summary] The user wants x",
    "[Summary of earlier conversation] The space was listed",
    "[CONTEXT SUMMARY]: the user wants x",
    "Summary: the user wants units 7 and 8 audited. Reports go to out/.",
    "Summary: the lookup is slow. Plan: 1. Replace the cache.",
    "## Conversation summary\n\nThe user wants x",
    "Handoff notes:\n- task 1 is done",
    "The conversation history before this point was compacted into the following summary:\n\nx",
    "The following is a summary of a branch that this conversation came back from:",
    "Previous context has been compacted. Here is the compaction output:\nx",
    "Here is a summary of the conversation to date:\n\nx",
    "Here's the summary of our conversation so far: x",
    "You are in the middle of a conversation that has been summarized.\nx",
    "The previous session was interrupted because it got too long, the initial user request was: x",
    "Another language model started to solve this problem and produced a summary of its thinking",
    "Your context was compacted. The previous message contains a summary",
    "<SYSTEM_NOTICE>Earlier context was compacted...",
    "Error generating summary: timeout",
    "以下是之前对话的摘要:用户想要 x",
    "これまでの会話の要約: x",
    "이전 대화 요약: x",
    "Zusammenfassung des bisherigen Gesprächs: x",
    "Résumé de la conversation précédente : x",
]


@pytest.mark.parametrize("text", SUMMARIES)
def test_summary(text):
    assert is_summary(text)


NO_SUMMARIES = [
    "",
    "Summary: please write a summary of this doc",
    "Summary: can you give me one?",
    "Please summarize the conversation.",
    "Write a summary of the file",
    "<summary> please produce one",
    "can you do me a summary of the cases?",
    "All tests pass. Here's a summary of the fix:",
    "Here's a summary of the changes to the parser:",
    "Here is the file",
    "=========== short test summary info ===========",
    "The summary column is empty",
    "Summary statistics are wrong, fix them",
    "package summarize",
    "Previous results were wrong.",
    "## Summary\n\nI have created the components.",
    "## Summary: Empty checkpoints are not written",
    "Zusammenfassung der Datei bitte",
    "总结一下这个文件",
]


@pytest.mark.parametrize("text", NO_SUMMARIES)
def test_no_summary(text):
    assert not is_summary(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error generating summary: 500",
        "Previous conversation was too long to summarize.",
        "Summary generation failed. 9 earlier messages were removed to free context.",
        "Here is a summary of the conversation to date:\n\nError generating summary: x",
        "No summary available.",
    ],
)
def test_what_stands_for_a_summary_that_failed_is_one(text):
    assert is_summary(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The full conversation history has been saved to /h/s-1.md should you", ("/h/s-1.md",)),
        ("Output too large. Full output saved to: /t/a.txt\n", ("/t/a.txt",)),
        ("read the full transcript at: /p/x.jsonl.", ("/p/x.jsonl",)),
        ("was saved in the filesystem at this path: /large/c1", ("/large/c1",)),
        ("For full output see: /t/b.txt", ("/t/b.txt",)),
        ("Recovery: call retrieve_tool_result with ref=sha:ab12", ("sha:ab12",)),
        ("read artifact://77 for the rest", ("artifact://77",)),
        ("[Compressed: doc_9 — 40 lines, json. Use x tool to get full content.]", ("doc_9",)),
        ("For details refer to `notes/plan.md`.", ("notes/plan.md",)),
        ("Reports were saved to the cloud.", ()),
        ("refer to the manual", ()),
        ("read it again", ()),
        ("", ()),
    ],
)  # fmt: skip
def test_pointers(text, expected):
    assert pointers(text) == expected


@pytest.mark.parametrize("piece", ["saved to ", "Summary: ", "[", "read a", "x/", "ref=", "# "])
def test_hostile_text_is_cheap(piece):
    text = (piece * 40_000)[:200_000]
    start = time.perf_counter()
    is_summary(text)
    pointers(text)
    assert time.perf_counter() - start < 1
