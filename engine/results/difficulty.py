"""Difficulty beside what a run came to: rank correlations, and how figures are distributed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from statistics import fmean, quantiles

from msgspec import Struct

from engine.difficulty.formulas import LAMBDA, difficulty
from engine.results import derived, difficulty_axes
from engine.results.difficulty_axes import COUNTED, Figures
from engine.results.metric_query import MetricQuery
from engine.statistics.rank_correlation import RankCorrelation, rank_correlation
from store.datasets import datasets, difficulties
from store.datasets.datasets import Dataset
from store.datasets.difficulties import Measure, MeasuredTurn
from store.errors import InputError, NotFound, UsageError
from store.messages import choices
from store.records import UNASSIGNED, ScoreRow, ScoreState
from store.runs import results, runs
from store.runs.results import MetricKey

WEIGHTS = (0.0, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0)
"""Values of lambda that a plot of its effect is drawn from; the paper's goes from 1 to 100."""
EDGES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Of the bins that RGD is counted in; the last is open."""


class Correlations(Struct, frozen=True):
    """Spearman's rho of every figure of difficulty with every metric of a run."""

    run: str
    embedding: str
    """Empty where nothing was measured, so that only what items hold is compared."""
    weight: float
    """Lambda of RGD."""
    metrics: tuple[str, ...]
    figures: dict[str, tuple[RankCorrelation, ...]]
    """By name of the figure, one a metric."""
    sweep: dict[str, tuple[RankCorrelation, ...]]
    """By metric, that of RGD at each of `WEIGHTS`; empty where nothing was measured."""


def correlations(
    db: sqlite3.Connection,
    run_name: str,
    metrics: Sequence[str] = (),
    embedding: str | None = None,
    weight: float = LAMBDA,
) -> Correlations:
    """The correlations of a run's metrics, by default of all standard ones that it has values of,
    with difficulty by `embedding`, by default the newest measured.

    Raises NotFound for an unknown run, metric or embedding, UsageError for a `weight` below 0.
    """
    _check_weight(weight)
    run = runs.get(db, run_name)
    keys = [MetricQuery(name).key(db, run.id) for name in metrics] or [
        key for key in results.valued_metrics(db, run.id) if key.judge or key.variant == "standard"
    ]
    measure = chosen_measure(db, datasets.of_release(db, run.release_id), embedding)
    figures = {name: difficulty_axes.figures(db, run, name) for name in COUNTED}
    parts: tuple[Figures, Figures] | None = None
    if measure is not None:
        name = measure.embedding
        rd, gd, distance = (
            difficulty_axes.figures(db, run, f"{one}@{name}") for one in ("rd", "gd", "distance")
        )
        parts = rd, gd
        measured = {"RD": rd, "GD": gd, "RGD": _combined(rd, gd, weight), "distance": distance}
        figures = {**measured, **figures}
    rows = [derived.score_rows(db, run, key, "topic", "task") for key in keys]
    figures = {name: of for name, of in figures.items() if len(set(of.values()) - {None}) > 1}
    return Correlations(
        run.name,
        "" if measure is None else measure.embedding,
        weight,
        tuple(key.label for key in keys),
        {name: tuple(_correlation(of, scores) for scores in rows) for name, of in figures.items()},
        {} if parts is None else _sweep(parts, keys, rows),
    )


def chosen_measure(
    db: sqlite3.Connection, dataset: Dataset, embedding: str | None
) -> Measure | None:
    """The newest measure of a dataset, of an embedding where one is named; None where nothing was
    measured. Raises NotFound for an embedding that it was not measured with."""
    have = difficulties.measures(db, dataset.id)
    if embedding is None:
        return have[0] if have else None
    for one in have:
        if one.embedding == embedding:
            return one
    raise NotFound(
        f"Dataset {dataset.name!r} was not measured with {embedding!r}.",
        choices(embedding, [one.embedding for one in have], "Measured with", none="nothing")
        + " Measure it first.",
        f"ragdesk difficulty measure {dataset.name}",
    )


def _combined(rd: Figures, gd: Figures, weight: float) -> Figures:
    return {
        key: None if value is None else difficulty(value, gd[key] or 0.0, weight)
        for key, value in rd.items()
    }


