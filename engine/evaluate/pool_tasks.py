"""What the child processes of the worker compute: searching, answering, scoring.

Each function names what it needs by number and reads it from the store itself, so that little
travels between processes. A child reads only; the worker writes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from engine.answer.offline import Answer, closed_book_answer, extract_answer
from engine.evaluate.scoring import Scores, score_prediction
from engine.retrieve.fusion import search_all
from engine.retrieve.index.base import Retriever
from engine.retrieve.passages import passages
from engine.retrieve.pipeline import open_retriever
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Hit, Lang, Passage, Retrieval, Turn
from store.workspace import Workspace, open_workspace


class _Child:
    """What a child process keeps open between calls."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.retrievers: dict[tuple[int, Retrieval, str], Retriever] = {}


_child: _Child | None = None


class Retrieved(Struct, frozen=True):
    hits: tuple[Hit, ...]
    elapsed_ms: float


class Answered(Struct, frozen=True):
    answer: Answer
    elapsed_ms: float


class Scored(Struct, frozen=True):
    scores: Scores
    elapsed_ms: float


def open_in_child(folder: Path) -> None:
    """Opens the workspace once in this process; called when a child starts."""
    global _child
    _child = _Child(open_workspace(folder))


def prepare_index(corpus_id: int, retrieval: Retrieval, fingerprint: str) -> str:
    """Builds what is not there and whole of the indexes; returns what was noticed, or nothing."""
    notices: list[str] = []
    _retriever(corpus_id, retrieval, fingerprint, notices)
    return " ".join(notices)


def retrieve(
    corpus_id: int, retrieval: Retrieval, fingerprint: str, queries: Sequence[str], top_k: int
) -> Retrieved:
    """The `top_k` best chunks for `queries`; fewer when fewer share anything with them."""
    begin = time.perf_counter()
    retriever = _retriever(corpus_id, retrieval, fingerprint, [])
    hits = tuple(search_all(retriever, queries, top_k))
    return Retrieved(hits, _milliseconds(begin))


def answer(
    corpus_id: int,
    generator: str,
    lang: Lang,
    question: str,
    history: Sequence[tuple[str, str]],
    hits: Sequence[Hit],
    texts: Sequence[Passage] | None,
) -> Answered:
    """The offline generator's answer from `texts`, or from those of the hits where None."""
    begin = time.perf_counter()
    if generator == "closed-book":
        made = closed_book_answer(question, lang)
    else:
        read = _passages(corpus_id, hits) if texts is None else texts
        made = extract_answer(question, history, read)
    return Answered(made, _milliseconds(begin))


class ToScore(Struct, frozen=True):
    """One prediction with what its metrics need; see `engine.evaluate.scoring.score_prediction`."""

    corpus_id: int
    turn: Turn
    history: tuple[tuple[str, str], ...]
    prediction: str | None
    hits: tuple[Hit, ...] | None
    lang: Lang
    top_k: int
    retrieval_unknown: bool = False


def score(predictions: Sequence[ToScore]) -> list[Scored]:
    """Every metric of each prediction."""
    return [_score(one) for one in predictions]


def _score(one: ToScore) -> Scored:
    begin = time.perf_counter()
    found = score_prediction(
        one.turn,
        one.history,
        one.prediction,
        one.hits,
        _passages(one.corpus_id, one.hits) if one.hits else (),
        one.lang,
        one.top_k,
        one.retrieval_unknown,
    )
    return Scored(found, _milliseconds(begin))


def _passages(corpus_id: int, hits: Sequence[Hit]) -> list[Passage]:
    return passages(_opened().workspace.db, _corpus(corpus_id), hits)


def _retriever(
    corpus_id: int, retrieval: Retrieval, fingerprint: str, notices: list[str]
) -> Retriever:
    child = _opened()
    key = (corpus_id, retrieval, fingerprint)
    if key not in child.retrievers:
        corpus = _corpus(corpus_id)
        child.retrievers[key] = open_retriever(
            child.workspace, corpus, retrieval, expected=fingerprint, notify=notices.append
        )
    return child.retrievers[key]


def _corpus(corpus_id: int) -> Corpus:
    return corpora.get_by_id(_opened().workspace.db, corpus_id)


def _opened() -> _Child:
    if _child is None:
        raise RuntimeError("open_in_child was not called in this process")
    return _child


def _milliseconds(begin: float) -> float:
    return round((time.perf_counter() - begin) * 1000, 3)
