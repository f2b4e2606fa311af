"""Reads the characters of a PDF's pages with their boxes, through PDFium."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.corpus.readers.page_pieces import Glyph
from engine.corpus.readers.pdf_bounds import check_streams
from store.errors import InputError

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
