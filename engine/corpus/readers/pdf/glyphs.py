"""Reads the characters of a PDF's pages with their boxes, through PDFium."""

from __future__ import annotations

import ctypes
import mmap
import re
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.corpus.readers.pdf.pieces import Glyph
from store.errors import InputError

LARGEST_STREAM = 16 * 1024 * 1024
"""Bytes of one unpacked stream; a page of print has some thousands."""

_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 2048
"""Bytes before a stream that are searched for what it holds."""
_STEP = 1 << 16
LARGEST_PAGE = 1_000_000
"""Characters of the largest page that is read; a page of print has some thousands."""

_HEAD = 1024
_PDFIUM = threading.Lock()
"""PDFium keeps global state: two threads inside it at once corrupt the process."""

_AS_VIEWED: dict[int, Callable[[float, float], tuple[float, float]]] = {
    90: lambda x, y: (y, -x),
    180: lambda x, y: (-x, -y),
    270: lambda x, y: (-y, x),
}
"""A point of the file on the page as its rotation shows it."""


class PageContent(Struct, frozen=True):
    glyphs: list[Glyph]
    """In the order of the file; empty when the page has no text."""
    is_drawn_on: bool
    """Whether the page has content of any kind, such as a picture."""


class Pdf:
    """An open PDF, as a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, and InputError for a file that cannot be read as a PDF."""
        _check_head(path)
        check_streams(path)
        with _PDFIUM:
            self._document = _open(path)
            self.page_count = len(self._document)

    def __enter__(self) -> Pdf:
        return self

    def __exit__(self, *_: object) -> None:
        with _PDFIUM:
            self._document.close()

    def page(self, number: int) -> PageContent:
        """A page, counted from 1. Raises InputError when it is broken or too large."""
        import pypdfium2

        try:
            with _PDFIUM:
                page = self._document[number - 1]
                try:
                    return _content(page)
                finally:
                    page.close()
        except pypdfium2.PdfiumError as error:
            raise InputError("the page is broken") from error


def _check_head(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip():
        raise InputError("the file is empty")
    if b"%PDF-" not in head:
        raise InputError("the file is not a PDF, whatever its name says")


def _open(path: Path) -> Any:
    import pypdfium2
    from pypdfium2 import raw

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            message = "the PDF is protected by a password;", "save a copy without one"
        elif error.err_code == raw.FPDF_ERR_SECURITY:
            message = "the PDF is encrypted in an unknown way;", "save a copy without encryption"
        else:
            message = "the PDF is broken or cut short;", "get it again, or print it to a new one"
        raise InputError(*message) from error


def _content(page: Any) -> PageContent:
    text = page.get_textpage()
    try:
        count = text.count_chars()
        if count > LARGEST_PAGE:
            raise InputError(f"the page has {count:,} characters, more than {LARGEST_PAGE:,}")
        glyphs = _glyphs(text, count, page.get_rotation())
    finally:
        text.close()
    if all(glyph.char.isspace() for glyph in glyphs):
        drawn = next(iter(page.get_objects(max_depth=1)), None) is not None
        return PageContent([], drawn)
    return PageContent(glyphs, is_drawn_on=True)


def _glyphs(text: Any, count: int, rotation: int) -> list[Glyph]:
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    turned = _AS_VIEWED.get(rotation)
    handle = text.raw
    code_of, box_of, place = (
        raw.FPDFText_GetUnicode,
        raw.FPDFText_GetLooseCharBox,
        ctypes.byref(box),
    )
    glyphs = []
    for index in range(count):
        code = code_of(handle, index)
        box_of(handle, index, place)
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if turned is not None:
            (x0, y0), (x1, y1) = turned(left, bottom), turned(right, top)
            left, right, bottom, top = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
        # 0 stands for a letter whose font does not say what it is
        glyphs.append(Glyph(chr(code) if code else "\ufffd", left, bottom, right, top))
    return glyphs


def check_streams(path: Path) -> None:
    """Raises InputError when a page description would unpack to more than memory can hold.

    PDFium unpacks a page as a whole and keeps about a hundred times its size, so that a file of a
    few kilobytes could take all memory. Pictures are left out: it does not unpack them for their
    text.
    """
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
