"""Members of a zip archive, also those packed with zstd, which Python before 3.14 cannot unpack."""

from __future__ import annotations

import struct
import sys
import zipfile
from collections.abc import Iterator
from typing import IO

from ctxaudit.errors import LogError

ZSTD = 93
LOCAL_HEADER = 30  # bytes before the member's name, whose length and the extra field's end it


def members(stream: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """The members of an archive in its order, as (name, content).

    Raises: LogError if it is damaged or packed in a way that is not known.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                if info.compress_type == ZSTD and sys.version_info < (3, 14):
                    yield info.filename, _unpacked(stream, info)
                else:
                    yield info.filename, archive.read(info)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise LogError(f"damaged archive: {error}") from error


def _unpacked(stream: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    import zstandard

    stream.seek(info.header_offset)
    header = stream.read(LOCAL_HEADER)
    name, extra = struct.unpack("<HH", header[26:30])
    stream.seek(name + extra, 1)
    packed = stream.read(info.compress_size)
    unpacker = zstandard.ZstdDecompressor()
    return unpacker.decompress(packed, max_output_size=info.file_size or 1)
