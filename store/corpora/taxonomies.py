"""Stores taxonomies by content, with their names in a workspace and the uses of their topics."""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.errors import Conflict, NotFound
from store.hashing import canonical_json, content_hash
from store.messages import check_printable
from store.records import UNASSIGNED, Taxonomy


class NamedTaxonomy(Struct, frozen=True):
    """The taxonomy that a name of this workspace refers to at present."""

    taxonomy: Taxonomy
    origin: str
    """The origin of the taxonomy, in words."""
    at: str


class TopicUse(Struct, frozen=True):
    """Items of a dataset in a topic or of a task, counting every text that may still be used."""

    dataset: str
    kind: str
    """`topic` or `task`."""
    key: str
    items: int


_NAMED = (
    "SELECT content, origin, taxonomy_name.at FROM taxonomy_name"
    " JOIN taxonomy ON taxonomy.id = taxonomy_id"
)


def put(db: sqlite3.Connection, taxonomy: Taxonomy) -> int:
    """Stores the taxonomy unless equal content is there already; returns its row number."""
    check_printable("taxonomy", taxonomy.key)
    digest = content_hash(taxonomy)
    db.execute(
        "INSERT INTO taxonomy (key, content_hash, content, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (content_hash) DO NOTHING",
        (taxonomy.key, digest, canonical_json(taxonomy).decode(), now_text()),
    )
    row = db.execute("SELECT id FROM taxonomy WHERE content_hash = ?", (digest,)).fetchone()
    return int(row[0])


def get(db: sqlite3.Connection, taxonomy_id: int) -> Taxonomy:
    row = db.execute("SELECT content FROM taxonomy WHERE id = ?", (taxonomy_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no taxonomy with number {taxonomy_id}.")
    return msgspec.json.decode(row[0], type=Taxonomy)


def find(db: sqlite3.Connection, name: str) -> NamedTaxonomy | None:
    row = db.execute(_NAMED + " WHERE name = ?", (name,)).fetchone()
    return None if row is None else _named(row)


def number(db: sqlite3.Connection, taxonomy: Taxonomy) -> int | None:
    """The row number of equal content, or None."""
    row = db.execute(
        "SELECT id FROM taxonomy WHERE content_hash = ?", (content_hash(taxonomy),)
    ).fetchone()
    return None if row is None else int(row[0])


def listing(db: sqlite3.Connection) -> list[NamedTaxonomy]:
    """All taxonomies that have a name in this workspace, by name."""
    return [_named(row) for row in db.execute(_NAMED + " ORDER BY name")]


def save(db: sqlite3.Connection, taxonomy: Taxonomy, origin: str) -> int:
    """Makes this taxonomy the one of its key; returns how many documents lost their topic by it.

    Datasets of the name follow. A topic or task that their items use must still be there, else
    Conflict names it. Documents whose topic is gone have none, so that classifying finds them.
    """
    _check_uses(db, taxonomy)
    taxonomy_id = put(db, taxonomy)
    db.execute(
        "INSERT INTO taxonomy_name (name, taxonomy_id, origin, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET taxonomy_id = excluded.taxonomy_id,"
        " origin = excluded.origin, at = excluded.at",
        (taxonomy.key, taxonomy_id, origin, now_text()),
    )
    db.execute(
        "UPDATE dataset SET taxonomy_id = ? WHERE taxonomy_id IN"
        " (SELECT id FROM taxonomy WHERE key = ?)",
        (taxonomy_id, taxonomy.key),
    )
    kept = [topic.key for topic in taxonomy.topics] + [UNASSIGNED]
    marks = ",".join("?" * len(kept))
    freed = db.execute(
        f"DELETE FROM document_topic WHERE taxonomy_key = ? AND topic NOT IN ({marks})",
        (taxonomy.key, *kept),
    )
    return freed.rowcount


def uses(db: sqlite3.Connection, name: str) -> list[TopicUse]:
    """The topics and tasks that the datasets of a taxonomy's name use.

    Every text of an item counts, proposals too, unless the item is discarded; released texts count
    whatever became of the item.
    """
    rows = db.execute(
        "WITH used AS (SELECT dataset.name AS dataset, item.id AS item, topic, task FROM dataset"
        "  JOIN taxonomy ON taxonomy.id = taxonomy_id JOIN item ON dataset_id = dataset.id"
        "  JOIN revision ON item_id = item.id WHERE taxonomy.key = ?1 AND (state <> 'discarded'"
        "   OR revision.id IN (SELECT revision_id FROM release_item)))"
        " SELECT dataset, 'topic', topic, count(DISTINCT item) FROM used WHERE topic <> ?2"
        " GROUP BY 1, 3 UNION ALL"
        " SELECT dataset, 'task', task, count(DISTINCT item) FROM used WHERE task <> ?2"
        " GROUP BY 1, 3 ORDER BY 1, 2 DESC, 3",
        (name, UNASSIGNED),
    )
    return [TopicUse(*row) for row in rows]


def _check_uses(db: sqlite3.Connection, taxonomy: Taxonomy) -> None:
    kept = {
        "topic": {topic.key for topic in taxonomy.topics},
        "task": {task.key for task in taxonomy.tasks},
    }
    for use in uses(db, taxonomy.key):
        if use.key not in kept[use.kind]:
            raise Conflict(
                f"Taxonomy {taxonomy.key!r} cannot lose its {use.kind} {use.key!r}:"
                f" {use.items:,} items of dataset {use.dataset!r} use it.",
                f"Keep the {use.kind}, or give the changed taxonomy another name.",
            )


def _named(row: tuple[str, str, str]) -> NamedTaxonomy:
    content, origin, at = row
    return NamedTaxonomy(msgspec.json.decode(content, type=Taxonomy), origin, at)
