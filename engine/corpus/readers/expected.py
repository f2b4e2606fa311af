"""How many documents a reading will give, roughly and fast: what a progress bar needs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.corpus.readers.contract import Refusal
from engine.corpus.readers.reading import list_files

_BY_LINE = frozenset({".jsonl", ".ndjson", ".csv", ".tsv"})
_BLOCK = 1 << 20


def expected_documents(paths: Iterable[str | Path]) -> int:
    """One for a file, or one a line where a format holds one document a line.

    An estimate: broken and empty lines count, the parts of a JSON list or a PDF do not.
    """
    total = 0
    for found in list_files(paths):
        if isinstance(found, Refusal):
            continue
        total += _lines(found) if found.suffix.lower() in _BY_LINE else 1
    return total


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b"")) or 1
    except OSError:
        return 0
