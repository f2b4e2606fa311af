"""A run on evolved items beside the initial ones of the same families (AutoEvolve's figures 3 and
4 and table 6 in shape)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.metrics.spec import resolve
from engine.results import derived
from engine.results.matrix import on_unit_scale
from engine.results.metric_query import MetricQuery
from engine.statistics.aggregation import Summary, summarise
from store.datasets import datasets
from store.errors import InputError
from store.records import ScoreRow, ScoreState
from store.runs import runs

STAGES = ("initial", "evolved", "rewritten")


class Change(Struct, frozen=True):
    """What questions that came of others score, beside those."""

    part: str
    """`evolved`, `rewritten`, or an operation."""
    families: int
    """With a value of both."""
    before: Summary
    """Of the initial questions of these families."""
    after: Summary
    difference: Summary
    """After minus before, family by family."""


class EvolvedRun(Struct, frozen=True):
    run: str
    system: str
    metric: str
    changes: tuple[Change, ...]


def evolved_run(db: sqlite3.Connection, run_name: str, metrics: Sequence[str]) -> list[EvolvedRun]:
    """What evolving and rewriting changed for a run, by metric.

    Raises NotFound for an unknown run or metric, InputError for a run on items without a stage.
    """
    run = runs.get(db, run_name)
    items = {item.revision_id: item.content for item in datasets.released_items(db, run.release_id)}
    if not any("stage" in content.facets for content in items.values()):
        raise InputError(
            f"Run {run.name!r} answered no evolved items.", "Evolve some.", "ragdesk evolve"
        )
    found = []
    for name in metrics:
        key = MetricQuery(name).key(db, run.id)
        spec = resolve(key.name, key.variant)
        families: dict[str, dict[str, list[float]]] = {}
        for row in derived.score_rows(db, run, key, "topic", "task"):
            facets = items[row.revision_id].facets
            value = on_unit_scale(spec, row.value) if _is_valued(row) else None
            if value is None:
                continue
            family = families.setdefault(str(facets.get("root")), {})
            stage = str(facets.get("stage"))
            family.setdefault(stage, []).append(value)
            if stage == "evolved":
                family.setdefault(row.col, []).append(value)
        parts = [*STAGES[1:], *sorted({part for one in families.values() for part in one})]
        changes = [_change(part, families) for part in dict.fromkeys(parts) if part != STAGES[0]]
        label = key.label
        found.append(
            EvolvedRun(
                run.name, run.system.name, label, tuple(one for one in changes if one.families)
            )
        )
    return found


def _is_valued(row: ScoreRow) -> bool:
    return row.state is ScoreState.OK


def _change(part: str, families: Mapping[str, Mapping[str, Sequence[float]]]) -> Change:
    both = {
        name: (_mean(family[STAGES[0]]), _mean(family[part]))
        for name, family in families.items()
        if part in family and STAGES[0] in family
    }
    return Change(
        part,
        len(both),
        _summary({name: before for name, (before, _) in both.items()}),
        _summary({name: after for name, (_, after) in both.items()}),
        _summary({name: after - before for name, (before, after) in both.items()}),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _summary(values: Mapping[str, float]) -> Summary:
    return summarise(list(values.values()), [ScoreState.OK] * len(values), list(values))
