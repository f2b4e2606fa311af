"""What a rater who works without the app is shown of a subject: what a desk shows, and no more."""

from __future__ import annotations

import sqlite3

from msgspec import Struct, structs

from engine.answer.history import visible_history
from engine.labelling.reading.retrieved import RetrievedText, load_retrieved
from store.labels import subjects
from store.labels.forms import Form
from store.labels.log.events import Subject
from store.records import HistoryMode, Turn
from store.runs import details, runs


class EarlierTurn(Struct, frozen=True):
    """A turn before the one that is labelled."""

    question: str
    answer: str
    """As the system saw it; empty where it saw none."""


class ShownSubject(Struct, frozen=True):
    """What a subject is about, without system, judges, other raters and a retriever's scores."""

    turns: tuple[Turn, ...]
    """Of an answer, up to the one that it answers."""
    answers: tuple[str, ...]
    """None of an item, one of a prediction, A and B of a pair."""
    earlier: tuple[EarlierTurn, ...] = ()
    """The turns before the labelled one; nothing of an item, whose turns are all labelled."""
    retrieved: tuple[RetrievedText, ...] = ()
    """For the first of `answers` in its order, then for the second."""


def shown_of(db: sqlite3.Connection, form: Form, subject: Subject) -> ShownSubject:
    """What `subject` is about. InputError for one that the form is not about, NotFound for one
    that there is not."""
    material = subjects.material(db, form, subject)
    if subject.kind == "revision":
        return ShownSubject(material.turns, material.answers)
    predictions = [details.prediction(db, number) for number in subject.numbers]
    first = predictions[0]
    history = runs.get(db, first.run_id).system.history
    return ShownSubject(
        material.turns,
        material.answers,
        _earlier(material.turns, history, first.earlier_answers),
        tuple(
            structs.replace(one, answer=at)
            for at, detail in enumerate(predictions)
            for one in load_retrieved(db, detail) or ()
        ),
    )


def _earlier(
    turns: tuple[Turn, ...], mode: HistoryMode, own: tuple[str | None, ...]
) -> tuple[EarlierTurn, ...]:
    last = len(turns) - 1
    # a system that saw no history still answers a question that the rater reads in its place
    answers = [answer for _, answer in visible_history(turns, last, mode, own)] or [""] * last
    pairs = zip(turns[:last], answers, strict=True)
    return tuple(EarlierTurn(turn.question, answer) for turn, answer in pairs)
