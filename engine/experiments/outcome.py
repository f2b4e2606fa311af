"""What an experiment came to: arms by metrics, what they cost, and which to take for which task."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from engine.experiments.design import BASE, Design, read_design
from engine.experiments.ranking import ArmValue, against, best_arm, pareto_front
from engine.experiments.scores import By, arm_scores, higher_is_better, of_items
from engine.experiments.sides import TEST, TRAIN, read_sides
from store.records import ScoreRow, ScoreState
from store.runs import experiments, usage
from store.runs.usage import Usage
from store.workspace import Workspace


class ArmOutcome(Struct, frozen=True):
    name: str
    run_id: int | None
    values: tuple[ArmValue | None, ...]
    """By metric, over the test side; null where the arm has no value there."""
    cost: Usage | None
    """Of one answer; null where the arm has none yet."""
    on_front: bool
    """Whether no other arm is at least as good by the first metric, as cheap and as fast."""


class Recommendation(Struct, frozen=True):
    """The arm chosen on the train side, with what it came to on the test side."""

    by: By
    part: str | None
    """A task, a topic or another part of an axis; null for all items."""
    metric: str
    arm: str
    train_mean: float
    value: ArmValue | None
    """On the test side; null where nothing is scored there."""
    base: ArmValue | None
    """The base system likewise, with the difference to it."""
    tied: int
    """How many other arms are not told apart from it."""
    few_groups: int | None
    """How many groups the turns fall into where these are too few to tell any arms apart."""
    items: int
    """Turns of the test side that all arms have a value for."""


class ExperimentOutcome(Struct, frozen=True):
    name: str
    dataset: str
    design: Design
    train: int
    """Items."""
    test: int
    chosen: tuple[str | None, ...]
    """By metric, the best arm of the train side; null where none is scored."""
    arms: tuple[ArmOutcome, ...]
    recommendations: tuple[Recommendation, ...]
    """By the first metric: over all items, then by the parts of the axis."""


class ExperimentQuery(Struct, frozen=True):
    """The outcome of an experiment, as it stands."""

    experiment: str
    by: By = "task"

    def answer(self, workspace: Workspace) -> ExperimentOutcome:
        """Raises NotFound for an unknown experiment."""
        return outcome(workspace.db, self.experiment, self.by)


def outcome(db: sqlite3.Connection, name: str, by: By = "task") -> ExperimentOutcome:
    """Chooses on the train side and reports on the test side, never on the same items.

    Arms that have not come to a side are left out there.
    """
    experiment = experiments.get(db, name)
    design = read_design(experiment)
    sides = read_sides(db, experiment, design.seed)
    train, test = (
        {key for key, side in sides.side_of.items() if side == wanted} for wanted in (TRAIN, TEST)
    )
    scores = {
        metric: arm_scores(db, experiment.arms, metric, by)
        for metric in dict.fromkeys(design.metrics)
    }
    reported = [
        _reported(rows, train, test, higher_is_better(db, experiment.arms, metric), None)
        for metric, rows in scores.items()
    ]
    columns = [values for _, (values, _) in reported]
    costs = {
        arm.name: used
        for arm in experiment.arms
        if arm.run_id is not None and (used := usage.mean_of_answers(db, arm.run_id))
    }
    higher = higher_is_better(db, experiment.arms, design.metrics[0])
    front = _front(columns[0], costs, higher)
    return ExperimentOutcome(
        experiment.name,
        sides.release.label,
        design,
        sides.train,
        sides.test,
        tuple(best[0] if best else None for best, _ in reported),
        tuple(
            ArmOutcome(
                arm.name,
                arm.run_id,
                tuple(column.get(arm.name) for column in columns),
                costs.get(arm.name),
                arm.name in front,
            )
            for arm in experiment.arms
        ),
        tuple(
            _recommendations(
                reported[0], scores[design.metrics[0]], design, train, test, higher, by
            )
        ),
    )


_Reported = tuple[tuple[str, float] | None, tuple[dict[str, ArmValue], int]]


def _reported(
    rows: dict[str, list[ScoreRow]],
    train: set[str],
    test: set[str],
    higher: bool | None,
    part: str | None,
) -> _Reported:
    """The best arm of the train side with its mean there, and all arms of the test side."""
    on_train = _worked(of_items(rows, train, part))
    best = best_arm(on_train, higher) if on_train else None
    if best is None:
        return None, ({}, 0)
    on_test = _worked(of_items(rows, test, part))
    arm, means = best
    if arm not in on_test:
        return (arm, means[arm]), ({}, 0)
    return (arm, means[arm]), against(arm, on_test, higher)


def _worked(rows: dict[str, list[ScoreRow]]) -> dict[str, list[ScoreRow]]:
    """The arms that have come as far on a side as any other has, without those that have no value
    there: one that retrieves nothing cannot be faithful, and would leave no turn to compare."""
    done = {arm: sum(row.state is not None for row in own) for arm, own in rows.items()}
    most = max(done.values(), default=0)
    return {
        arm: own
        for arm, own in rows.items()
        if done[arm] == most and any(row.state is ScoreState.OK for row in own)
    }


def _front(values: dict[str, ArmValue], costs: dict[str, Usage], higher: bool | None) -> set[str]:
    """The Pareto front of the arms by value, money (or else tokens) and time."""
    sign = -1.0 if higher is False else 1.0
    used = {name: costs[name] for name in values if name in costs}
    priced = all(one.cost is not None for one in used.values())
    points = {}
    for name, one in used.items():
        spent = one.cost if priced else one.tokens
        points[name] = (sign * values[name].mean, -(spent or 0.0), -one.latency_ms)
    return pareto_front(points)


def _recommendations(
    over_all: _Reported,
    rows: dict[str, list[ScoreRow]],
    design: Design,
    train: set[str],
    test: set[str],
    higher: bool | None,
    by: By,
) -> Sequence[Recommendation]:
    parts = sorted({row.row for own in rows.values() for row in own})
    made = []
    for part in (None, *(parts if len(parts) > 1 else ())):
        best, (values, items) = (
            over_all if part is None else _reported(rows, train, test, higher, part)
        )
        if best is None:
            continue
        arm, mean = best
        tied = sum(value.is_tied for value in values.values()) - 1
        made.append(
            Recommendation(
                by,
                part,
                design.metrics[0],
                arm,
                mean,
                values.get(arm),
                values.get(BASE) if arm != BASE else None,
                max(0, tied),
                next(filter(None, (value.few_groups for value in values.values())), None),
                items,
            )
        )
    return made
