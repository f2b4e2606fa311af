"""Queries of an export: a dataset's items with their history, and its corpus's documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.corpora.corpora import Corpus
from store.datasets.datasets import Dataset, Release
from store.datasets.question_sets import QuestionSet
from store.history.archive import QuestionSetLine
from store.labels.forms import Form
from store.labels.guidelines import Guideline
from store.labels.log.events import KNOWN
from store.records import ItemContent, ItemState, Source


class ExportItem(Struct, frozen=True):
    """An item to export, with its head or the revision that a release froze."""

    id: int
    key: str
    group: str
    state: ItemState
    at: str
    revision: int
    number: int
    author: str
    reason: str
    revised_at: str
    content: ItemContent


class DocumentRow(Struct, frozen=True):
    """A text with all its sources in a corpus, in order of their path; the flag says which live."""

    document_id: str
    text: str
    lang: str
    sources: tuple[tuple[Source, dict[str, Any], bool], ...]

    @property
    def first(self) -> tuple[Source, dict[str, Any], bool]:
        """The first live source, or the first of those that were."""
        return next((source for source in self.sources if source[2]), self.sources[0])


class RevisionRow(Struct, frozen=True):
    id: int
    item: int
    number: int
    parent: int | None
    author: str
    reason: str
    at: str
    content: str


class InspectionRow(Struct, frozen=True):
    item: int
    revision: int
    repeat: int
    inspector: str
    prompt: str | None
    state: str
    evaluation: int | None
    reason: str
    checks: str
    correction: int | None
    at: str


class JudgementRow(Struct, frozen=True):
    item: int
    form: str
    revision: int
    state_before: str
    head_before: int
    quorum: int


class ProvenanceRow(Struct, frozen=True):
    item: int
    model: str
    prompt_id: str
    prompt: str | None
    documents: str
    at: str


class EventRow(Struct, frozen=True):
    seq: int
    at: str
    rater: str
    form: str
    form_version: int
    item: int
    revision: int
    repeat: str
    field: str
    value: str | None
    kind: str
    undoes: int | None
    origin: str
    active_ms: int | None
    guideline: str
    account: str
    """Empty for the rater's own."""


class Tally(Struct, frozen=True):
    """The number of values that a rater gave with a form, under a version of its guideline."""

    rater: str
    form: str
    guideline: str
    labels: int


_ITEM = (
    "SELECT item.id, item_key, group_key, {state}, item.created_at, revision.id, number, author,"
    " reason, revision.created_at, content FROM item"
)


def items(db: sqlite3.Connection, dataset: Dataset, release: Release | None) -> list[ExportItem]:
    """The items of a release, or all of a dataset with their heads, in order of their number."""
    if release is None:
        rows = db.execute(
            _ITEM.format(state="item.state") + " JOIN revision ON revision.id = head"
            " WHERE dataset_id = ? ORDER BY item.id",
            (dataset.id,),
        )
    else:
        rows = db.execute(
            _ITEM.format(state="frozen.state")
            + " JOIN release_item AS frozen ON frozen.item_id = item.id"
            " JOIN revision ON revision.id = frozen.revision_id"
            " WHERE release_id = ? ORDER BY item.id",
            (release.id,),
        )
    decode = msgspec.json.Decoder(ItemContent).decode
    return [
        ExportItem(
            id,
            key,
            group,
            ItemState(state),
            at,
            revision,
            number,
            author,
            reason,
            revised,
            decode(c),
        )
        for id, key, group, state, at, revision, number, author, reason, revised, c in rows
    ]


def documents(
    db: sqlite3.Connection, corpus: Corpus, also: Sequence[str] = ()
) -> Iterator[DocumentRow]:
    """The live documents of a corpus and those `also` named, superseded or not, by their id."""
    ids = db.execute(
        "SELECT DISTINCT document.id, document_id FROM document LEFT JOIN source"
        " ON source.document = document.id AND corpus_id = ?1 AND superseded_at IS NULL"
        " WHERE source.id IS NOT NULL OR document_id IN (SELECT value FROM json_each(?2))"
        " ORDER BY document_id",
        (corpus.id, _json(also)),
    ).fetchall()
    for row, document_id in ids:
        text, lang = db.execute("SELECT text, lang FROM document WHERE id = ?", (row,)).fetchone()
        yield DocumentRow(document_id, text, lang, _sources(db, corpus, row))


def _sources(
    db: sqlite3.Connection, corpus: Corpus, row: int
) -> tuple[tuple[Source, dict[str, Any], bool], ...]:
    rows = db.execute(
        "SELECT path, title, locator, external_id, meta, superseded_at IS NULL FROM source"
        " WHERE document = ?1 AND corpus_id = ?2 GROUP BY path, locator, title, external_id, meta,"
        " superseded_at IS NULL ORDER BY path, locator, superseded_at IS NULL DESC, id",
        (row, corpus.id),
    ).fetchall()
    sources = [
        (Source(path, title, locator, external), msgspec.json.decode(meta), bool(live))
        for path, title, locator, external, meta, live in rows
    ]
    return tuple(sources) or ((Source(""), {}, False),)


