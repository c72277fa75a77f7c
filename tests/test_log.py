"""What a log may be: file, stream, archive, folder or database; and how each can be bad."""

from __future__ import annotations

import gzip
import sqlite3
import sys
import zipfile
from pathlib import Path

import pytest

from ctxaudit.adapters import requests
from ctxaudit.audit import Input, audit, expand
from ctxaudit.log import Log, Record, Source


def read(path: Path) -> tuple[list[tuple[int, object]], list[tuple[int, str]], list[str]]:
    """Records as (line, data), problems as (line, message), and notes."""
    log = Log(str(path))
    records = [(record.line, record.data) for record in log]
    return records, [(p.line, p.message) for p in log.problems], log.notes


def test_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n[2]\r\n')
    assert read(path) == ([(1, {"a": 1}), (3, [2])], [], [])
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert read(path) == ([(1, {"a": 1}), (3, [2])], [], [])


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2}]', '[{"a": 1}, {"a": 2}]\n\n'])
def test_a_document_on_one_line_is_its_items(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert [(record.line, record.data) for record in Log(str(path))] == [
        (1, {"a": 1}),
        (1, {"a": 2}),
    ]


def test_lines_that_are_lists_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("[1]\n[2]\n")
    assert read(path)[0] == [(1, [1]), (2, [2])]


def test_a_document_is_its_items(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[\n {"a": 1},\n {"a": 2}\n]\n')
    assert read(path) == ([(1, {"a": 1}), (1, {"a": 2})], [], [])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"a": 1}\n{oops}\n{"a": 2}\n', (2, "not JSON")),
        (b'{"a": 1}\n{"a": "\xff"}\n{"a": 2}\n', (2, "invalid UTF-8")),
        (b'{"a": 1}\n' + b"[" * 100_000 + b"]" * 100_000 + b"\n" + b'{"a": 2}\n', (2, "nested")),
    ],
    ids=["no JSON", "bytes", "depth"],
)
def test_a_bad_line_does_not_hide_the_others(
    content: bytes, problem: tuple[int, str], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    records, problems, _ = read(path)
    assert [records[0], records[-1]] == [(1, {"a": 1}), (3, {"a": 2})]
    ((line, message),) = problems
    assert line == problem[0]
    assert message.startswith(problem[1]) or problem[1] in message


def test_not_a_number_is_read_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": NaN}\n{"a": -Infinity}\n')
    assert read(path) == ([(1, {"a": None}), (2, {"a": None})], [], [])


def test_half_a_last_line_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": "hal')
    records, problems, notes = read(path)
    assert (records, problems) == ([(1, {"a": 1})], [])
    assert notes == ["line 2 is cut off: the log may still be being written"]


def test_a_record_that_is_too_deep_for_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n{}\n")
    log = Log(str(path))

    def build(record: Record) -> int:
        if record.line == 1:
            raise RecursionError
        return record.line

    assert list(Source((log,)).each(build)) == [2]
    assert [(p.line, p.message) for p in log.problems] == [(1, "nested too deeply")]


def test_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.json", '{"a": 1}')
        archive.writestr("notes.txt", "no")
        archive.writestr("two.json", "{")
    records, problems, _ = read(path)
    assert records == [(1, {"member": "one.json", "data": {"a": 1}})]
    assert [line for line, _ in problems] == [3]


def test_a_folder_is_read_in_natural_order(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    for number in (10, 9, 1):
        (tmp_path / "events" / f"{number}.json").write_text(f'{{\n"n": {number}}}')
    (tmp_path / "base.jsonl").write_text('{"n": 0}\n{"n": 0.5}\n')
    (tmp_path / "events" / "11.json").write_text('{"n": ]}\n')
    (tmp_path / "readme.md").write_text("not a member")
    log = Log(str(tmp_path))
    told = [(Path(r.path).name, r.line, r.data["member"], r.data["data"]["n"]) for r in log]
    assert told == [
        ("base.jsonl", 1, "base.jsonl", 0),
        ("base.jsonl", 2, "base.jsonl", 0.5),
        ("1.json", 1, "events/1.json", 1),
        ("9.json", 1, "events/9.json", 9),
        ("10.json", 1, "events/10.json", 10),
    ]
    ((path, line),) = [(p.path, p.line) for p in log.problems]
    assert (path, line) == (f"{tmp_path}/events/11.json", 1)


def test_a_database(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE said (id INTEGER, text TEXT, extra BLOB);"
        "CREATE TABLE about (name TEXT);"
        "INSERT INTO said VALUES (1, 'a', x'ff'), (2, 'b', x'63');"
        "INSERT INTO about VALUES ('s');"
    )
    base.close()
    assert read(path) == (
        [
            (1, {"member": "about", "data": {"name": "s"}}),
            (1, {"member": "said", "data": {"id": 1, "text": "a", "extra": None}}),
            (2, {"member": "said", "data": {"id": 2, "text": "b", "extra": "c"}}),
        ],
        [],
        [],
    )
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    records, problems, _ = read(path)
    assert records == []
    ((line, message),) = problems
    assert line == 0
    assert message.startswith("database cannot be read")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_search_for_logs_ends(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_text("{}\n")
    (tmp_path / "deep" / "again").symlink_to(tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "b.jsonl").write_text("{}\n")
    assert [item.path for item in expand([str(tmp_path)])] == [str(tmp_path / "deep" / "a.jsonl")]


def test_a_line_of_a_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    call = b'{"messages": [{"role": "user", "content": "%s"}], "model": "m"}\n'
    path.write_bytes(call % b"hello" + call % (b"x" * 100_000_000))
    (report,) = audit([Input(str(path))])
    assert report.format == requests.NAME
    assert report.problems == []
    assert sum(session.turns for session in report.sessions) == 2
