"""The items of a report: what each run answered, with its scores, reasons and passages."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from engine.exporters.runs import RunExport
from engine.labelling.reading.retrieved import GONE, source_text
from engine.metrics.evidence import credit
from engine.report.page.records import (
    Place,
    ReportAnswer,
    ReportItem,
    ReportRun,
    RetrievedPassage,
)
from engine.results.axes import score_rows
from engine.results.matrix import Axis, axis, on_unit_scale
from engine.results.metric_order import spec_of
from store import views
from store.corpora import corpora
from store.records import Evidence, Hit, ItemContent, Lang, PredictionState, ScoreRow, Taxonomy
from store.runs import judge_scores
from store.runs.results import MetricKey
from store.systems import NO_ANSWERS

Turn = tuple[str, int, int]
"""Item, turn and repeat: what a prediction of a run answers."""
Asked = tuple[str, int, int, int]
"""The same with the revision of the item, which runs of two releases may differ in."""


class ReportItems(Struct, frozen=True):
    """The parts of a report that are about items."""

    rows: Axis
    cols: Axis
    items: tuple[ReportItem, ...]
    runs: tuple[ReportRun, ...]
    places: tuple[Place, ...]
    names: dict[str, str]
    texts: dict[str, str]


def report_items(
    db: sqlite3.Connection,
    exports: Sequence[RunExport],
    held: Mapping[str, Mapping[str, MetricKey]],
    taxonomy: Taxonomy,
    rows: str,
    cols: str,
    lang: Lang,
) -> ReportItems:
    """The items of all runs in the order of the first, with the scores of the metrics `held`."""
    scores = {
        one.run.name: {
            id: score_rows(db, one.run, by_run[one.run.name], rows, cols)
            for id, by_run in held.items()
            if one.run.name in by_run
        }
        for one in exports
    }
    asked: dict[Asked, tuple[RunExport, ScoreRow]] = {}
    for one in exports:
        for row in next(iter(scores[one.run.name].values()), []):
            asked.setdefault(_asked(row), (one, row))
    axes = [
        axis(name, (getattr(row, side) for _, row in asked.values()), taxonomy, lang)
        for name, side in ((rows, "row"), (cols, "col"))
    ]
    predictions = {one.run.name: _predictions(db, one) for one in exports}
    documents = corpora.documents_by_id(
        db, exports[0].corpus, _documents([one for one, _ in asked.values()], predictions)
    )
    names = {id: source_text(document) for id, document in documents.items()}
    at = {turn: index for index, turn in enumerate(asked)}
    places: dict[Place, int] = {}
    runs = tuple(
        _run(db, one, held, scores[one.run.name], predictions[one.run.name], at, places)
        for one in exports
    )
    return ReportItems(
        axes[0],
        axes[1],
        tuple(_item(one, row, axes, names) for one, row in asked.values()),
        runs,
        tuple(places),
        {place.document: names.get(place.document, GONE) for place in places},
        {id: document.text for id, document in documents.items()},
    )


def _asked(row: ScoreRow) -> Asked:
    return row.item_key, row.revision_id, row.turn, row.repeat


def _predictions(db: sqlite3.Connection, one: RunExport) -> dict[Turn, dict[str, Any]]:
    selected = views.rows(db, "predictions", run=one.run.name)
    return {(row["item"], row["turn"], row["repeat"]): row for row in selected}


def _documents(
    exports: Sequence[RunExport], predictions: Mapping[str, Mapping[Turn, dict[str, Any]]]
) -> list[str]:
    """The ids of all documents that were retrieved or are named by an item."""
    contents = [item.content for one in dict.fromkeys(exports) for item in one.items.values()]
    quoted = [unit.document_id for content in contents for unit in _evidence(content)]
    retrieved = (
        hit["document_id"]
        for rows in predictions.values()
        for row in rows.values()
        for hit in row["retrieved"] or ()
    )
    return list(dict.fromkeys([*quoted, *retrieved]))


def _evidence(content: ItemContent) -> list[Evidence]:
    return [unit for turn in content.turns for unit in turn.evidence]


def _item(
    one: RunExport, row: ScoreRow, axes: Sequence[Axis], names: Mapping[str, str]
) -> ReportItem:
    content = one.items[row.item_key].content
    turn = content.turns[row.turn]
    return ReportItem(
        key=row.item_key,
        turn=row.turn,
        turns=len(content.turns),
        repeat=row.repeat,
        row=axes[0].keys.index(row.row),
        col=axes[1].keys.index(row.col),
        lang=content.lang,
        question=turn.question,
        golden=turn.golden_answers,
        evidence=tuple(
            (names.get(unit.document_id, GONE), unit.quote or "") for unit in turn.evidence
        ),
        earlier=tuple(
            (before.question, before.golden_answers[0] if before.golden_answers else "")
            for before in content.turns[: row.turn]
        ),
    )


def _run(
    db: sqlite3.Connection,
    one: RunExport,
    held: Mapping[str, Mapping[str, MetricKey]],
    scores: Mapping[str, Sequence[ScoreRow]],
    predictions: Mapping[Turn, dict[str, Any]],
    at: Mapping[Asked, int],
    places: dict[Place, int],
) -> ReportRun:
    answers: list[ReportAnswer | None] = [None] * len(at)
    places_of: dict[Turn, int] = {}
    for row in next(iter(scores.values()), []):
        turn = (row.item_key, row.turn, row.repeat)
        places_of[turn] = at[_asked(row)]
        evidence = one.items[row.item_key].content.turns[row.turn].evidence
        answers[at[_asked(row)]] = _answer(one, predictions[turn], evidence, places)
    values: dict[str, list[float | str | None]] = {}
    for id, rows in scores.items():
        spec, column = spec_of(held[id][one.run.name]), values.setdefault(id, [None] * len(at))
        for row in rows:
            value = on_unit_scale(spec, row.value)
            column[at[_asked(row)]] = (row.state or "pending") if value is None else round(value, 6)
    return ReportRun(
        one.run.name,
        answers,
        values,
        _reasons(db, one, {id: by_run for id, by_run in held.items() if id in scores}, places_of),
    )


def _answer(
    one: RunExport,
    row: Mapping[str, Any],
    evidence: Sequence[Evidence],
    places: dict[Place, int],
) -> ReportAnswer:
    passages = None
    if row["retrieved"] is not None:
        hits = msgspec.convert(row["retrieved"], list[Hit])
        passages = tuple(
            RetrievedPassage(
                places.setdefault(Place(hit.document_id, hit.start, hit.end), len(places)),
                round(hit.score, 6),
                holds,
            )
            for hit, holds in zip(hits, credit(hits, evidence), strict=True)
        )
    state = row["state"]
    has_error = state == PredictionState.FAILED
    return ReportAnswer(
        "answered" if state == PredictionState.OK else state,
        None if one.run.system.generator == NO_ANSWERS else row["answer"],
        f"{row['error_kind']}: {row['error_text']}" if has_error else None,
        passages,
    )


def _reasons(
    db: sqlite3.Connection,
    one: RunExport,
    held: Mapping[str, Mapping[str, MetricKey]],
    places_of: Mapping[Turn, int],
) -> dict[str, dict[int, str]]:
    hashes = {judge.id: judge.hash for judge in judge_scores.of_run(db, one.run.id)} | {0: ""}
    ids = {
        (key.name, key.variant, hashes[key.judge_id]): id
        for id, by_run in held.items()
        for key in [by_run[one.run.name]]
    }
    reasons: dict[str, dict[int, str]] = {}
    for row in views.rows(db, "scores", run=one.run.name):
        id = ids.get((row["metric"], row["variant"], row["judge_hash"]))
        if id is not None and row["reason"] and not row["judge_repeat"]:
            place = places_of[row["item"], row["turn"], row["repeat"]]
            reasons.setdefault(id, {})[place] = row["reason"]
    return reasons
