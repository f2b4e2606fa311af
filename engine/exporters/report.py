"""Collects a report on some runs: the figures that matrix, leaderboard and compare give, too."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from msgspec import Struct, structs

from engine.exporters.report_items import report_items
from engine.exporters.runs import RunExport
from engine.report.matrix.caption import direction
from engine.report.matrix.labels import Labels
from engine.report.page.records import Report, ReportMetric
from engine.report.page.report import render
from engine.results.comparison import Leaderboard, RunComparison
from engine.results.matrix import RunMatrix, without_empty
from engine.results.metric_order import first_metric, group_of, in_order, spec_of
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import compare_runs, rank_runs, shared_taxonomy
from engine.results.run_matrix import check_axes, run_matrix
from store.errors import NotFound, UsageError
from store.messages import choices
from store.records import Lang
from store.runs import judge_scores, results
from store.runs.results import MetricKey
from store.workspace import Workspace, snapshot

MOST_COMPARED = 6
"""Runs of which every two are compared; of more, each with the first."""

Held = dict[str, MetricKey]
"""A metric by the names of the runs that have it, as each of them calls it."""


class ReportWanted(Struct, frozen=True):
    """What a person asks of a report."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    """By name; empty for all."""
    variants: tuple[str, ...] = ("standard",)
    """Of the metrics that need no judge."""
    rows: str = "topic"
    cols: str = "task"
    lang: Lang | None = None
    """Null for the language of most items."""
    passages: bool = True


def report_page(
    workspace: Workspace,
    wanted: ReportWanted,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """The page, as HTML; `progress` is told how many tables are computed, and of how many.

    Raises NotFound for a run, metric or axis that there is not, UsageError for a run that is named
    twice and for runs of different datasets.
    """
    with snapshot(workspace.db):
        return render(_collected(workspace, wanted, progress))


def _collected(
    workspace: Workspace, wanted: ReportWanted, progress: Callable[[int, int], None]
) -> Report:
    db = workspace.db
    exports = [RunExport(workspace, name) for name in wanted.runs]
    names = [one.run.name for one in exports]
    if len(set(names)) < len(names):
        raise UsageError("A run is named twice.", "Name each run once.")
    taxonomy = shared_taxonomy(db, [one.run for one in exports])
    for one in exports:
        check_axes(db, one.run, wanted.rows, wanted.cols)
    lang: Lang = wanted.lang or results.main_language(db, exports[0].run.id)
    held = _metrics(db, exports, wanted)

    def query(key: MetricKey) -> MetricQuery:
        return MetricQuery.of(key, wanted.rows, wanted.cols, lang=lang)

    maps: dict[tuple[str, str], RunMatrix] = {}
    boards: dict[str, Leaderboard] = {}
    comparisons: dict[tuple[str, str, str], RunComparison] = {}
    total = sum(len(by_run) + 1 + len(_pairs([*by_run])) for by_run in held.values())

    def computed() -> None:
        progress(len(maps) + len(boards) + len(comparisons), total)

    for id, by_run in held.items():
        for run, key in by_run.items():
            view = run_matrix(db, run, query(key))
            maps[run, id] = structs.replace(view, matrix=without_empty(view.matrix))
            computed()
        first, *_ = by_run.values()
        _, boards[id] = rank_runs(db, [*by_run], query(first))
        computed()
        for a, b in _pairs([*by_run]):
            comparisons[a, b, id] = compare_runs(db, a, b, query(by_run[a]))
            computed()
    items = report_items(db, exports, held, taxonomy, wanted.rows, wanted.cols, lang)
    keys = {id: next(iter(by_run.values())) for id, by_run in held.items()}
    first_id = {key: id for id, key in keys.items()}
    chosen = first_metric([*keys.values()])
    return Report(
        dataset=exports[0].release.label,
        lang=lang,
        rows=items.rows,
        cols=items.cols,
        metrics=tuple(_described(id, key, lang) for id, key in keys.items()),
        first_metric=first_id[chosen] if chosen is not None else "",
        boards=boards,
        maps=maps,
        comparisons=comparisons,
        compared_with_first=len(exports) > MOST_COMPARED,
        runs=items.runs,
        items=items.items,
        places=items.places,
        names=items.names,
        texts=items.texts if wanted.passages else None,
    )


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    if len(names) <= MOST_COMPARED:
        return list(combinations(names, 2))
    return [(names[0], other) for other in names[1:]]


def _metrics(
    db: sqlite3.Connection, exports: Sequence[RunExport], wanted: ReportWanted
) -> dict[str, Held]:
    """The metrics of a report by their ids, in the order in which they are offered.

    Judges of one name in different configurations are different judges.
    """
    have = {one.run.name: results.metrics(db, one.run.id) for one in exports}
    known = list(dict.fromkeys(key.name for keys in have.values() for key in keys))
    for name in wanted.metrics:
        if name not in known:
            raise NotFound(
                f"The runs have no scores of {name!r}.", choices(name, known, "They have")
            )
    by_identity: dict[tuple[str, str, int], Held] = {}
    for run, keys in have.items():
        for key in keys:
            is_named = not wanted.metrics or key.name in wanted.metrics
            if is_named and (key.judge or key.variant in wanted.variants):
                by_identity.setdefault((key.name, key.variant, key.judge_id), {})[run] = key
    if not known:
        raise NotFound("The runs have no scores yet.", "Wait until one of them is finished.")
    if not by_identity:
        raise NotFound("The runs have no such scores.", "Name other metrics or variants.")
    leading = {next(iter(held.values())): held for held in by_identity.values()}
    labels = Counter(key.label for key in leading)
    judges = {one.id: one.label for run in exports for one in judge_scores.of_run(db, run.run.id)}
    return {
        key.label if labels[key.label] == 1 else f"{key.name} (judge {judges[key.judge_id]})": held
        for key in in_order([*leading])
        for held in [leading[key]]
    }


def _described(id: str, key: MetricKey, lang: Lang) -> ReportMetric:
    spec = spec_of(key)
    return ReportMetric(
        id=id,
        name=key.name,
        group=Labels(lang).judge.format(key.judge) if key.judge else group_of(key),
        direction=direction(spec.higher_is_better, lang),
        higher_is_better=spec.higher_is_better,
        maximum=spec.maximum,
        has_steps=bool(spec.values),
    )
