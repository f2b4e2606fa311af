"""RAGChecker's human labels: two systems' answers to a question, compared by two people.

Two shapes are read: one object a pair with `labels` (one for each annotator), and the authors' own
list of 560 rows, in which each pair stands twice, once an annotator. A positive label means that
`model2` is better.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from store.errors import InputError
from store.formats.jsonl import read_records

Step = Annotated[int, Meta(ge=-2, le=2)]


class Response(Struct, frozen=True):
    model_name: str
    response: str


class PairLabels(Struct, frozen=True):
    """The labels of one annotator, from -2 (model1 much better) to 2 (model2 much better)."""

    correctness_label: Step
    completeness_label: Step
    overall_label: Step

    @property
    def values(self) -> dict[str, int]:
        """The labels by field of the form `preference`."""
        return {
            "correctness": self.correctness_label,
            "completeness": self.completeness_label,
            "overall": self.overall_label,
        }


class _Row(Struct, frozen=True):
    dataset: str
    query_id: str | int
    query: str
    gt_answer: str
    model1: Response
    model2: Response
    labels: tuple[PairLabels, ...] = ()
    correctness_label: Step | None = None
    completeness_label: Step | None = None
    overall_label: Step | None = None


class Pair(Struct, frozen=True):
    place: str
    """File and line, or number of the row, for people."""
    dataset: str
    query_id: str
    query: str
    golden_answer: str
    model1: Response
    model2: Response
    labels: tuple[PairLabels, ...]
    """In the annotators' order."""

    @property
    def item_key(self) -> str:
        return f"{self.dataset}/{self.query_id}"


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of a file in its order; rows about the same pair are merged.

    Raises InputError naming file and line for what has another shape or no labels.
    """
    folded: dict[tuple[str, str, str, str], Pair] = {}
    for place, row in read_records(file, _Row):
        labels = row.labels or _own(row)
        if not labels:
            raise InputError(f"{place}: there are no labels.", "Give it the labelled pairs.")
        key = (row.dataset, str(row.query_id), row.model1.model_name, row.model2.model_name)
        known = folded.get(key)
        folded[key] = Pair(
            known.place if known else place,
            row.dataset,
            str(row.query_id),
            row.query,
            row.gt_answer,
            row.model1,
            row.model2,
            (known.labels if known else ()) + labels,
        )
    if not folded:
        raise InputError(f"{file} holds no pairs.", "Give it RAGChecker's labelled pairs.")
    return list(folded.values())


def _own(row: _Row) -> tuple[PairLabels, ...]:
    values = (row.correctness_label, row.completeness_label, row.overall_label)
    if any(value is None for value in values):
        return ()
    return (PairLabels(*(int(value) for value in values if value is not None)),)
