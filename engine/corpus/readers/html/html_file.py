"""Reads a web page as one document: its main text, titled by its heading."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.corpus.decoding import TOLERATED_DAMAGE, Decoded, decode
from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions
from engine.corpus.readers.html.main_part import main_part
from engine.corpus.readers.html.text import inline_text, markdown
from engine.corpus.readers.whole_file import read_bytes
from store.errors import InputError
from store.records import Source

LARGEST_FILE = 24 * 1024 * 1024
"""Bytes; the parsed page takes about ten times as much memory."""

_HEAD = 4096
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
_AS_BROWSERS_READ = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
}
_ENCODINGS = re.compile(
    r"utf-(?:8|16(?:-[lb]e)?)|gb18030|hz|big5(?:hkscs)?|shift_jis|euc_(?:jp|kr)|iso2022_jp"
    r"|iso8859-\d+|cp\d+|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620"
)
"""The encodings of web pages. Python knows others under such names, punycode among them, that are
none of characters and take a time that grows with the square of the page."""
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields one document in Markdown's form."""
    decoded = decode_page(read_bytes(path, LARGEST_FILE))
    page = _parse(decoded.text)
    heading, title = _first_text(page, "h1"), _first_text(page, "title")
    main = main_part(page)
    text = markdown(main)
    if not any(map(str.isalnum, text)):
        raise InputError("the page holds no text of its own, only navigation or scripts")
    warnings = (decoded.warning,) if decoded.warning else ()
    source = Source(given, title=heading or title or path.stem)
    yield ReadDocument(text, source, _facts(page), warnings)


def decode_page(data: bytes) -> Decoded:
    """The text of a page, decoded as UTF-8, else as the page declares, else as its bytes suggest.

    Pages saved by a browser are often UTF-8 and still name the encoding of the server's copy.
    """
    declared = _DECLARED.search(data[:_HEAD])
    guessed = decode(data)
    is_utf8 = guessed.encoding.startswith("utf") and not guessed.warning
    if declared is None or is_utf8:
        return guessed
    name = declared.group(1).decode("ascii").lower()
    try:
        encoding = codecs.lookup(_AS_BROWSERS_READ.get(name, name)).name
    except LookupError:
        return guessed
    if _ENCODINGS.fullmatch(encoding) is None:
        return guessed
    text = data.decode(encoding, errors="replace")
    broken = text.count("\ufffd")
    if broken > TOLERATED_DAMAGE * max(1, sum(not char.isascii() for char in text)):
        return guessed
    warning = f"{broken} broken byte sequence(s) replaced by U+FFFD, read as {encoding}"
    return Decoded(text, encoding, warning if broken else "")


def _parse(text: str) -> Any:
    from lxml import etree, html

    parser = html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
    )
    plain = _XML_DECLARATION.sub("", text).replace("\0", "")
    try:
        page = html.document_fromstring(plain.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError as error:
        raise InputError("the page is empty") from error
    return page


def _first_text(page: Any, tag: str) -> str:
    texts = (inline_text(element) for element in page.iter(tag))
    return next((text for text in texts if text), "")


def _facts(page: Any) -> dict[str, Any]:
    """The address and date that the page's head states."""
    named = {
        "canonical": "url",
        "og:url": "url",
        "article:published_time": "published",
        "date": "published",
        "publishdate": "published",
    }
    facts: dict[str, Any] = {}
    for element in page.iter("meta", "link"):
        key = element.get("property") or element.get("name") or element.get("rel") or ""
        value = (element.get("content") or element.get("href") or "").strip()
        name = named.get(key.lower())
        if name is not None and value:
            facts.setdefault(name, value)
    return facts
