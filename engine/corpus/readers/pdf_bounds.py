"""Refuses a PDF whose page descriptions would unpack to more than memory can hold.

PDFium unpacks a page as a whole and keeps about a hundred times its size, so that a file of a few
kilobytes could take all memory. Pictures are left out: it does not unpack them for their text.
"""

from __future__ import annotations

import mmap
import re
import zlib
from pathlib import Path

from store.errors import InputError

LARGEST_STREAM = 16 * 1024 * 1024
"""Bytes of one unpacked stream; a page of print has some thousands."""

_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 2048
"""Bytes before a stream that are searched for what it holds."""
_STEP = 1 << 16


def check_streams(path: Path) -> None:
    """Raises InputError when a stream of the file is too large."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for match in _STREAM.finditer(data):
            start = match.start()
            if data[start - 3 : start] == b"end" or _is_picture(data, start):
                continue
            if _unpacks_beyond(data, match.end()):
                raise InputError(
                    f"the PDF has a page that unpacks to more than {LARGEST_STREAM:,} bytes"
                )


def _is_picture(data: mmap.mmap, start: int) -> bool:
    begin = data.rfind(b" obj", max(0, start - _DICTIONARY), start)
    return b"/Image" in data[max(begin, 0) : start]


def _unpacks_beyond(data: mmap.mmap, start: int) -> bool:
    """Whether the deflated data at `start`, if there is any, exceeds the limit."""
    unpack = zlib.decompressobj()
    size = 0
    try:
        while not unpack.eof and size <= LARGEST_STREAM:
            packed = unpack.unconsumed_tail
            if not packed:
                packed = data[start : start + _STEP]
                start += _STEP
            if not packed:
                break
            size += len(unpack.decompress(packed, _STEP))
    except zlib.error:
        return False
    return size > LARGEST_STREAM
