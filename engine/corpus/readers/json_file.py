"""Reads a JSON file that holds one object, or a list with one document for each member."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions
from engine.corpus.readers.json_record import to_document
from engine.corpus.readers.json_text import parse
from engine.corpus.readers.whole_file import read_text


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    """Yields the documents; members of a list are located as `item 1`, `item 2`, ..."""
    decoded = read_text(path)
    value = parse(decoded.text)
    members = enumerate(value, start=1) if isinstance(value, list) else [(0, value)]
    for number, member in members:
        read = to_document(member, given, f"item {number}" if number else "", options)
        if decoded.warning and isinstance(read, ReadDocument):
            read = replace(read, warnings=(decoded.warning,))
        yield read
