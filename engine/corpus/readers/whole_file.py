"""Reads the text of a file that is small enough to be read as a whole."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.decoding import Decoded, decode, looks_binary
from engine.corpus.readers.contract import LARGEST_DOCUMENT
from store.errors import InputError

HEAD = 8192
"""Bytes looked at to tell text from binary."""


def read_text(path: Path) -> Decoded:
    """The decoded text of `path`. Raises InputError for binary, empty and too large files."""
    return decode(read_bytes(path))


def read_bytes(path: Path, largest: int = LARGEST_DOCUMENT) -> bytes:
    """The bytes of a text file. Raises InputError for binary, empty and too large files."""
    size = path.stat().st_size
    if size > largest:
        raise InputError(
            f"the file has {size:,} bytes, more than {largest:,};",
            "split it, or give its documents as JSONL, one on each line",
        )
    data = path.read_bytes()
    refuse_binary(data[:HEAD])
    if not data.strip():
        raise InputError("the file is empty")
    return data


def refuse_binary(head: bytes) -> None:
    """Raises InputError when the first bytes of a file are not text."""
    if looks_binary(head):
        raise InputError("the file is binary, not text")
