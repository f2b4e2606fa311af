"""Decodes the bytes of a text file, whichever of the usual encodings it uses.

Tried in order: a byte order mark (UTF-8, UTF-16), UTF-8, GB18030. Bytes that are broken in every
encoding are decoded with U+FFFD in their places and reported, never fatal; the encoding with the
fewest such places wins. Almost any bytes are valid GB18030, so it is taken only when what comes
out reads as Chinese; scattered high bytes in Latin text are Windows-1252 (£, é, curly quotes).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import NamedTuple

TOLERATED_DAMAGE = 0.05
"""Share of broken places among the non-ASCII characters up to which an encoding is believed."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_PLAIN_CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e“”‘’…—·￥]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


class Decoded(NamedTuple):
    text: str
    encoding: str
    warning: str = ""
    """A warning about doubtful decoding; empty when it was certain."""


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are not text: NUL bytes or many control characters."""
    if any(head.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS):
        return False
    controls = len(_CONTROL_BYTES.findall(head))
    return b"\0" in head or controls > 0.05 * len(head)


def decode(data: bytes) -> Decoded:
    """The text of `data`; undecodable bytes become U+FFFD and are counted in `warning`."""
    encoding = guess_encoding(data)
    text = data.decode(encoding, errors="replace")
    return Decoded(text, encoding, reading_warning(encoding, _broken(data, encoding, text)))


def guess_encoding(data: bytes) -> str:
    """The name of the codec that decodes `data` best."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess_without_utf8(data)
    return "utf-8"


def guess_stream_encoding(blocks: Iterable[bytes]) -> str:
    """Like `guess_encoding`, for a file too large to hold: the first conclusive block decides."""
    strict = codecs.getincrementaldecoder("utf-8")()
    for number, block in enumerate(blocks):
        if number == 0 and any(block.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS):
            return guess_encoding(block)
        try:
            strict.decode(block)
        except UnicodeDecodeError:
            return _guess_without_utf8(block)
    return "utf-8"


def reading_warning(encoding: str, broken: int) -> str:
    """The warning for a text read as `encoding` with so many undecodable places; often empty."""
    if broken:
        return f"{broken} broken byte sequence(s) replaced by U+FFFD, read as {encoding}"
    return "read as windows-1252, a guess" if encoding == "cp1252" else ""


def _guess_without_utf8(data: bytes) -> str:
    utf8 = data.decode("utf-8", errors="replace")
    if _damage(utf8) <= TOLERATED_DAMAGE:
        return "utf-8"
    chinese = data.decode("gb18030", errors="replace")
    if _damage(chinese) <= TOLERATED_DAMAGE and _reads_as_chinese(chinese):
        return "gb18030"
    return "cp1252" if _high_bytes_are_scattered(data) else "utf-8"


def _damage(text: str) -> float:
    return text.count("\ufffd") / max(1, len(_NON_ASCII.findall(text)))


def _reads_as_chinese(text: str) -> bool:
    """Whether most non-ASCII characters are Chinese and adjacent, as in real Chinese text."""
    others = _NON_ASCII.findall(text)
    runs = re.findall(r"[^\x00-\x7f]+", text)
    return len(_PLAIN_CHINESE.findall(text)) >= 0.8 * len(others) and len(others) >= 1.5 * len(runs)


def _high_bytes_are_scattered(data: bytes) -> bool:
    runs = _HIGH_RUN.findall(data)
    high = sum(map(len, runs))
    return high <= 0.1 * len(data) and high <= 1.5 * len(runs)


def _broken(data: bytes, encoding: str, text: str) -> int:
    """The number of undecodable places in `data`, without the U+FFFD that it holds itself."""
    count = text.count("\ufffd")
    if not count:
        return 0
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return count
    return 0
