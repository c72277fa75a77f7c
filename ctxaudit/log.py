"""A log is a file of JSON values, one a line or one in all. It knows lines, not meaning."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import orjson

from ctxaudit import stores
from ctxaudit.errors import WRONG_SHAPE, LogError
from ctxaudit.frozen import frozen
from ctxaudit.repeats import Parser

T = TypeVar("T")
BUFFER = 1 << 18  # bytes; lines of request logs are long
HEAD = 40  # records that detection may look at
BOM = b"\xef\xbb\xbf"
STDIN, STDIN_NAME = "-", "<stdin>"
MAGIC_GZIP = b"\x1f\x8b"
MAGIC_ZIP = b"PK\x03\x04"
MAGIC_ZSTD = b"\x28\xb5\x2f\xfd"


@frozen
class Record:
    """One JSON value of a log. ``line`` is 1-based; all parts of a one-document log have line 1."""

    path: str
    line: int
    data: Any


@frozen
class Problem:
    """Something in a log that could not be read. ``line`` is 0 when the whole file is meant.

    ``nothing``: there is nothing in the log that could be audited (it is empty, of no known
    format, or holds no turn), as opposed to something that is damaged.
    """

    path: str
    line: int
    message: str
    nothing: bool = False


@dataclass(slots=True)
class Log:
    """One input file, read line by line. ``problems`` and ``notes`` fill while it is iterated.

    A folder or a database that is one log gives a record for every value in its files or rows, as
    ``{"member": file or table, "data": value}``; so does an archive.
    """

    path: str
    name: str = ""
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    empty: bool = True
    _ahead: list[Record] | None = None
    _rest: Iterator[Record] | None = None

    def __post_init__(self) -> None:
        self.name = self.name or self.path

    def head(self) -> list[Any]:
        """The first JSON values, for detection; they are not lost for the iteration."""
        self._rest = self._records()
        self._ahead = list(islice(self._rest, HEAD))
        return [record.data for record in self._ahead]

    def __iter__(self) -> Iterator[Record]:
        if self._ahead is None or self._rest is None:
            return self._records()
        ahead, rest, self._ahead, self._rest = self._ahead, self._rest, None, None
        return chain(ahead, rest)

    def damaged(self, line: int, message: str) -> None:
        """Take note of something unreadable; the rest of the log goes on."""
        self.problems.append(Problem(self.name, line, message))

    def _records(self) -> Iterator[Record]:
        self.problems, self.notes = [], []
        try:
            if self.path != STDIN and Path(self.path).is_dir():
                yield from self._folder()
                return
            with _opened(self.path) as stream:
                magic = stream.peek(16) if isinstance(stream, io.BufferedReader) else b""
                if magic.startswith(stores.MAGIC_SQLITE):
                    yield from self._rows()
                elif magic.startswith(MAGIC_ZIP):
                    yield from self._members(stream)
                else:
                    yield from self._lines(stream)
        except (OSError, EOFError, LogError) as error:
            self.damaged(0, _reason(error))
        except Exception as error:
            # zstandard raises its own ZstdError, a plain Exception, for a damaged stream.
            if type(error).__name__ != "ZstdError":
                raise
            self.damaged(0, f"damaged zstd stream: {error}")

    def _folder(self) -> Iterator[Record]:
        for name, path in stores.members(Path(self.path)):
            file = Log(str(path), f"{self.name}/{name}")
            for record in file:
                yield Record(file.name, record.line, {"member": name, "data": record.data})
            self.empty &= file.empty
            self.problems += file.problems
            self.notes += [f"{name}: {note}" for note in file.notes]

    def _rows(self) -> Iterator[Record]:
        self.empty = False
        if self.path == STDIN:
            raise LogError("a database cannot be read from standard input: name the file")
        for table, number, row in stores.rows(self.path):
            yield Record(self.name, number, {"member": table, "data": row})

    def _members(self, stream: IO[bytes]) -> Iterator[Record]:
        from ctxaudit import archives

        self.empty = False
        for number, (name, content) in enumerate(archives.members(stream), 1):
            if not name.endswith(".json"):
                continue
            try:
                yield Record(self.name, number, {"member": name, "data": orjson.loads(content)})
            except orjson.JSONDecodeError as error:
                self.damaged(number, f"{name}: not JSON: {error}")

    def _lines(self, stream: IO[bytes]) -> Iterator[Record]:
        number, parser = 0, Parser()
        listed: list[Any] | None = None  # a first line that may be the whole document
        for raw in stream:
            number += 1
            if number == 1 and raw.startswith(BOM):
                raw = raw[len(BOM) :]
            if raw.isspace():
                continue
            if listed is not None:
                yield Record(self.name, 1, listed)
                listed = None
            if self.empty:
                self.empty = False
                if b"\0" in raw[:4096]:
                    raise LogError("binary file, not a log of JSON lines")
            try:
                value = parser.loads(raw)
                if number == 1 and isinstance(value, list):
                    listed = value
                else:
                    yield Record(self.name, number, value)
            except orjson.JSONDecodeError as error:
                if b"\0" in raw[:4096]:
                    raise LogError("binary file, not a log of JSON lines") from None
                begins = raw.lstrip()[:1] in (b"{", b"[")
                if number == 1 and begins and (rest := stream.read()):
                    if (document := self._document(raw + rest)) is not None:
                        yield from document
                        return
                    stream = io.BytesIO(rest)
                    yield from self._after_bad_first(raw, rest, error)
                    return
                yield from self._repaired(number, raw, str(error))
        yield from self._items(listed or [])

    def _items(self, document: list[Any]) -> list[Record]:
        """A list that is a whole log is its items."""
        return [Record(self.name, 1, item) for item in document]

    def _after_bad_first(
        self, raw: bytes, rest: bytes, error: orjson.JSONDecodeError
    ) -> Iterator[Record]:
        yield from self._repaired(1, raw, str(error))
        for number, line in enumerate(io.BytesIO(rest), 2):
            if text := line.strip():
                try:
                    yield Record(self.name, number, orjson.loads(text))
                except orjson.JSONDecodeError as later:
                    yield from self._repaired(number, line, str(later))

    def _document(self, raw: bytes) -> list[Record] | None:
        """One JSON document over many lines."""
        try:
            document = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return None
        return self._items(document if isinstance(document, list) else [document])

    def _repaired(self, number: int, raw: bytes, reason: str) -> Iterator[Record]:
        """What can be made of a line that is not JSON: half a last line, NaN, wrong bytes."""
        if not raw.endswith(b"\n"):
            self.notes.append(f"line {number} is cut off: the log may still be being written")
            return
        try:
            raw.decode()
            note = None
        except UnicodeDecodeError:
            note = "invalid UTF-8, read with replacement characters"
        try:
            value = json.loads(raw.decode(errors="replace"), parse_constant=lambda _: None)
        except RecursionError:
            self.damaged(number, "JSON nested too deeply")
            return
        except ValueError:
            self.damaged(number, f"not JSON: {reason}")
            return
        if note:
            self.damaged(number, note)
        yield Record(self.name, number, value)


@dataclass(slots=True)
class Source:
    """The logs that an adapter reads as one stream: usually one, several where a session goes
    on."""

    logs: tuple[Log, ...]

    def __iter__(self) -> Iterator[Record]:
        for log in self.logs:
            yield from log

    @property
    def is_folder(self) -> bool:
        """Whether the records are those of the files of a folder."""
        return any(log.path != STDIN and Path(log.path).is_dir() for log in self.logs)

    def each(
        self,
        build: Callable[[Record], T | None],
        order: Callable[[Record], float] | None = None,
    ) -> Iterator[T]:
        """``build`` over every record, in their order or in the one that is asked for; one whose
        shape is wrong is told as damaged and passed over.
        """
        for log in self.logs:
            for record in sorted(log, key=order) if order else log:
                try:
                    built = build(record)
                except WRONG_SHAPE as error:
                    self.damaged(record.path, record.line, error)
                    continue
                if built is not None:
                    yield built

    def through(
        self, build: Callable[[Record], Record | None], take: Callable[[Record], Iterable[T]]
    ) -> Iterator[T]:
        """``take`` over every record that ``build`` lets through; one of a shape that is wrong to
        either is told as damaged and passed over.
        """
        for record in self.each(build):
            try:
                yield from take(record)
            except WRONG_SHAPE as error:
                self.damaged(record.path, record.line, error)

    def damaged(self, path: str, line: int, error: Exception) -> None:
        """Take note of a record of another shape; ``path`` is a log, or a file of one."""
        log = next((log for log in self.logs if _is_of(path, log)), self.logs[0])
        deep = isinstance(error, RecursionError)
        log.damaged(line, "nested too deeply" if deep else f"unexpected shape: {_reason(error)}")

    def note(self, text: str) -> None:
        """Something that the reader of the report should know of the log; the same is told once."""
        if text not in self.logs[0].notes:
            self.logs[0].notes.append(text)


def _is_of(path: str, log: Log) -> bool:
    return path == log.name or path.startswith(f"{log.name}/")


def member(data: Any) -> tuple[str | None, Any]:
    """The name and the value of a member of a folder, an archive or a database; None and the value
    itself of a log that is one file."""
    if isinstance(data, dict) and "member" in data:
        return str(data["member"]), data.get("data")
    return None, data


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """A file or standard input, unpacked where its first bytes say gzip or zstd.

    Raises: OSError if it cannot be opened.
    """
    if path == STDIN:
        yield _unpacked(sys.stdin.buffer)
    else:
        with Path(path).open("rb", buffering=BUFFER) as raw:
            yield _unpacked(raw)


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    magic = raw.peek(4)[:4] if isinstance(raw, io.BufferedReader) else b""
    if magic[:2] == MAGIC_GZIP:
        import gzip

        return cast(IO[bytes], gzip.open(raw))
    return _zstd(raw) if magic == MAGIC_ZSTD else raw


def _zstd(raw: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return cast(IO[bytes], zstd.open(raw))
    import zstandard

    return io.BufferedReader(
        zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    )


def _reason(error: Exception) -> str:
    """A one-line reason without the path, which the reader has already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:200] or type(error).__name__
