"""The protocols that every retriever and every kind of index follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from store.records import Hit, SearchText

Progress = Callable[[str, int, int], None]
"""Called with the stage (`terms`, then `index`; or `embed`), the units done and in all."""

UNFINISHED = ".unfinished-"
"""How the names of folders begin that a build has not put in place yet."""


def no_progress(stage: str, done: int, total: int) -> None:
    """The progress callback for a caller who does not watch."""


class IndexColumns(Struct, frozen=True):
    """The chunks to index, one row each: four columns of equal length.

    `texts` is what gets indexed (see `index_text`); it is not kept in the index. For whole
    documents a row spans the document: start 0, end its length.
    """

    document_ids: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]
    texts: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.document_ids) == len(self.starts) == len(self.ends) == len(self.texts):
            raise ValueError("the four columns of an index differ in length")

    def in_tie_order(self) -> IndexColumns:
        """The same chunks ordered by document id, start and end: row order settles ties."""
        order = sorted(
            range(len(self.document_ids)),
            key=lambda row: (self.document_ids[row], self.starts[row], self.ends[row]),
        )
        return IndexColumns(
            [self.document_ids[row] for row in order],
            [self.starts[row] for row in order],
            [self.ends[row] for row in order],
            [self.texts[row] for row in order],
        )


class Retriever(Protocol):
    """Ranks chunks for queries. Safe to call from several threads."""

    name: str

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first.

        Equal scores are ordered by document id, then start, then end. A chunk that shares
        nothing with the query is no hit, so a list may be shorter than `k`, or empty.
        Raises `ValueError` when `k` is below 1.
        """


def index_text(title: str, text: str) -> str:
    """The text that a chunk is indexed by: its document's title on a line of its own, then its
    text.

    The title is left out where the text already begins with it.
    """
    if not title or text.startswith(title):
        return text
    return f"{title}\n{text}"


def question_of(query: SearchText) -> str:
    """The question of a search text, alone."""
    return query if isinstance(query, str) else query.question


def words_of(query: SearchText) -> str:
    """The text that a search by words looks for."""
    return query if isinstance(query, str) else query.words


def require_positive(k: int) -> None:
    """Raise `ValueError` unless `k` hits can be asked for."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
