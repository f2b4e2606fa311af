"""Stores datasets: items, their revisions, and the releases that freeze them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from store.clock import now_text
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.errors import Conflict, InputError, NotFound, UsageError
from store.hashing import canonical_json, content_hash
from store.lifecycle import archiving
from store.messages import check_printable, no_such
from store.records import ITEM_TRANSITIONS, ItemContent, ItemState, ReleasedItem


class Dataset(msgspec.Struct, frozen=True):
    id: int
    name: str
    corpus_id: int
    taxonomy_id: int


class Release(msgspec.Struct, frozen=True):
    id: int
    dataset_id: int
    dataset_name: str
    version: int
    created_at: str
    items: int

    @property
    def label(self) -> str:
        """`NAME@V`, the way a release is named everywhere."""
        return f"{self.dataset_name}@{self.version}"


_DATASET = "SELECT id, name, corpus_id, taxonomy_id FROM dataset"


def create(db: sqlite3.Connection, name: str, corpus_id: int, taxonomy_id: int) -> Dataset:
    """A new, empty dataset. Raises what `check_new_name` raises."""
    check_new_name(db, name)
    db.execute(
        "INSERT INTO dataset (name, corpus_id, taxonomy_id, created_at) VALUES (?, ?, ?, ?)",
        (name, corpus_id, taxonomy_id, now_text()),
    )
    return get(db, name)


def check_new_name(db: sqlite3.Connection, name: str) -> None:
    """Raises UsageError for a new dataset's name that is taken, blank or holds `@`, and Conflict
    for one that an archived dataset has.
    """
    if "@" in name or not name.strip():
        raise UsageError(
            f"{name!r} cannot name a dataset.", "Use a name without `@`, which marks a version."
        )
    check_printable("dataset", name)
    taken = find(db, name)
    if taken is not None:
        archiving.refuse_archived(db, "dataset", taken.id, name)
        raise UsageError(f"Dataset {name!r} exists already.", "Choose another name.", "--dataset")


def get(db: sqlite3.Connection, name: str, *, archived: bool = False) -> Dataset:
    """The dataset of that name. An archived one raises Conflict unless `archived` is set, as it is
    for reading what was made of it.
    """
    dataset = find(db, name)
    if dataset is None:
        raise no_such("dataset", name, (known.name for known in listing(db)), "Datasets here")
    if not archived:
        archiving.refuse_archived(db, "dataset", dataset.id, name)
    return dataset


def find(db: sqlite3.Connection, name: str) -> Dataset | None:
    """The dataset of that name, archived or not, or None."""
    row = db.execute(f"{_DATASET} WHERE name = ?", (name,)).fetchone()
    return None if row is None else Dataset(*row)


def for_items(db: sqlite3.Connection, name: str, corpus: str, taxonomy: str = "") -> Dataset | None:
    """The dataset of that name, for items on a corpus; None where it is yet to be made.

    Raises UsageError for one about another corpus, and for one sorted by another taxonomy than the
    one named, Conflict for an archived one.
    """
    if find(db, name) is None:
        return None
    dataset = get(db, name)
    own = corpora.get_by_id(db, dataset.corpus_id).name
    if own != corpus:
        raise UsageError(
            f"Dataset {name!r} is about corpus {own!r}, not {corpus!r}.",
            "Choose another dataset, or its corpus.",
            f"--dataset NAME, --corpus {own}",
        )
    key = taxonomies.get(db, dataset.taxonomy_id).key
    if taxonomy not in ("", key):
        raise UsageError(
            f"Dataset {name!r} is sorted by taxonomy {key!r}, not {taxonomy!r}.",
            "Choose another dataset, or its taxonomy.",
            "--dataset NAME",
        )
    return dataset


def get_by_id(db: sqlite3.Connection, dataset_id: int) -> Dataset:
    row = db.execute(f"{_DATASET} WHERE id = ?", (dataset_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no dataset with number {dataset_id}.")
    return Dataset(*row)


def listing(db: sqlite3.Connection, *, archived: bool = False) -> list[Dataset]:
    """The datasets that are not archived, by name; with `archived` all."""
    where = "" if archived else f"WHERE {archiving.DATASET_SHOWN}"
    rows = db.execute(f"{_DATASET} {where} ORDER BY name")
    return [Dataset(*row) for row in rows]


def add_item(
    db: sqlite3.Connection,
    dataset: Dataset,
    item_key: str,
    group_key: str,
    content: ItemContent,
    *,
    author: str,
    reason: str,
    state: ItemState = ItemState.DRAFTED,
) -> int:
    """A new item with its first revision; returns the item's number.

    An item of that key raises Conflict: nothing is overwritten.
    """
    try:
        item_id = db.execute(
            "INSERT INTO item (dataset_id, item_key, group_key, state, created_at, checksum)"
            " VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?2, ?4))",
            (dataset.id, item_key, group_key, state, now_text()),
        ).lastrowid
    except sqlite3.IntegrityError as error:
        raise Conflict(f"Dataset {dataset.name!r} already holds an item {item_key!r}.") from error
    assert item_id is not None
    revision = put_revision(db, item_id, 1, None, content, author, reason)
    db.execute("UPDATE item SET head = ? WHERE id = ?", (revision, item_id))
    return item_id


def revise(
    db: sqlite3.Connection,
    item_id: int,
    parent: int,
    content: ItemContent,
    *,
    author: str,
    reason: str,
) -> int:
    """Adds a proposal on revision `parent`; the item's head stays until it is accepted.

    Refused with Conflict when `parent` is no longer the item's head.
    """
    row = db.execute(
        "SELECT head, (SELECT max(number) + 1 FROM revision WHERE item_id = item.id)"
        " FROM item WHERE id = ?",
        (item_id,),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no item with number {item_id}.")
    head, number = row
    if head != parent:
        raise _stale(item_id)
    return put_revision(db, item_id, number, parent, content, author, reason)


def head(db: sqlite3.Connection, dataset: Dataset, item_key: str) -> int:
    """The number of the revision that an item's text is now. Raises NotFound for an item that the
    dataset does not have."""
    row = db.execute(
        "SELECT head FROM item WHERE dataset_id = ? AND item_key = ?", (dataset.id, item_key)
    ).fetchone()
    if row is None:
        raise NotFound(
            f"Dataset {dataset.name!r} has no item {item_key!r}.",
            "The list of its items has the names of all.",
            "ragdesk items list",
        )
    return int(row[0])


def move_head(db: sqlite3.Connection, item_id: int, parent: int, revision: int) -> None:
    """Makes `revision`, which must be one of the item's, its head. Raises Conflict when the head is
    no longer `parent`.
    """
    moved = db.execute(
        "UPDATE item SET head = ?1 WHERE id = ?2 AND head = ?3"
        " AND EXISTS (SELECT 1 FROM revision WHERE id = ?1 AND item_id = ?2)",
        (revision, item_id, parent),
    )
    if moved.rowcount != 1:
        raise _stale(item_id)


def set_state(db: sqlite3.Connection, item_id: int, before: ItemState, after: ItemState) -> None:
    """Moves an item from state `before` to `after`. Raises Conflict when it is no longer in
    `before`, or when no step leads from there to `after`.
    """
    if after not in ITEM_TRANSITIONS[before]:
        raise Conflict(f"An item that is {before} cannot become {after}.")
    moved = db.execute(
        "UPDATE item SET state = ?1, checksum = row_sum(item_key, ?1) WHERE id = ?2 AND state = ?3",
        (after, item_id, before),
    )
    if moved.rowcount != 1:
        raise Conflict(f"Item {item_id} is no longer {before}.", "Look at it again.")


def content(db: sqlite3.Connection, revision_id: int) -> ItemContent:
    row = db.execute("SELECT content FROM revision WHERE id = ?", (revision_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no revision with number {revision_id}.")
    return msgspec.json.decode(row[0], type=ItemContent)


def first_contents(db: sqlite3.Connection, dataset: Dataset) -> dict[str, ItemContent]:
    """The first text of each item, by its key."""
    return _contents(db, dataset, "revision.item_id = item.id AND number = 1")


def names_by_revision(db: sqlite3.Connection) -> dict[int, str]:
    """The name of the dataset of every revision."""
    rows = db.execute(
        "SELECT revision.id, dataset.name FROM revision JOIN item ON item.id = item_id"
        " JOIN dataset ON dataset.id = dataset_id"
    )
    return dict(rows.fetchall())


def find_item(db: sqlite3.Connection, dataset: Dataset, item_key: str) -> int | None:
    """The number of the item of that key, where there is one."""
    row = db.execute(
        "SELECT id FROM item WHERE dataset_id = ? AND item_key = ?", (dataset.id, item_key)
    ).fetchone()
    return None if row is None else int(row[0])


def head_contents(db: sqlite3.Connection, dataset: Dataset) -> dict[str, ItemContent]:
    """The text of each item as it is now, by its key; without what is discarded."""
    return _contents(db, dataset, "revision.id = head AND state <> 'discarded'")


def _contents(db: sqlite3.Connection, dataset: Dataset, which: str) -> dict[str, ItemContent]:
    rows = db.execute(
        f"SELECT item_key, content FROM item JOIN revision ON {which}"
        " WHERE dataset_id = ? ORDER BY item.id",
        (dataset.id,),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    return {key: decode(text) for key, text in rows}


def state_counts(db: sqlite3.Connection, dataset: Dataset) -> dict[str, int]:
    rows = db.execute(
        "SELECT state, count(*) FROM item WHERE dataset_id = ? GROUP BY state", (dataset.id,)
    )
    return dict(rows.fetchall())


def release(
    db: sqlite3.Connection, dataset: Dataset, note: str = "", *, unanswered: bool = False
) -> Release:
    """Freezes the head revisions of all accepted items as the next version; with `unanswered` also
    those of authored items whose question stands and whose answer is to be written.

    Raises InputError when no item is accepted, or nothing changed since the last version.
    """
    rows = db.execute(
        "SELECT id, head, state FROM item WHERE dataset_id = ?1 AND (state = ?2 OR ?3 AND id IN"
        " (SELECT item_id FROM authored WHERE form_key = 'authoring_answer')) ORDER BY id",
        (dataset.id, ItemState.ACCEPTED, unanswered),
    ).fetchall()
    if not rows and unanswered:
        raise InputError(
            f"Dataset {dataset.name!r} has no accepted item, and no question that waits for its"
            " answer.",
            "Write questions at Label first.",
            "ragdesk author show",
        )
    if not rows:
        raise InputError(
            f"Dataset {dataset.name!r} has no accepted item to release.",
            "Accept items by inspecting them, or import them.",
        )
    last = releases(db, dataset)
    if last and _frozen(db, last[-1].id) == {(item, head) for item, head, _ in rows}:
        raise InputError(
            f"{last[-1].label} already holds exactly these items.", "There is nothing to release."
        )
    version = last[-1].version + 1 if last else 1
    release_id = db.execute(
        "INSERT INTO release (dataset_id, version, note, created_at, size, last_revision,"
        " last_label, last_inspection) VALUES (?, ?, ?, ?, ?,"
        " (SELECT coalesce(max(id), 0) FROM revision),"
        " (SELECT coalesce(max(seq), 0) FROM label_event),"
        " (SELECT coalesce(max(id), 0) FROM inspection))",
        (dataset.id, version, note, now_text(), len(rows)),
    ).lastrowid
    db.executemany(
        "INSERT INTO release_item (release_id, item_id, revision_id, state, checksum)"
        " VALUES (?1, ?2, ?3, ?4, row_sum(?2, ?3, ?4))",
        ((release_id, item, head, state) for item, head, state in rows),
    )
    return releases(db, dataset)[-1]


def releases(db: sqlite3.Connection, dataset: Dataset) -> list[Release]:
    rows = db.execute(
        "SELECT release.id, dataset_id, version, created_at,"
        " (SELECT count(*) FROM release_item WHERE release_id = release.id)"
        " FROM release WHERE dataset_id = ? ORDER BY version",
        (dataset.id,),
    )
    return [
        Release(id, dataset_id, dataset.name, version, at, items)
        for id, dataset_id, version, at, items in rows
    ]


def find_release(db: sqlite3.Connection, label: str) -> Release:
    """The release called `NAME@V`, or the latest of dataset `NAME`.

    A dataset without a release raises InputError that names the command which makes one.
    """
    name, _, version = label.partition("@")
    dataset = get(db, name)
    frozen = releases(db, dataset)
    if not frozen:
        raise InputError(
            f"Dataset {name!r} has not been released yet; only a frozen version can be run.",
            "Release it first.",
            f"ragdesk release --dataset {name}",
        )
    if not version:
        return frozen[-1]
    for candidate in frozen:
        if str(candidate.version) == version:
            return candidate
    raise no_such("release", label, (candidate.label for candidate in frozen), "Releases")


def of_release(db: sqlite3.Connection, release_id: int) -> Dataset:
    """The dataset of a release."""
    row = db.execute(
        f"{_DATASET} WHERE id = (SELECT dataset_id FROM release WHERE id = ?)", (release_id,)
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no release with number {release_id}.")
    return Dataset(*row)


def corpus_of(db: sqlite3.Connection, release_id: int) -> Corpus:
    """The corpus that the items of a release are about."""
    return corpora.get_by_id(db, of_release(db, release_id).corpus_id)


def release_by_id(db: sqlite3.Connection, release_id: int) -> Release:
    frozen = releases(db, of_release(db, release_id))
    return next(candidate for candidate in frozen if candidate.id == release_id)


def released_items(db: sqlite3.Connection, release_id: int) -> Iterator[ReleasedItem]:
    """The frozen items of a release, in order of item number."""
    rows = db.execute(
        "SELECT revision.id, item.id, item_key, group_key, content FROM release_item"
        " JOIN item ON item.id = release_item.item_id"
        " JOIN revision ON revision.id = release_item.revision_id"
        " WHERE release_id = ? ORDER BY item.id",
        (release_id,),
    )
    decode = msgspec.json.Decoder(ItemContent).decode
    for revision_id, item_id, item_key, group_key, text in rows:
        yield ReleasedItem(revision_id, item_id, item_key, group_key, decode(text))


def _stale(item_id: int) -> Conflict:
    return Conflict(f"Item {item_id} was changed by somebody else meanwhile.", "Look at it again.")


def _frozen(db: sqlite3.Connection, release_id: int) -> set[tuple[int, int]]:
    rows = db.execute(
        "SELECT item_id, revision_id FROM release_item WHERE release_id = ?", (release_id,)
    )
    return set(rows.fetchall())


def put_revision(
    db: sqlite3.Connection,
    item_id: int,
    number: int,
    parent: int | None,
    content: ItemContent,
    author: str,
    reason: str,
    at: str | None = None,
) -> int:
    """Stores a revision, by default as of now; returns its row number. The head stays."""
    if not content.turns:
        raise InputError(f"Item {item_id} has no turn.", "Give it at least one question.")
    # read back first: text that came from another process is equal to a default but not the same
    # object, and only the same object is left out of the JSON that is stored and hashed
    content = msgspec.json.decode(msgspec.json.encode(content), type=ItemContent)
    revision = db.execute(
        "INSERT INTO revision (item_id, number, parent, author, reason, created_at, topic, task,"
        " lang, turns, content, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item_id,
            number,
            parent,
            author,
            reason,
            at or now_text(),
            content.topic,
            content.task,
            content.lang,
            len(content.turns),
            canonical_json(content).decode(),
            content_hash(content),
        ),
    ).lastrowid
    assert revision is not None
    return revision
