"""Retrieving in the worker's child processes, each of which keeps the retrievers it has opened."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct

from engine.jobs.context import tell_phase
from engine.jobs.pool import child_workspace
from engine.retrieve.fusion import search_each
from engine.retrieve.hidden import HiddenDocuments, Visible, search_visible
from engine.retrieve.index.base import Retriever
from engine.retrieve.index.bm25 import Bm25
from engine.retrieve.pipeline import open_retriever
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.hashing import canonical_json
from store.records import SearchText
from store.systems import Retrieval
from store.workspace import Workspace

_retrievers: dict[tuple[Workspace, int, bytes, str], Retriever] = {}
"""By workspace, corpus, retrieval as JSON, and fingerprint."""


OPENING = "opening the index"
PHASES = {"terms": "building the index", "index": "building the index", "embed": "embedding"}
"""What a job is said to do, by the stage of a build."""


class ToRetrieve(Struct, frozen=True):
    """What is searched for: one question by its search texts."""

    queries: tuple[SearchText, ...]
    hidden: tuple[str, ...] = ()
    """Documents that its item hides."""


class Retrieved(Struct, frozen=True):
    visible: Visible
    elapsed_ms: float


def prepare_index(corpus_id: int, retrieval: Retrieval, fingerprint: str) -> str:
    """Builds what is not there and whole of the indexes; returns what was noticed, or nothing."""
    notices: list[str] = []
    tell_phase(OPENING)
    try:
        _open(corpus_id, retrieval, fingerprint, notices)
    finally:
        tell_phase(None)
    return " ".join(notices)


def retrieve(
    corpus_id: int,
    retrieval: Retrieval,
    fingerprint: str,
    top_k: int,
    asked: Sequence[ToRetrieve],
) -> list[Retrieved]:
    """For each question the `top_k` best chunks that stand in no document which it hides or in a
    near-duplicate of one; fewer when fewer share anything with its search texts.

    Questions that hide nothing are searched for together, and took equal parts of the time.
    """
    begin = time.perf_counter()
    opened = retriever(corpus_id, retrieval, fingerprint)
    together = [one.queries for one in asked if not one.hidden]
    found = iter(search_each(opened, together, top_k))
    part = round(elapsed_ms(begin) / max(1, len(together)), 3)
    return [
        _among_visible(opened, one, top_k, corpus_id)
        if one.hidden
        else Retrieved(Visible(tuple(next(found))), part)
        for one in asked
    ]


def _among_visible(opened: Retriever, asked: ToRetrieve, top_k: int, corpus_id: int) -> Retrieved:
    begin = time.perf_counter()
    hidden = hidden_documents(corpus_id, asked.hidden)
    return Retrieved(search_visible(opened, asked.queries, top_k, hidden), elapsed_ms(begin))


def key_terms(
    corpus_id: int, index: Retrieval, fingerprint: str, text: str, most: int
) -> tuple[str, ...]:
    """The words of a text that weigh most over the chunks, by `index`; see `Bm25.key_terms`."""
    opened = retriever(corpus_id, index, fingerprint)
    assert isinstance(opened, Bm25), "words are weighed by an index of words"
    return opened.key_terms(text, most)


def hidden_documents(corpus_id: int, named: Sequence[str]) -> HiddenDocuments | None:
    """The documents of a corpus that an item hides; None where it names none."""
    if not named:
        return None
    return HiddenDocuments(child_workspace().db, corpus(corpus_id), named)


def count_seen(corpus_id: int, answers: Sequence[tuple[Sequence[str], Sequence[str]]]) -> int:
    """The number of answers of which a retrieved document is hidden, given for each the documents
    that its item names and those that were retrieved."""
    return sum(
        bool(HiddenDocuments(child_workspace().db, corpus(corpus_id), named).among(retrieved))
        for named, retrieved in answers
    )


def retriever(corpus_id: int, retrieval: Retrieval, fingerprint: str) -> Retriever:
    """The retriever over the corpus as it was when it had that fingerprint.

    Raises what `open_retriever` raises.
    """
    return _open(corpus_id, retrieval, fingerprint, [])


def corpus(corpus_id: int) -> Corpus:
    return corpora.get_by_id(child_workspace().db, corpus_id)


def elapsed_ms(begin: float) -> float:
    """Milliseconds since `begin`, as `time.perf_counter` gave it."""
    return round((time.perf_counter() - begin) * 1000, 3)


def _open(corpus_id: int, retrieval: Retrieval, fingerprint: str, notices: list[str]) -> Retriever:
    workspace = child_workspace()
    key = (workspace, corpus_id, canonical_json(retrieval), fingerprint)
    if key not in _retrievers:
        _retrievers[key] = open_retriever(
            workspace,
            corpus(corpus_id),
            retrieval,
            expected=fingerprint,
            progress=lambda stage, done, total: tell_phase(PHASES[stage], done, total),
            notify=notices.append,
        )
    return _retrievers[key]
