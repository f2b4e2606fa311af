"""What a rater is shown of an answer beside its text: which of its sentences the retrieved texts
bear out, and which of its numbers are those of the golden answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from engine.judge.rules.claims import claims
from engine.judge.rules.evidence import Retrieved
from engine.judge.rules.golden import numbers_agree
from engine.judge.rules.matching import contradicting
from engine.labelling.reading.answer_records import AnswerReading, NumberRead, SentenceRead
from engine.labelling.reading.retrieved import load_retrieved
from engine.text.numbers import Number
from engine.text.sentences import sentences
from store.records import Passage
from store.runs import details


def read_answer(
    question: str, golden: Sequence[str], answer: str, passages: Sequence[Passage] | None
) -> AnswerReading:
    """Reads an answer to `question`. `passages` is what was retrieved; None without retrieval.

    Signs for a person's eye, by rules: a sentence is borne out when all its numbers and most of
    its words are in the passages; a number is compared with those of the golden answer that the
    answer meets best, in whatever notation. Neither is a label.
    """
    retrieved = Retrieved.of(passages, question) if passages is not None else None
    read = tuple(
        SentenceRead(start, end, _borne_out(answer[start:end], retrieved))
        for start, end in sentences(answer)
    )
    agreement = numbers_agree(golden, answer, question)
    if agreement is None:
        return AnswerReading(read, (), ())
    same = {stated: number for number, stated in agreement.same}
    numbers = []
    for stated in agreement.stated:
        golden_one, is_same = same.get(stated), True
        if golden_one is None:
            pair = contradicting([stated], agreement.missing)
            golden_one, is_same = (pair[1] if pair else None), False
        if golden_one is not None:
            texts = _written(stated, answer), _written(golden_one, agreement.golden)
            numbers.append(NumberRead(stated.start, stated.end, *texts, is_same))
    missing = tuple(_written(number, agreement.golden) for number in agreement.missing)
    return AnswerReading(read, tuple(numbers), missing)


def read_prediction(db: sqlite3.Connection, prediction_id: int) -> AnswerReading:
    """Reads the answer of a prediction. NotFound when there is no such prediction."""
    detail = details.prediction(db, prediction_id)
    turn = detail.content.turns[detail.turn]
    texts = load_retrieved(db, detail)
    passages = None
    if texts is not None:
        there = (one for one in texts if not one.is_gone)
        passages = [Passage(one.document_id, one.title, one.text, one.start) for one in there]
    return read_answer(turn.question, turn.golden_answers, detail.answer or "", passages)


def _borne_out(sentence: str, retrieved: Retrieved | None) -> bool | None:
    stated = [claim for claim in claims(sentence) if claim.words or claim.numbers]
    if retrieved is None or not stated:
        return None
    return all(map(retrieved.supports, stated))


def _written(number: Number, text: str) -> str:
    written = text[number.start : number.end]
    if number.sign or not number.direction:
        return written
    return f"{'-+'[number.direction > 0]}{written}"
