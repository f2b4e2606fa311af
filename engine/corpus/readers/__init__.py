"""Reading a person's files as documents: one module a file format, named in `formats`."""

from __future__ import annotations

from engine.corpus.readers.contract import ReadDocument, ReadOptions, Refusal
from engine.corpus.readers.reading import read_paths

__all__ = ["ReadDocument", "ReadOptions", "Refusal", "read_paths"]
