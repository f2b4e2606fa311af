"""Answers of a run as judges read them: question, history, golden answers, retrieved texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from engine.answer.history import visible_history
from engine.judge.base import Case
from engine.retrieve.passages import passages
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.records import Evidence, HistoryMode, ItemContent, Passage
from store.runs import details
from store.runs.details import PredictionDetail
from store.systems import SystemConfig


def read_case(
    db: sqlite3.Connection, corpus: Corpus, system: SystemConfig, prediction_id: int
) -> Case:
    """One answer as a judge reads it, by its number."""
    return case_of(db, corpus, system, details.prediction(db, prediction_id))


def case_of(
    db: sqlite3.Connection, corpus: Corpus, system: SystemConfig, detail: PredictionDetail
) -> Case:
    """One answer as a judge reads it.

    The history is with golden answers unless the system itself saw its own earlier ones: a later
    question means something only after the earlier ones, whatever the system was shown.
    """
    mode = HistoryMode.PREDICTED if system.history is HistoryMode.PREDICTED else HistoryMode.GOLD
    turn = detail.content.turns[detail.turn]
    return Case(
        prediction_id=detail.id,
        question=turn.question,
        history=visible_history(detail.content.turns, detail.turn, mode, detail.earlier_answers),
        golden_answers=turn.golden_answers,
        answer=detail.answer or "",
        passages=_read(db, corpus, system, detail),
        lang=detail.content.lang,
        closed_book=system.retriever is None,
        retrieval_unknown=detail.hits is None and system.retriever is not None,
        keypoints=turn.keypoints,
        evidence=tuple(_evidence(db, corpus, turn.evidence)),
    )


def case_ahead(
    db: sqlite3.Connection, corpus: Corpus, system: SystemConfig, content: ItemContent, number: int
) -> Case:
    """A turn as a judge would read it, had the system given the golden answer by its evidence."""
    turn = content.turns[number]
    evidence = tuple(_evidence(db, corpus, turn.evidence))
    return Case(
        prediction_id=0,
        question=turn.question,
        history=visible_history(content.turns, number, HistoryMode.GOLD, ()),
        golden_answers=turn.golden_answers,
        answer=turn.golden_answers[0] if turn.golden_answers else "",
        passages=evidence if system.retriever is not None else (),
        lang=content.lang,
        closed_book=system.retriever is None,
        keypoints=turn.keypoints,
        evidence=evidence,
    )


def _read(
    db: sqlite3.Connection, corpus: Corpus, system: SystemConfig, detail: PredictionDetail
) -> tuple[Passage, ...]:
    """The texts that were retrieved, in the words of a system of one's own where it gave them."""
    if system.is_own and detail.context_stages:
        return detail.context_stages[-1][1].passages
    return tuple(passages(db, corpus, detail.hits or ()))


def _evidence(
    db: sqlite3.Connection, corpus: Corpus, units: Sequence[Evidence]
) -> Iterator[Passage]:
    """The texts of evidence: its quote, or what stands in its span, or the whole document."""
    unquoted = {unit.document_id for unit in units if unit.quote is None}
    documents = corpora.documents_by_id(db, corpus, unquoted)
    for unit in units:
        text = unit.quote
        if text is None and unit.document_id in documents:
            text = documents[unit.document_id].text[unit.start : unit.end]
        if text:
            yield Passage(unit.document_id, "", text, unit.start or 0)