# What comes up to a release is told by the order in which it was written, so that a clock that was
# ahead or set back takes nothing out of the middle: an undo without its event, a text without its
# parent. Where the release does not say where that order ended, its time does.
_REVISED = (
    "(:release IS NULL OR revision.id <= (SELECT coalesce(made.last_revision,"
    "   max((SELECT coalesce(max(id), 0) FROM revision WHERE created_at <= made.created_at),"
    "    (SELECT coalesce(max(revision_id), 0) FROM release_item JOIN release"
    "     ON release.id = release_id WHERE release.created_at <= made.created_at)))"
    "   FROM release AS made WHERE made.id = :release))"
)
_LABELLED = (
    "(:release IS NULL OR seq <= (SELECT coalesce(made.last_label,"
    "   (SELECT max(seq) FROM label_event WHERE at <= made.created_at), 0)"
    "   FROM release AS made WHERE made.id = :release))"
)
_INSPECTED = (
    "(:release IS NULL OR (SELECT iif(made.last_inspection IS NULL, at <= made.created_at,"
    "   inspection.id <= made.last_inspection) FROM release AS made WHERE made.id = :release))"
)


_REVISION = "CAST(substr(subject, 1, instr(subject || '#', '#') - 1) AS INTEGER)"
_REPEAT = "substr(subject, instr(subject || '#', '#'))"
_OF_ITEMS = "item_id IN (SELECT value FROM json_each(:ids))"
_VALUES = (
    " FROM label_current"
    f" JOIN revision ON revision.id = {_REVISION}"
    f" WHERE subject_kind = 'revision' AND aspect = 'value' AND subject NOT LIKE '%{KNOWN}'"
    f" AND {_OF_ITEMS} AND {_LABELLED}"
)


