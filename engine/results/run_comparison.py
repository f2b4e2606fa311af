"""Runs of one dataset compared: read from the store, paired, tested."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from engine.calibration.calibration_records import CorrectedDifference
from engine.calibration.run_differences import (
    corrected_difference,
    labelled_runs,
    with_holm,
)
from engine.judge.registry import metric_spec
from engine.results.axes import score_rows
from engine.results.comparison import Comparison, Leaderboard, LeftOut, PairedScore, RunComparison
from engine.results.leaderboard import leaderboard
from engine.results.matrix import axis, on_unit_scale
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import check_axes
from engine.statistics.difference import adjusted, difference
from engine.statistics.inference import Cell, PoweredDifference, Settings
from engine.statistics.pairing import common_set
from store.corpora import taxonomies
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.records import Lang, ScoreRow, Taxonomy
from store.runs import results, runs
from store.runs.results import MetricKey
from store.runs.runs import Run

_DEFAULT = Settings()


def compare_runs(
    db: sqlite3.Connection,
    name_a: str,
    name_b: str,
    query: MetricQuery,
) -> RunComparison:
    """The paired difference of two runs of one dataset, over all and in every cell.

    Raises UsageError when the runs answered different datasets, NotFound for a run, metric or axis
    that there is not.
    """
    a, b = runs.get(db, name_a), runs.get(db, name_b)
    taxonomy = shared_taxonomy(db, [a, b])
    rows, cols = query.rows, query.cols
    check_axes(db, a, rows, cols)
    key = query.key(db, a.id)
    scores = [unit_scores(db, run, key, rows, cols) for run in (a, b)]
    lang: Lang = query.lang or results.main_language(db, a.id)
    present = [*scores[0], *scores[1]]
    cells = {(score.item_key, score.turn): (score.row, score.col) for score in present}
    return RunComparison(
        a,
        b,
        key,
        axis(rows, (score.row for score in present), taxonomy, lang),
        axis(cols, (score.col for score in present), taxonomy, lang),
        compare(*scores, higher_is_better=metric_spec(key.name, key.variant).higher_is_better),
        lang,
        corrected=corrected_runs(db, a, b, key, cells),
    )


def corrected_runs(
    db: sqlite3.Connection, a: Run, b: Run, key: MetricKey, cells: Mapping[tuple[str, int], Cell]
) -> CorrectedDifference | None:
    """The difference of two runs corrected by people's labels, over all and in the `cells` of
    questions; None without labels of both, and for a metric that people do not label."""
    labelled = labelled_runs(db, (a, b), key)
    if len(labelled) < 2:
        return None
    return corrected_difference(labelled[a.name], labelled[b.name], key.name, cells)


def paired_scores(
    db: sqlite3.Connection,
    name_a: str,
    name_b: str,
    query: MetricQuery,
    *,
    row: str | None = None,
    col: str | None = None,
) -> tuple[PairedScore, ...]:
    """The turns of a cell (of a row, a column, or all) that are compared, the largest difference
    first; equal ones by item and turn."""
    a, b = runs.get(db, name_a), runs.get(db, name_b)
    key = query.key(db, a.id)
    common = common_set([unit_scores(db, run, key, query.rows, query.cols) for run in (a, b)])
    pairs = [
        PairedScore(item, revision, turn, float(values[0]), float(values[1]))
        for (item, turn, revision), cell, values in zip(
            common.turns, common.cells, common.values, strict=True
        )
        if row in (None, cell[0]) and col in (None, cell[1])
    ]
    pairs.sort(key=lambda pair: (-abs(pair.a - pair.b), pair.item_key, pair.turn))
    return tuple(pairs)


def rank_runs(
    db: sqlite3.Connection,
    names: Sequence[str],
    query: MetricQuery,
) -> tuple[MetricKey, Leaderboard]:
    """The leaderboard of runs of one dataset on the turns that all of them have a value for."""
    compared = [runs.get(db, name) for name in names]
    shared_taxonomy(db, compared)
    key = query.key(db, compared[0].id)
    scores = {run.name: unit_scores(db, run, key, "topic", "task") for run in compared}
    higher = metric_spec(key.name, key.variant).higher_is_better
    board = leaderboard(scores, higher_is_better=higher)
    return key, structs.replace(board, corrected=_corrected(db, compared, key, board))


def _corrected(
    db: sqlite3.Connection, compared: Sequence[Run], key: MetricKey, board: Leaderboard
) -> dict[tuple[str, str], PoweredDifference]:
    labelled = labelled_runs(db, compared, key)
    pairs = {
        (a, b): corrected_difference(labelled[a], labelled[b], key.name, {})
        for a, b in board.pairs
        if a in labelled and b in labelled
    }
    known = {pair: one.overall for pair, one in pairs.items() if one is not None}
    return dict(zip(known, with_holm(list(known.values())), strict=True))


def unit_scores(
    db: sqlite3.Connection, run: Run, key: MetricKey, rows: str, cols: str
) -> list[ScoreRow]:
    """Score rows with judge scales brought to [0, 1].

    Raises InputError when the judge scored the run with other settings or prompts: the difference
    would be the judge's, not the systems'.
    """
    same = _same_metric(db, run, key)
    if same.judge_id != key.judge_id:
        name = key.judge.partition("@")[0]
        raise InputError(
            f"Judge {name!r} scored run {run.name!r} in another configuration than the other run.",
            "Let it judge that run again.",
            f"ragdesk judge {run.name} --judge {name}",
        )
    spec = metric_spec(key.name, key.variant)
    return [
        structs.replace(score, value=on_unit_scale(spec, score.value))
        for score in score_rows(db, run, same, rows, cols)
    ]


def _same_metric(db: sqlite3.Connection, run: Run, key: MetricKey) -> MetricKey:
    for other in results.metrics(db, run.id):
        if structs.replace(other, judge=key.judge) == key:
            return other
    return MetricQuery(key.name, key.variant, key.judge or None).key(db, run.id)


def shared_taxonomy(db: sqlite3.Connection, compared: Sequence[Run]) -> Taxonomy:
    """The taxonomy of the dataset that all the runs answered; raises UsageError for several."""
    releases = [datasets.release_by_id(db, run.release_id) for run in compared]
    names = {release.dataset_name for release in releases}
    if len(names) > 1:
        raise UsageError(
            f"The runs answered different datasets: {', '.join(sorted(names))}.",
            "Compare runs of one dataset.",
            "leaderboard --macro takes several",
        )
    dataset = datasets.get_by_id(db, releases[0].dataset_id)
    return taxonomies.get(db, dataset.taxonomy_id)


def compare(
    a: Iterable[ScoreRow],
    b: Iterable[ScoreRow],
    *,
    higher_is_better: bool | None = True,
    settings: Settings = _DEFAULT,
) -> Comparison:
    """Compares run `a` with run `b` by pairing them turn by turn.

    Only turns on which both have a value count; the others are counted by reason. A cell's figures
    are those that it has alone, except for Holm's adjustment over the cells. The result depends on
    neither the order of the rows nor anything but rows and settings, and swapping the runs negates
    it. `higher_is_better` is null for a metric without a direction. Raises ValueError for rows that
    contradict each other (see `pairing.common_set`).
    """
    common = common_set((a, b))
    by_cell = common.by_cell()
    cells = [difference(cell, higher_is_better, settings) for cell in by_cell.values()]
    return Comparison(
        overall=difference(common, higher_is_better, settings),
        cells=dict(zip(by_cell, adjusted(cells, higher_is_better, settings), strict=True)),
        left_out={LeftOut(*sides): n for sides, n in common.left_out.items()},
        higher_is_better=higher_is_better,
        settings=settings,
    )