def _sweep(
    parts: tuple[Figures, Figures], keys: Sequence[MetricKey], rows: Sequence[Sequence[ScoreRow]]
) -> dict[str, tuple[RankCorrelation, ...]]:
    by_weight = [_combined(*parts, weight) for weight in WEIGHTS]
    return {
        key.label: tuple(_correlation(figures, scores) for figures in by_weight)
        for key, scores in zip(keys, rows, strict=True)
    }


def _correlation(figures: Figures, scores: Sequence[ScoreRow]) -> RankCorrelation:
    """Over the turns that have the figure and a value."""
    pairs = [
        (figure, score.value, score.group_key)
        for score in scores
        if score.state is ScoreState.OK and score.value is not None
        if (figure := figures.get((score.revision_id, score.turn))) is not None
    ]
    return rank_correlation(
        [figure for figure, _, _ in pairs],
        [value for _, value, _ in pairs],
        [group for _, _, group in pairs],
    )


class Spread(Struct, frozen=True):
    """How a figure is distributed over some turns."""

    n: int
    mean: float
    quartiles: tuple[float, float, float]
    low: float
    high: float


class Distribution(Struct, frozen=True):
    """The difficulty of the items of a part of a dataset."""

    part: str
    unmeasured: int
    """Turns without evidence that a system can find."""
    rd: Spread | None
    gd: Spread | None
    rgd: Spread | None
    bins: tuple[int, ...]
    """Turns by RGD, from each of `EDGES` up to the next."""


def distributions(
    db: sqlite3.Connection,
    dataset: Dataset,
    embedding: str | None = None,
    by: str = "task",
    weight: float = LAMBDA,
) -> tuple[Measure, list[Distribution]]:
    """The measure, and the difficulty of a dataset's items as they are now: of all of them, then
    by task or another facet. Raises InputError where nothing was measured, NotFound for a facet
    that no item has, UsageError for a `weight` below 0."""
    _check_weight(weight)
    measure = chosen_measure(db, dataset, embedding)
    if measure is None:
        raise InputError(
            f"Nothing of dataset {dataset.name!r} has been measured.",
            "Measure it first.",
            f"ragdesk difficulty measure {dataset.name}",
        )
    turns = difficulties.of_heads(db, measure.id)
    facets = {name for turn in turns for name in turn.content.facets}
    if by != "task" and by not in facets:
        raise NotFound(
            f"No measured item of dataset {dataset.name!r} has the facet {by!r}.",
            choices(by, ["task", *sorted(facets)], "It can be shown by"),
        )
    parts: dict[str, list[MeasuredTurn]] = {}
    for turn in turns:
        key = turn.task if by == "task" else turn.content.facets.get(by, UNASSIGNED)
        parts.setdefault(str(key), []).append(turn)
    shown = [("all", turns), *(sorted(parts.items()) if len(parts) > 1 else ())]
    return measure, [_distribution(part, of, weight) for part, of in shown]


def _check_weight(weight: float) -> None:
    if weight < 0:
        raise UsageError(f"The weight of the steps is {weight:g}.", "Use 0 or more.", "--lambda")


def _distribution(part: str, turns: Sequence[MeasuredTurn], weight: float) -> Distribution:
    pairs = [
        (one.difficulty.rd, one.difficulty.gd)
        for one in turns
        if one.difficulty.rd is not None and one.difficulty.gd is not None
    ]
    combined = [difficulty(rd, gd, weight) for rd, gd in pairs]
    bins = [0] * len(EDGES)
    for figure in combined:
        bins[max(at for at, edge in enumerate(EDGES) if figure >= edge)] += 1
    return Distribution(
        part,
        len(turns) - len(pairs),
        _spread([rd for rd, _ in pairs]),
        _spread([gd for _, gd in pairs]),
        _spread(combined),
        tuple(bins),
    )


def _spread(figures: Sequence[float]) -> Spread | None:
    if not figures:
        return None
    # quartiles of one figure are that figure
    first, middle, third = quantiles([*figures, *figures[: len(figures) == 1]], method="inclusive")
    return Spread(len(figures), fmean(figures), (first, middle, third), min(figures), max(figures))
