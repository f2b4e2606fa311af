"""Work of a run in the worker's child processes: answers by rule, and scores."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct

from engine.answer.offline import Answer, closed_book_answer, extract_answer
from engine.evaluate.scoring import Scores, score_prediction
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.retrieve.passages import passages
from store.records import Hit, Lang, Passage, Turn


class Answered(Struct, frozen=True):
    answer: Answer
    elapsed_ms: float


class Scored(Struct, frozen=True):
    scores: Scores
    elapsed_ms: float


class ToAnswer(Struct, frozen=True):
    """One turn with what an offline generator answers it from."""

    corpus_id: int
    generator: str
    lang: Lang
    question: str
    history: tuple[tuple[str, str], ...]
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...] | None = None
    """What it reads; None for the texts of the hits."""


def answer(turns: Sequence[ToAnswer]) -> list[Answered]:
    """The offline generator's answer to each turn."""
    return [_answer(turn) for turn in turns]


def _answer(turn: ToAnswer) -> Answered:
    begin = time.perf_counter()
    if turn.generator == "closed-book":
        made = closed_book_answer(turn.question, turn.lang)
    else:
        read: Sequence[Passage] | None = turn.passages
        if read is None:
            read = _passages(turn.corpus_id, turn.hits)
        made = extract_answer(turn.question, turn.history, read)
    return Answered(made, in_child.elapsed_ms(begin))


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
    hidden: tuple[str, ...] = ()
    """Documents that the item hides."""
    passages: tuple[Passage, ...] | None = None
    """What a system of one's own says that it read; None for the texts of the hits."""
    unmatched: int = 0
    """Hits that stand for no document of the corpus, where that leaves the ranking unknown."""


def score(predictions: Sequence[ToScore]) -> list[Scored]:
    """Every metric of each prediction."""
    return [_score(prediction) for prediction in predictions]


def _score(prediction: ToScore) -> Scored:
    begin = time.perf_counter()
    read: Sequence[Passage] = prediction.passages or ()
    if prediction.passages is None and prediction.hits:
        read = _passages(prediction.corpus_id, prediction.hits)
    scores = score_prediction(
        prediction.turn,
        prediction.history,
        prediction.prediction,
        prediction.hits,
        read,
        prediction.lang,
        prediction.top_k,
        prediction.retrieval_unknown,
        _hidden_evidence(prediction),
        prediction.unmatched,
    )
    return Scored(scores, in_child.elapsed_ms(begin))


def _hidden_evidence(prediction: ToScore) -> set[str]:
    """The documents of the turn's evidence that its item hides."""
    hidden = in_child.hidden_documents(prediction.corpus_id, prediction.hidden)
    return hidden.among(unit.document_id for unit in prediction.turn.evidence) if hidden else set()


def _passages(corpus_id: int, hits: Sequence[Hit]) -> list[Passage]:
    return passages(child_workspace().db, in_child.corpus(corpus_id), hits)
