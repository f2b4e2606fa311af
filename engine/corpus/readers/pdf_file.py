"""Reads a PDF as one document for each page, with tables of numbers as pipe tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions, Refusal
from engine.corpus.readers.page_layout import page_text
from engine.corpus.readers.page_pieces import pieces
from engine.corpus.readers.pdf_glyphs import PageContent, Pdf
from store.errors import InputError
from store.records import Source

_PICTURE = "no text layer: its letters are pictures or outlines, as in a scan;"
_REMEDY = "make it searchable first (OCR, for example with ocrmypdf)"


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields each page, located as `page N` from 1 as in a viewer, titled by the file name.

    A page is a document, so that an answer can cite it and a long report is held a page at a time.
    Blank pages are passed over; pictures of pages are refused, once for the file if it has no
    others.
    """
    with Pdf(path) as pdf:
        pictures: list[Read] = []
        others = 0
        for number in range(1, pdf.page_count + 1):
            locator = f"page {number}"
            try:
                content = pdf.page(number)
            except InputError as error:
                others += 1
                yield Refusal(given, locator, str(error))
                continue
            if content.glyphs:
                others += 1
                yield from pictures
                pictures = []
                yield _document(content, Source(given, title=path.stem, locator=locator))
            elif content.is_drawn_on:
                pictures.append(Refusal(given, locator, f"the page has {_PICTURE} {_REMEDY}"))
        if pictures and not others:
            raise InputError(f"the PDF has {_PICTURE}", _REMEDY)
        yield from pictures
        if not others and not pictures:
            raise InputError("the PDF is blank: nothing is on its pages")


def _document(content: PageContent, source: Source) -> ReadDocument:
    return ReadDocument(page_text(pieces(content.glyphs)).text, source)
