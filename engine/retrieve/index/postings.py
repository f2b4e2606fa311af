"""Texts as numbered terms, and their counts as an inverted index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from engine.retrieve.index.base import Progress
from engine.text.segmentation import terms
from store.errors import InputError

_REPORT_EVERY = 256


class NumberedTexts(Struct, frozen=True):
    """Terms are numbered from 0 in the order in which they first appear."""

    vocabulary: dict[str, int]
    rows: list[list[int]]
    """The term numbers of each text, in order and with repetition."""


class Postings(Struct, frozen=True):
    """Term counts by term: those of term t stand at `starts[t]` to `starts[t + 1]`."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    """Ascending for each term."""
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    """The number of terms of each text."""


def number_terms(texts: Sequence[str], progress: Progress) -> NumberedTexts:
    """Segment and number `texts`; raises `InputError` when not one of them holds a word."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    number = numbers.__getitem__
    rows: list[list[int]] = []
    for text in texts:
        rows.append(list(map(number, terms(text))))
        if len(rows) % _REPORT_EVERY == 0:
            progress("terms", len(rows), len(texts))
    progress("terms", len(rows), len(texts))
    if not numbers:
        raise InputError(
            f"There is nothing to index: none of {len(texts)} chunks holds a word.",
            "Ingest documents that hold text.",
        )
    return NumberedTexts(dict(numbers), rows)


def count_terms(numbered: NumberedTexts) -> Postings:
    from scipy.sparse import coo_array

    lengths = np.fromiter(map(len, numbered.rows), dtype=np.int64, count=len(numbered.rows))
    total = int(lengths.sum())
    columns = np.fromiter(chain.from_iterable(numbered.rows), dtype=np.int32, count=total)
    rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    shape = (len(lengths), len(numbered.vocabulary))
    matrix = coo_array((np.ones(total, dtype=np.int64), (rows, columns)), shape=shape).tocsc()
    matrix.sum_duplicates()
    return Postings(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, lengths
    )


def write_vocabulary(path: Path, vocabulary: dict[str, int]) -> None:
    path.write_bytes(msgspec.json.encode(list(vocabulary)))


def read_vocabulary(path: Path) -> dict[str, int]:
    listed: list[str] = msgspec.json.decode(path.read_bytes(), type=list[str])
    return {term: number for number, term in enumerate(listed)}


def known_numbers(vocabulary: dict[str, int], query: str) -> list[int]:
    """The numbers of the query's terms that some text holds, in order and with repetition."""
    return [vocabulary[term] for term in terms(query) if term in vocabulary]


def write_arrays(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write each array to `folder` as NAME.npy."""
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
