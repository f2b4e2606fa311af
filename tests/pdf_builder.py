"""Writes small PDF files: texts at places on pages, in Latin and Chinese."""

from __future__ import annotations

import zlib

ASCII_FONT, CHINESE_FONT = b"F1", b"F2"
DIGIT_WIDTH = 0.556
"""Of Helvetica, in heights of the font."""

Text = tuple[float, float, str]
"""Left, height above the foot of the page, text; points."""


def right(edge: float, height: float, text: str, size: float = 10) -> Text:
    """A number that ends at `edge`."""
    return edge - DIGIT_WIDTH * size * len(text), height, text


def page_content(texts: list[Text], size: float = 10) -> bytes:
    """A page that shows each text at its place."""
    return b"\n".join(_shown(left, height, text, size) for left, height, text in texts)


def pdf(contents: list[bytes | None], *, extra: bytes = b"", rotation: int = 0) -> bytes:
    """A PDF of pages with these contents; null for a page that the file names but lacks.

    `extra` goes into the trailer.
    """
    fonts = [
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H"
        b"/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>]>>",
    ]
    first = 5
    kids = b" ".join(b"%d 0 R" % (first + 2 * i) for i in range(len(contents)))
    objects: dict[int, bytes] = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(contents)),
        3: fonts[0],
        4: fonts[1],
    }
    for number, content in enumerate(contents):
        if content is not None:
            place = first + 2 * number
            objects[place] = _page(place + 1, rotation)
            objects[place + 1] = stream(content)
    return _file(objects, extra)


def stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)


def _shown(left: float, height: float, text: str, size: float) -> bytes:
    if text.isascii():
        font, shown = ASCII_FONT, b"<" + text.encode("ascii").hex().encode() + b">"
    else:
        font, shown = CHINESE_FONT, b"<" + text.encode("utf-16-be").hex().encode() + b">"
    return b"BT /%s %g Tf %g %g Td %s Tj ET" % (font, size, left, height, shown)


def _page(contents: int, rotation: int) -> bytes:
    return (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate %d/Contents %d 0 R"
        b"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>" % (rotation, contents)
    )


def _file(objects: dict[int, bytes], extra: bytes) -> bytes:
    out = b"%PDF-1.7\n"
    rows: list[bytes] = [b"0000000000 65535 f \n"]
    for number in range(1, max(objects) + 1):
        if number in objects:
            rows.append(b"%010d 00000 n \n" % len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
        else:
            rows.append(b"0000000000 65535 f \n")
    start = len(out)
    out += b"xref\n0 %d\n%s" % (len(rows), b"".join(rows))
    return out + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (
        len(rows),
        extra,
        start,
    )
