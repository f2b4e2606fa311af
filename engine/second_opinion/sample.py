"""The sample of a run's answers that is scored again."""

from __future__ import annotations

import random
from typing import Any

from msgspec import Struct

from engine.exporters.runs import RunExport, query_id
from store import views
from store.records import ReleasedItem, ScoreState
from store.runs import predictions


class Sampled(Struct, frozen=True):
    """A prediction with what it is scored by, and its stored values."""

    row: dict[str, Any]
    """Of `v1_predictions`."""
    item: ReleasedItem
    scores: dict[tuple[str, str], float]
    """By variant and metric, those that have a value and that no judge gave."""

    @property
    def place(self) -> str:
        """The turn's name, with the number of a further repeat."""
        repeat = self.row["repeat"]
        return query_id(self.row, self.item) + (f", repeat {repeat}" if repeat else "")

    @property
    def texts(self) -> tuple[str, tuple[str, ...]]:
        """The answer and the golden answers."""
        return self.row["answer"] or "", self.item.content.turns[self.row["turn"]].golden_answers


def draw(one: RunExport, size: int, seed: int) -> list[Sampled]:
    """At most `size` of the run's finished predictions, drawn by `seed`, in the run's order."""
    every = predictions.finished_ids(one.db, one.run.id)
    chosen = sorted(random.Random(seed).sample(range(len(every)), min(size, len(every))))
    return [_sampled(one, every[place]) for place in chosen]


def _sampled(one: RunExport, number: int) -> Sampled:
    (row,) = views.rows(one.db, "predictions", prediction_id=number)
    scores = views.rows(one.db, "scores", prediction_id=number, judge="", state=ScoreState.OK)
    return Sampled(
        row,
        one.items[row["item"]],
        {(score["variant"], score["metric"]): score["value"] for score in scores},
    )
