"""From scores of rows to ranked hits, with ties settled by row order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.retrieve.index.base import IndexColumns
from store.records import Hit

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]
"""One a row."""
Scores = NDArray[np.floating[Any]]

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
_FILES = ("chunk_document_ids.npy", "chunk_starts.npy", "chunk_ends.npy")


class ChunkTable:
    """The chunk of each row of an index; read from disk as it is needed."""

    def __init__(self, columns: Sequence[NDArray[Any]]) -> None:
        self._document_ids, self._starts, self._ends = columns

    def __len__(self) -> int:
        return len(self._starts)

    @staticmethod
    def write(folder: Path, columns: IndexColumns) -> None:
        """Keep ids and spans (not texts) of `columns` in `folder`, row for row."""
        # fixed-width bytes can be mapped into memory; ids are hashes, all of one length
        ids = np.array([name.encode() for name in columns.document_ids], dtype=np.bytes_)
        spans = (np.array(values, dtype=np.int64) for values in (columns.starts, columns.ends))
        for name, values in zip(_FILES, (ids, *spans), strict=True):
            np.save(folder / name, values)

    @classmethod
    def read(cls, folder: Path) -> ChunkTable:
        return cls([read_array(folder / name) for name in _FILES])

    def row(self, chunk: Hit) -> int:
        """The row of a chunk. Raises KeyError where there is none."""
        name = chunk.document_id.encode()
        first, end = (int(np.searchsorted(self._document_ids, name, side)) for side in _SIDES)
        for row in range(first, end):
            if (self._starts[row], self._ends[row]) == (chunk.start, chunk.end):
                return row
        raise KeyError(chunk.chunk_id)

    def document_ids(self) -> set[str]:
        """The documents that the rows are chunks of."""
        return {name.decode() for name in np.unique(self._document_ids).tolist()}

    def all(self) -> list[Hit]:
        """Every chunk, row for row, with score 0."""
        return self.hits(np.arange(len(self)), np.zeros(len(self)))

    def hits(self, rows: Rows, scores: Scores) -> list[Hit]:
        """The chunks of `rows` with their `scores`, in the order given."""
        return list(
            map(
                Hit,
                map(bytes.decode, self._document_ids[rows].tolist()),
                self._starts[rows].tolist(),
                self._ends[rows].tolist(),
                scores.tolist(),
            )
        )


def read_array(path: Path) -> NDArray[Any]:
    """An array of an index, mapped into memory and not read before it is used."""
    # without np.asarray every slice would pay for the bookkeeping of numpy's memmap class
    mapped: NDArray[Any] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    return mapped


def top_rows(scores: Scores, candidates: Rows, k: int) -> Rows:
    """The `k` rows of `candidates` (ascending) with the highest of `scores`, best first.

    `scores` has a value for every row of the index. Equal scores keep the order of the rows.
    """
    values = scores[candidates]
    surplus = len(values) - k
    if surplus > 0:
        kept = values >= np.partition(values, surplus)[surplus]
        candidates, values = candidates[kept], values[kept]
    order = np.argsort(-values, kind="stable")[:k]
    return candidates[order]