class ItemHistory:
    """What became of some items, by their number, up to a release where one is named."""

    def __init__(self, db: sqlite3.Connection, ids: Sequence[int], release: int | None) -> None:
        self._db = db
        self._given = {"ids": _json(ids), "release": release}

    def _rows(self, sql: str) -> sqlite3.Cursor:
        return self._db.execute(sql, self._given)

    def revisions(self) -> list[RevisionRow]:
        """All revisions of the items, by item and number."""
        rows = self._rows(
            "SELECT id, item_id, number, parent, author, reason, created_at, content FROM revision"
            f" WHERE {_OF_ITEMS} AND {_REVISED} ORDER BY item_id, number"
        )
        return [RevisionRow(*row) for row in rows]

    def inspections(self) -> list[InspectionRow]:
        """The automatic inspections of the items' revisions, in the order in which they were
        made."""
        rows = self._rows(
            "SELECT item_id, revision_id, repeat, inspector, prompt_hash, state, evaluation,"
            " inspection.reason, checks, correction, at FROM inspection"
            f" JOIN revision ON revision.id = revision_id WHERE {_OF_ITEMS} AND {_INSPECTED}"
            " ORDER BY item_id, inspection.id"
        )
        return [InspectionRow(*row) for row in rows]

    def judgements(self) -> list[JudgementRow]:
        rows = self._rows(
            "SELECT item_id, form_key, revision_id, state_before, head_before, quorum"
            f" FROM judgement WHERE {_OF_ITEMS} ORDER BY item_id, id"
        )
        return [JudgementRow(*row) for row in rows]

    def provenances(self) -> dict[int, ProvenanceRow]:
        """The provenance of each generated item, by item."""
        rows = self._rows(
            "SELECT item_id, model, prompt_id, prompt_hash, documents, created_at"
            " FROM generation_result JOIN generation_attempt AS attempt ON attempt.id = attempt_id"
            f" WHERE {_OF_ITEMS}"
        )
        return {row[0]: ProvenanceRow(*row) for row in rows}

    def question_sets(self) -> dict[int, list[QuestionSetLine]]:
        """The question sets of the items by their number, by name."""
        by_item: dict[int, list[QuestionSetLine]] = {}
        for item, name, golden, content in self._rows(
            "SELECT item_id, name, golden_id, content FROM question_set"
            f" WHERE {_OF_ITEMS} ORDER BY item_id, name"
        ):
            line = QuestionSetLine(name, golden, msgspec.json.decode(content, type=QuestionSet))
            by_item.setdefault(item, []).append(line)
        return by_item

    def events(self) -> list[EventRow]:
        """The whole log about the items' revisions, undone events and undos included; answers to
        known questions are no labels of theirs."""
        rows = self._rows(
            "SELECT seq, at, rater, form.key, form.version, item_id, revision.id,"
            f" {_REPEAT}, field, value, kind, undoes, origin, active_ms, guideline,"
            " coalesce(account, '')"
            " FROM label_event JOIN form ON form.id = form_id"
            f" JOIN revision ON revision.id = {_REVISION}"
            f" WHERE subject_kind = 'revision' AND {_OF_ITEMS}"
            f" AND subject NOT LIKE '%{KNOWN}' AND {_LABELLED} ORDER BY seq"
        )
        return [EventRow(*row) for row in rows]

    def tallies(self) -> list[Tally]:
        """Current values about the items' revisions by rater, form and version of the
        guideline."""
        rows = self._rows(
            f"SELECT rater, form_key, guideline, count(*){_VALUES}"
            " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return [Tally(*row) for row in rows]

    def rater_counts(self) -> dict[int, int]:
        """The number of people who have given a value about each item."""
        return dict(
            self._rows(
                f"SELECT item_id, count(DISTINCT rater){_VALUES} GROUP BY item_id"
            ).fetchall()
        )


def weighed(db: sqlite3.Connection) -> dict[int, tuple[int, ...]]:
    """The events that each adjudication took into account, by its number."""
    by_event: dict[int, list[int]] = {}
    for seq, other in db.execute("SELECT seq, weighed FROM adjudication_basis ORDER BY 1, 2"):
        by_event.setdefault(seq, []).append(other)
    return {seq: tuple(others) for seq, others in by_event.items()}


def raters(db: sqlite3.Connection) -> list[str]:
    """Everybody who has labelled in this workspace, in order of their first event."""
    rows = db.execute("SELECT rater FROM label_event GROUP BY rater ORDER BY min(seq)")
    return [name for (name,) in rows]


def machines(db: sqlite3.Connection) -> set[str]:
    """The authors that are models or rules: who generated items, and who inspected them."""
    rows = db.execute("SELECT model FROM generation_attempt UNION SELECT inspector FROM inspection")
    return {name for (name,) in rows}


def authors(db: sqlite3.Connection) -> list[str]:
    """Everybody who wrote a revision or a guideline here, or labelled in the name of a rater, in
    order of the first."""
    rows = db.execute(
        "SELECT author FROM (SELECT author, min(created_at) AS at FROM revision GROUP BY author"
        " UNION SELECT author, min(at) FROM guideline GROUP BY author"
        " UNION SELECT account, min(at) FROM label_event WHERE account IS NOT NULL GROUP BY 1)"
        " GROUP BY author ORDER BY min(at), author"
    )
    return [name for (name,) in rows]


def document_names(db: sqlite3.Connection, corpus: Corpus) -> dict[str, str]:
    """The names of imported documents, by document id; a name shared by two is left out."""
    rows = db.execute(
        "SELECT document_id, external_id FROM source JOIN document ON document.id = document"
        " WHERE corpus_id = ? AND superseded_at IS NULL AND external_id <> ''"
        " ORDER BY path DESC, locator DESC",
        (corpus.id,),
    ).fetchall()
    names = dict(rows)
    holders: dict[str, set[str]] = {}
    for document_id, name in rows:
        holders.setdefault(name, set()).add(document_id)
    return {id: name for id, name in names.items() if len(holders[name]) == 1}


def form_versions(db: sqlite3.Connection) -> dict[tuple[str, int], Form]:
    """Every stored version of every form."""
    rows = db.execute("SELECT key, version, content FROM form ORDER BY key, version")
    decode = msgspec.json.Decoder(Form).decode
    return {(key, version): decode(content) for key, version, content in rows}


def guidelines(db: sqlite3.Connection, form_keys: Sequence[str]) -> list[Guideline]:
    """All versions of the guidelines of some forms."""
    rows = db.execute(
        "SELECT form_key, version, text, author, at FROM guideline"
        " WHERE form_key IN (SELECT value FROM json_each(?)) ORDER BY form_key, version",
        (_json(form_keys),),
    )
    return [Guideline(*row) for row in rows]


def frozen(db: sqlite3.Connection, dataset: Dataset) -> list[tuple[int, int, int, str]]:
    """(version, item, revision, state) of all releases of a dataset."""
    rows = db.execute(
        "SELECT version, item_id, revision_id, state FROM release_item JOIN release"
        " ON release.id = release_id WHERE dataset_id = ? ORDER BY version, item_id",
        (dataset.id,),
    )
    return [tuple(row) for row in rows]


def notes(db: sqlite3.Connection, dataset: Dataset) -> dict[int, str]:
    """The note of each release, by version."""
    rows = db.execute("SELECT version, note FROM release WHERE dataset_id = ?", (dataset.id,))
    return dict(rows.fetchall())


def _json(values: Sequence[int] | Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
