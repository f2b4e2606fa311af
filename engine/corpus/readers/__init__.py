"""Readers of a person's files as documents, with a module or a room for each file format."""

from __future__ import annotations

from engine.corpus.readers.contract import ReadDocument, ReadOptions, Refusal
from engine.corpus.readers.reading import list_files, read_paths

__all__ = ["ReadDocument", "ReadOptions", "Refusal", "list_files", "read_paths"]
