"""Retrieving for an item that hides documents from systems: none of their chunks is a hit.

A near-duplicate of a hidden document says what the hidden one says, so it is hidden as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from engine.retrieve.fusion import search_all
from engine.retrieve.index.base import Retriever
from engine.retrieve.rerank import RerankedRetriever
from engine.text.duplicates import THRESHOLD, grams, similarity
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Evidence, Hit, ItemContent, SearchText


class HiddenDocuments:
    """The documents of a corpus that an item hides: those it names, and their near-duplicates.

    Exact, without an index: each document that comes up is compared with those named. Near-
    duplicates have a Jaccard similarity of 5-grams of `THRESHOLD` or more.
    """

    def __init__(self, db: sqlite3.Connection, corpus: Corpus, named: Collection[str]) -> None:
        self._db = db
        self._corpus = corpus
        texts = corpora.documents_by_id(db, corpus, named).values()
        self._grams = [grams(document.text) for document in texts]
        self._is_hidden = dict.fromkeys(named, True)
        """By id, of every document that came up."""

    def among(self, document_ids: Iterable[str]) -> set[str]:
        """Those of the documents that are hidden."""
        asked = set(document_ids)
        new = asked - self._is_hidden.keys()
        texts = corpora.documents_by_id(self._db, self._corpus, new) if self._grams else {}
        for document_id in new:
            own = grams(texts[document_id].text) if document_id in texts else frozenset[str]()
            self._is_hidden[document_id] = any(
                similarity(own, other) >= THRESHOLD for other in self._grams
            )
        return {document_id for document_id in asked if self._is_hidden[document_id]}


def findable_evidence(
    db: sqlite3.Connection, corpus: Corpus, content: ItemContent, turn: int
) -> tuple[Evidence, ...]:
    """The evidence of a turn that a system can find: what the item hides does not count."""
    evidence = content.turns[turn].evidence
    if not content.hidden:
        return evidence
    hides = HiddenDocuments(db, corpus, content.hidden)
    hidden = hides.among(unit.document_id for unit in evidence)
    return tuple(unit for unit in evidence if unit.document_id not in hidden)


class Visible(Struct, frozen=True):
    """What a search for an item gave."""

    hits: tuple[Hit, ...]
    hidden: tuple[str, ...] = ()
    """The documents kept back that stood before the last hit, best first."""


def search_visible(
    retriever: Retriever,
    queries: Sequence[SearchText],
    k: int,
    hidden: HiddenDocuments | None = None,
) -> Visible:
    """The `k` best chunks for several ways to say one question, without those of hidden documents.

    More are asked for until `k` can be seen or the retriever has no more. Rerankers read what can
    be seen alone, as many chunks as ever; kept back is then what stood among those.
    """
    if hidden is None:
        return Visible(tuple(search_all(retriever, queries, k)))
    if isinstance(retriever, RerankedRetriever):
        seen = _Seen(retriever.candidates, hidden)
        hits = search_all(retriever.over(seen), queries, k)
        return Visible(tuple(hits), tuple(seen.kept_back))
    return _visible(lambda depth: search_all(retriever, queries, depth), k, hidden)


class _Seen:
    """A retriever without the chunks of hidden documents; notes which it kept back."""

    def __init__(self, retriever: Retriever, hidden: HiddenDocuments) -> None:
        self.name = retriever.name
        self.kept_back: dict[str, None] = {}
        self._retriever = retriever
        self._hidden = hidden

    def search(self, queries: Sequence[SearchText], k: int) -> list[list[Hit]]:
        return [self._search(query, k) for query in queries]

    def _search(self, query: SearchText, k: int) -> list[Hit]:
        found = _visible(lambda depth: self._retriever.search([query], depth)[0], k, self._hidden)
        self.kept_back |= dict.fromkeys(found.hidden)
        return list(found.hits)


def _visible(search: Callable[[int], list[Hit]], k: int, hidden: HiddenDocuments) -> Visible:
    """The `k` best hits of a search, which is given its depth, in documents that can be seen."""
    depth = 2 * k
    while True:
        listed = search(depth)
        kept_back = hidden.among(hit.document_id for hit in listed)
        visible = [at for at, hit in enumerate(listed) if hit.document_id not in kept_back]
        if len(visible) >= k or len(listed) < depth:
            break
        depth *= 2
    end = visible[k - 1] if len(visible) >= k else len(listed)
    before = dict.fromkeys(hit.document_id for hit in listed[:end])
    return Visible(
        tuple(listed[at] for at in visible[:k]),
        tuple(document_id for document_id in before if document_id in kept_back),
    )
