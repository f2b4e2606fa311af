"""Lists of a dataset's items: those that a filter finds, their lines, and their texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from store.corpora.browsing import like_forms
from store.datasets.datasets import Dataset
from store.hashing import canonical_json
from store.records import ItemContent, ItemState


class ScoreRange(Struct, frozen=True, omit_defaults=True):
    """Items that a run answered with scores from `low` to `high`, both included, in any turn."""

    run_id: int
    metric: str
    variant: str
    judge_id: int = 0
    low: float | None = None
    high: float | None = None


class ItemFilter(Struct, frozen=True, omit_defaults=True):
    """Which items are wanted; what is empty keeps none back."""

    text: str = ""
    """Held by a question or a golden answer of any turn, whatever the case and width of letters."""
    states: tuple[ItemState, ...] = ()
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    """Who wrote the present text: a person, a model, a rule, or an import."""
    document: str = ""
    """Held by the title, path or name of a document of its evidence."""
    verdicts: tuple[int, ...] = ()
    """The latest automatic evaluation of the present text: 2, 1 or 0."""
    score: ScoreRange | None = None
    items: tuple[str, ...] = ()
    """Names of single items."""


class ItemLine(Struct, frozen=True):
    """An item as a list shows it."""

    item: int
    item_key: str
    revision: int
    """Its present text."""
    state: ItemState
    topic: str
    task: str
    author: str
    verdict: int | None
    score: float | None
    """The lowest of its turns, where a filter asked for scores."""
    question: str
    """Of its first turn."""


_VERDICT = (
    "(SELECT evaluation FROM inspection WHERE revision_id = item.head AND inspection.state ="
    " 'parsed' ORDER BY inspection.id DESC LIMIT 1)"
)
_SCORED = (
    "WITH scored AS MATERIALIZED (SELECT asked.item_id AS item, value FROM prediction"
    " JOIN revision AS asked ON asked.id = prediction.revision_id"
    " JOIN score ON prediction_id = prediction.id JOIN metric ON metric.id = metric_id"
    " WHERE run_id = :run_id AND prediction.repeat = 0 AND score.repeat = 0"
    " AND score.state = 'ok' AND metric.name = :metric AND metric.variant = :variant"
    " AND score.judge_id = :judge_id) "
)


def matching(db: sqlite3.Connection, dataset: Dataset, wanted: ItemFilter) -> list[int]:
    """The numbers of a dataset's items that a filter finds, in the order in which they came."""
    clauses = ["item.dataset_id = :dataset"]
    values: dict[str, object] = {"dataset": dataset.id, **_score_values(wanted)}

    def hold(name: str, clause: str, held: Sequence[object]) -> None:
        if held:
            clauses.append(f"{clause} IN (SELECT value FROM json_each(:{name}))")
            values[name] = canonical_json(list(held)).decode()

    hold("states", "item.state", wanted.states)
    hold("topics", "revision.topic", wanted.topics)
    hold("tasks", "revision.task", wanted.tasks)
    hold("authors", "revision.author", wanted.authors)
    hold("verdicts", _VERDICT, wanted.verdicts)
    hold("items", "item.item_key", wanted.items)
    for name, text, sql in (
        ("text", wanted.text, _TEXT),
        ("document", wanted.document, _DOCUMENT),
    ):
        forms = like_forms(text)
        if forms:
            each = (f":{name}{at}" for at in range(len(forms)))
            clauses.append("(" + " OR ".join(sql.format(form=form) for form in each) + ")")
            values.update({f"{name}{at}": form for at, form in enumerate(forms)})
    if wanted.score is not None:
        clauses.append(
            "item.id IN (SELECT item FROM scored WHERE (:low IS NULL OR value >= :low)"
            " AND (:high IS NULL OR value <= :high))"
        )
    scored = _SCORED if wanted.score is not None else ""
    rows = db.execute(
        f"{scored}SELECT item.id FROM item JOIN revision ON revision.id = head"
        f" WHERE {' AND '.join(clauses)} ORDER BY item.id",
        values,
    )
    return [item for (item,) in rows]


_TEXT = (
    "EXISTS (SELECT 1 FROM json_each(revision.content, '$.turns') AS turn WHERE"
    " json_extract(turn.value, '$.question') LIKE {form} ESCAPE '\\' OR EXISTS (SELECT 1 FROM"
    " json_each(turn.value, '$.golden_answers') AS said WHERE said.value LIKE {form} ESCAPE '\\'))"
)
_DOCUMENT = (
    "EXISTS (SELECT 1 FROM json_each(revision.content, '$.turns') AS turn,"
    " json_each(turn.value, '$.evidence') AS unit JOIN document"
    "  ON document.document_id = json_extract(unit.value, '$.document_id')"
    " JOIN dataset ON dataset.id = item.dataset_id JOIN source ON source.document = document.id"
    "  AND source.corpus_id = dataset.corpus_id WHERE source.title LIKE {form} ESCAPE '\\'"
    " OR source.path LIKE {form} ESCAPE '\\' OR source.external_id LIKE {form} ESCAPE '\\')"
)


def _score_values(wanted: ItemFilter) -> dict[str, object]:
    return {} if wanted.score is None else msgspec.structs.asdict(wanted.score)


def lines(db: sqlite3.Connection, items: Sequence[int], wanted: ItemFilter) -> list[ItemLine]:
    """The lines of some items, in the order given; with the scores that the filter asked for."""
    scored, score = "", "NULL"
    if wanted.score is not None:
        scored, score = _SCORED, "(SELECT min(value) FROM scored WHERE scored.item = item.id)"
    rows = db.execute(
        f"{scored}SELECT item.id, item_key, head, item.state, topic, task, author,"
        f" {_VERDICT}, {score}, coalesce(json_extract(content, '$.turns[0].question'), '')"
        " FROM item JOIN revision ON revision.id = head"
        " WHERE item.id IN (SELECT value FROM json_each(:items))",
        {"items": canonical_json(list(items)).decode(), **_score_values(wanted)},
    )
    held = {row[0]: ItemLine(row[0], row[1], row[2], ItemState(row[3]), *row[4:]) for row in rows}
    return [held[item] for item in items if item in held]


def contents(db: sqlite3.Connection, dataset: Dataset) -> dict[int, ItemContent]:
    """The present text of every item of a dataset, by its number, in the order of these."""
    rows = db.execute(
        "SELECT item.id, content FROM item JOIN revision ON revision.id = head"
        " WHERE dataset_id = ? ORDER BY item.id",
        (dataset.id,),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return {item: decode(text) for item, text in rows}


def authors(db: sqlite3.Connection, dataset: Dataset) -> list[str]:
    """Who wrote the present texts of a dataset's items, by name."""
    rows = db.execute(
        "SELECT DISTINCT author FROM item JOIN revision ON revision.id = head"
        " WHERE dataset_id = ? ORDER BY author",
        (dataset.id,),
    )
    return [author for (author,) in rows]


def groups(db: sqlite3.Connection, items: Sequence[int]) -> dict[int, str]:
    """The groups that some items belong to: what hangs together, as items of one document do."""
    rows = db.execute(
        "SELECT id, group_key FROM item WHERE id IN (SELECT value FROM json_each(?))",
        (canonical_json(list(items)).decode(),),
    )
    return dict(rows.fetchall())
