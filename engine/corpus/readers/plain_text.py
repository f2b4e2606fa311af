"""Reads a text file as one document, titled by its file name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.corpus.readers.contract import Read, ReadDocument, ReadOptions
from engine.corpus.readers.whole_file import read_text
from store.records import Source


def read(path: Path, given: str, options: ReadOptions) -> Iterator[Read]:
    decoded = read_text(path)
    warnings = (decoded.warning,) if decoded.warning else ()
    yield ReadDocument(decoded.text, Source(given, title=path.stem), warnings=warnings)
