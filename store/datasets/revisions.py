"""Reads a revision with its item, its dataset, its documents and its history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from store.corpora import corpora
from store.corpora.corpora import LiveDocument
from store.errors import NotFound
from store.records import ItemContent, ItemState, Task, Taxonomy, Topic

MAY_HIDE = "instr(revision.content, '\"hidden\":') > 0"
"""Finds revisions that hide documents, by an index; a facet may have the name as well."""


class RevisionSheet(Struct, frozen=True):
    """A revision with all that is shown beside it."""

    id: int
    number: int
    parent: int | None
    item: int
    item_key: str
    state: ItemState
    head: int
    """The item's text now, which may be another revision."""
    dataset: str
    author: str
    reason: str
    at: str
    content: ItemContent
    topic: Topic | None
    """Null for a key that the dataset's taxonomy does not have."""
    task: Task | None
    documents: dict[str, LiveDocument]
    """By id, those that the evidence names and that are still there."""


class RevisionLine(Struct, frozen=True):
    """One step in an item's history."""

    id: int
    number: int
    parent: int | None
    author: str
    reason: str
    at: str
    is_head: bool


def groups_asking(db: sqlite3.Connection, questions: Iterable[str]) -> set[str]:
    """The groups of items that ask one of these questions in any turn of any of their texts."""
    asked = list(questions)
    if not asked:
        return set()
    rows = db.execute(
        "SELECT DISTINCT group_key FROM item JOIN revision ON item_id = item.id,"
        " json_each(content, '$.turns') AS turn WHERE json_extract(turn.value, '$.question')"
        " IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(asked).decode(),),
    )
    return {group for (group,) in rows}


def sheet(db: sqlite3.Connection, revision: int) -> RevisionSheet:
    """The revision with all that is shown beside it. Raises NotFound for a missing revision."""
    row = db.execute(
        "SELECT revision.id, number, parent, item.id, item_key, state, head, dataset.name,"
        " author, reason, revision.created_at, revision.content, taxonomy.content, corpus_id"
        " FROM revision JOIN item ON item.id = item_id JOIN dataset ON dataset.id = dataset_id"
        " JOIN taxonomy ON taxonomy.id = taxonomy_id WHERE revision.id = ?",
        (revision,),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no revision with number {revision}.")
    (
        id,
        number,
        parent,
        item,
        key,
        state,
        head,
        dataset,
        author,
        reason,
        at,
        text,
        topics,
        corpus_id,
    ) = row
    content = _content(text)
    taxonomy = _taxonomy(topics)
    document_ids = [entry.document_id for turn in content.turns for entry in turn.evidence]
    return RevisionSheet(
        id,
        number,
        parent,
        item,
        key,
        ItemState(state),
        head,
        dataset,
        author,
        reason,
        at,
        content,
        next((entry for entry in taxonomy.topics if entry.key == content.topic), None),
        next((entry for entry in taxonomy.tasks if entry.key == content.task), None),
        corpora.documents_by_id(db, corpora.get_by_id(db, corpus_id), document_ids),
    )


def parent(db: sqlite3.Connection, revision: int) -> int | None:
    """The revision from which this one was written; None for an item's first."""
    row = db.execute("SELECT parent FROM revision WHERE id = ?", (revision,)).fetchone()
    if row is None:
        raise NotFound(f"There is no revision with number {revision}.")
    return None if row[0] is None else int(row[0])


def history(db: sqlite3.Connection, item: int) -> list[RevisionLine]:
    """An item's revisions, oldest first."""
    rows = db.execute(
        "SELECT revision.id, number, parent, author, reason, revision.created_at,"
        " revision.id = head FROM revision JOIN item ON item.id = item_id"
        " WHERE item_id = ? ORDER BY number",
        (item,),
    )
    return [
        RevisionLine(id, number, parent, author, reason, at, bool(is_head))
        for id, number, parent, author, reason, at, is_head in rows
    ]


_content = msgspec.json.Decoder(ItemContent).decode
_taxonomy = msgspec.json.Decoder(Taxonomy).decode
