"""The difference that people would find between two runs: the judge's, corrected by labels."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from engine.calibration.calibration_records import CorrectedDifference, Disputed, Truth
from engine.calibration.judge_values import learned_groups
from engine.calibration.populations import (
    Design,
    Population,
    design_of,
    hull,
    population,
    values_of_run,
)
from engine.calibration.truths import FORM, answers_of, truths_of
from engine.judge.base import LABELLED
from engine.statistics.inference import Cell, PoweredDifference
from engine.statistics.prediction_powered import powered_difference
from engine.statistics.significance import holm
from store.runs import judge_scores, judged_answers
from store.runs.judged_answers import RunAnswer
from store.runs.results import MetricKey
from store.runs.runs import Run

Question = tuple[str, int]
"""An item and a turn."""


class LabelledRun(Struct, frozen=True):
    """A run's answers with people's labels and a judge's values on one metric."""

    questions: dict[Question, RunAnswer]
    truths: list[Truth]
    disputed: list[Disputed]
    values: dict[int, float]
    design: Design

    @classmethod
    def of(
        cls, db: sqlite3.Connection, run: Run, metric: MetricKey, sample: str | None = None
    ) -> LabelledRun:
        """Reads a run; labels were drawn by `sample`, or by the one that holds most of them."""
        judge = judge_scores.get(db, metric.judge_id)
        truths, disputed = truths_of(db, [run.name], sample, metric.name)
        answers = judged_answers.answers(db, run.id, metric)
        learned = learned_groups(db, judge)
        values = values_of_run(db, judge.id, answers, run.id, [metric.name], learned)
        return cls(
            {(one.item_key, one.turn): one for one in answers},
            [truth for truth in truths if truth.group_key not in learned],
            [one for one in disputed if one.lowest.group_key not in learned],
            values[metric.name],
            design_of(db, run.id, answers_of(truths), sample),
        )

    def population(
        self,
        metric: str,
        questions: Sequence[Question],
        more: Sequence[Truth] = (),
    ) -> Population | None:
        answers = [self.questions[question] for question in questions]
        return population(answers, metric, self.values, [*self.truths, *more], self.design)


def labelled_runs(
    db: sqlite3.Connection, runs: Sequence[Run], metric: MetricKey
) -> dict[str, LabelledRun]:
    """What people and the judge of the metric say of those runs that have labels, by name."""
    if not metric.judge_id or metric.name not in LABELLED:
        return {}
    if not judged_answers.has_labels(db, FORM):
        return {}
    read = {run.name: LabelledRun.of(db, run, metric) for run in runs}
    return {name: run for name, run in read.items() if run.truths}


def corrected_difference(
    a: LabelledRun, b: LabelledRun, metric: str, cells: Mapping[Question, Cell]
) -> CorrectedDifference | None:
    """The difference of two runs, corrected by people's labels; None where there is none on the
    questions that both answered.

    `cells` are those of the questions in the comparison that stands beside it.
    """
    sides = (a, b)
    shared = [question for question in a.questions if question in b.questions]

    def between(
        questions: Sequence[Question], more_a: Sequence[Truth] = (), more_b: Sequence[Truth] = ()
    ) -> PoweredDifference | None:
        first, second = (
            side.population(metric, questions, more)
            for side, more in zip(sides, (more_a, more_b), strict=True)
        )
        if first is None or second is None:
            return None
        return powered_difference(
            first.judge, second.judge, first.groups, first.labels, second.labels
        )

    overall = between(shared)
    if overall is None:
        return None
    inside: dict[Cell, list[Question]] = {}
    for question in shared:
        if question in cells:
            inside.setdefault(cells[question], []).append(question)
    by_cell = {cell: between(questions) for cell, questions in sorted(inside.items())}
    low_a, high_a, low_b, high_b = (
        [getattr(one, end) for one in side.disputed] for side in sides for end in _ENDS
    )
    conflicts = len(low_a) + len(low_b)
    bounds = {}
    if conflicts:
        ways = [overall, between(shared, low_a, high_b), between(shared, high_a, low_b)]
        bounds = {
            "bounds": hull([way.run for way in ways if way is not None]),
            "bounds_new": hull([way.new for way in ways if way is not None]),
        }
    return CorrectedDifference(
        overall,
        _adjusted({cell: one for cell, one in by_cell.items() if one and one.new.state == "ok"}),
        tuple(sorted({side.design.sample for side in sides if side.design.sample})),
        conflicts,
        **bounds,
    )


_ENDS = ("lowest", "highest")


def with_holm(found: Sequence[PoweredDifference]) -> list[PoweredDifference]:
    """The same differences, each with its p adjusted for all that have one."""
    tested = [one.new.p for one in found if one.new.p is not None]
    adjusted = iter(holm(tested, [0.0] * len(tested)))
    return [
        one if one.new.p is None else structs.replace(one, p_holm=next(adjusted)) for one in found
    ]


def _adjusted(cells: Mapping[Cell, PoweredDifference]) -> dict[Cell, PoweredDifference]:
    return dict(zip(cells, with_holm(list(cells.values())), strict=True))
