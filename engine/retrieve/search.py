"""Searching by document: each by its best chunk."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.retrieve.index.base import Retriever
from store.records import Hit


class SearchQuery(Struct, frozen=True):
    """A line of a query file."""

    id: str
    query: str


def search_documents(retriever: Retriever, queries: Sequence[str], k: int) -> list[list[Hit]]:
    """For each query the best chunk of each of the `k` best documents, best first.

    A document with many good chunks would crowd out others in a plain top k of chunks, so the
    depth is doubled until `k` documents are found or the index has no more hits.
    """
    hits_of: dict[int, list[Hit]] = {}
    open_queries = list(range(len(queries)))
    depth = k * 4
    while open_queries:
        answers = retriever.search([queries[number] for number in open_queries], depth)
        unfinished = []
        for number, hits in zip(open_queries, answers, strict=True):
            best: dict[str, Hit] = {}
            for hit in hits:
                best.setdefault(hit.document_id, hit)
            hits_of[number] = list(best.values())[:k]
            if len(best) < k and len(hits) == depth:
                unfinished.append(number)
        open_queries = unfinished
        depth *= 2
    return [hits_of[number] for number in range(len(queries))]
