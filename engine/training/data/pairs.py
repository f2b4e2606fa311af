"""Pairs of answers with what people prefer, as the store has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import groupby

from msgspec import Struct, structs

from engine.answer.history import visible_history
from engine.labelling.forms import load_form
from engine.labelling.human_label import HumanLabel, human_label
from store.datasets import datasets
from store.labels import consensus
from store.labels.consensus import Settled
from store.labels.forms import Value
from store.records import HistoryMode
from store.runs import details, runs
from store.runs.details import PredictionDetail

FORM_KEY = "preference"


class LabelledPair(Struct, frozen=True):
    """Two answers to one question, and which of them people prefer."""

    name: str
    """Of the pair, in splits: the numbers of both predictions, `12:15`."""
    a: PredictionDetail
    b: PredictionDetail
    dataset: str
    preferences: Mapping[str, HumanLabel | None]
    """By field of the form: -1 for A, 1 for B, 0 for neither; null where raters differ and neither
    side has most of them behind it."""

    @property
    def group(self) -> str:
        """The question, as `LabelledCase.group` has it."""
        return f"{self.dataset}/{self.a.item_key}"

    @property
    def question(self) -> str:
        return self.a.content.turns[self.a.turn].question

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        """The earlier turns with their golden answers: each system may have seen answers of its
        own."""
        return visible_history(self.a.content.turns, self.a.turn, HistoryMode.GOLD, ())


def labelled_pairs(db: sqlite3.Connection) -> list[LabelledPair]:
    """Every pair that a rater has completed, by number. Hidden repeats are left out."""
    settled = consensus.settled(db, load_form(FORM_KEY))
    names: dict[int, str] = {}
    pairs = []
    for subject, given in groupby(settled, key=lambda one: one.subject):
        a, b = (details.prediction(db, number) for number in subject.numbers)
        if a.run_id not in names:
            release = datasets.release_by_id(db, runs.get(db, a.run_id).release_id)
            names[a.run_id] = release.dataset_name
        preferences = {one.field: preference(one) for one in given}
        pairs.append(LabelledPair(subject.id, a, b, names[a.run_id], preferences))
    return pairs


def preference(settled: Settled) -> HumanLabel | None:
    """The side that raters prefer together, by the rule of all labels (`human_label`): `much
    better` and `better` are one side."""
    raters = tuple(structs.replace(one, value=_side(one.value)) for one in settled.raters)
    value = None if settled.value is None else _side(settled.value)
    source = settled.source
    if source == "conflict" and len({one.value for one in raters}) == 1:
        value, source = _side(raters[0].value), "unanimous"
    label = human_label(structs.replace(settled, raters=raters, value=value, source=source))
    return None if label is None else structs.replace(label, raters=settled.raters)


def step(value: Value) -> int:
    """A value of the form as a number: below 0 for A, above for B."""
    assert isinstance(value, int), "the form's fields are scales without n/a"
    return value


def _side(value: Value) -> int:
    return (step(value) > 0) - (step(value) < 0)
