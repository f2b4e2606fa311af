"""Importing a dataset with all its history, as `export items` wrote it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.chunking import chunk
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.exporters.archive import REVISION_KINDS, holds_revision
from engine.importers.sink import misshapen
from engine.text.normalisation import detect_lang
from engine.text.tokens import count_tokens
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets, splits
from store.datasets.datasets import Dataset
from store.datasets.splits import Placed
from store.errors import InputError, UsageError
from store.formats import manifest
from store.hashing import canonical_json, text_id
from store.history import archive, exports, restoring
from store.history.archive import DatasetFile, DocumentLine, EventLine, ItemLine
from store.jobs import prompts
from store.records import Chunk, Document
from store.workspace import Workspace


class ArchiveReport(Struct, frozen=True):
    dataset: str
    items: int
    """Items that were added; 0 where all were there."""
    known: int
    revisions: int
    verdicts: int
    events: int
    documents: int
    releases: tuple[str, ...]
    misfits: tuple[str, ...] = ()
    """Items whose text has not the shape of their task, with the reason; they are as they were."""


class _Archive(Struct, frozen=True):
    """A folder that matches its manifest and whose lines fit together."""

    folder: Path
    about: DatasetFile
    documents: tuple[DocumentLine, ...]
    items: tuple[ItemLine, ...]
    events: tuple[EventLine, ...]


def import_archive(
    workspace: Workspace,
    folder: Path,
    *,
    corpus_name: str,
    dataset_name: str,
    follow_links: bool = False,
) -> ArchiveReport:
    """The dataset under a name, on a corpus made if missing: all of it or nothing.

    Revisions keep authors, reasons and times, labels their raters; the origin of every label
    becomes `import`. Imported again it adds nothing. Raises InputError for a folder that its
    manifest does not match, for lines that do not fit together, and for a dataset of that name
    which holds something else.
    """
    files = (manifest.NAME, archive.DATASET, archive.DOCUMENTS, archive.ITEMS, archive.EVENTS)
    refuse_links([folder], [folder / name for name in files], follow_links=follow_links)
    saved = _read(folder)
    if datasets.find(workspace.db, dataset_name) is not None:
        _check_same(workspace, saved, dataset_name, corpus_name)
        return ArchiveReport(dataset_name, 0, len(saved.items), 0, 0, 0, 0, ())
    with workspace.write(durable=True) as db:
        corpus = _corpus(db, saved, corpus_name)
        for document in saved.documents:
            _put_document(db, corpus, document)
        taxonomy = taxonomies.put(db, saved.about.taxonomy)
        dataset = datasets.create(db, dataset_name, corpus.id, taxonomy)
        _restore(db, dataset, saved)
        labels = tuple(release.label for release in datasets.releases(db, dataset))
    return ArchiveReport(
        dataset_name,
        len(saved.items),
        0,
        sum(len(item.revisions) for item in saved.items),
        sum(len(item.verdicts) for item in saved.items),
        len(saved.events),
        len(saved.documents),
        labels,
        tuple(_misfits(saved)),
    )


def _misfits(saved: _Archive) -> Iterator[str]:
    for item in saved.items:
        content = item.text.content
        if fault := misshapen(saved.about.taxonomy, content):
            yield f"{item.id!r} is no item of task {content.task!r}: {fault}"


def _read(folder: Path) -> _Archive:
    problems = manifest.damage(folder, manifest.read(folder))
    if problems:
        raise InputError(
            f"{folder} is not what its manifest says: {problems[0]}.", "Export it anew."
        )
    about = archive.read_dataset(folder)
    documents = [line for _, line in archive.read_documents(folder)]
    known = {line.document_id for line in documents}
    items: dict[str, ItemLine] = {}
    for number, item in archive.read_items(folder):
        _check_item(f"{folder / archive.ITEMS}, line {number}", item, items, known)
        items[item.id] = item
    forms = {(line.form.key, line.version) for line in about.forms}
    events: dict[int, EventLine] = {}
    for number, event in archive.read_events(folder):
        _check_event(f"{folder / archive.EVENTS}, line {number}", event, events, items, forms)
        events[event.number] = event
    return _Archive(folder, about, tuple(documents), tuple(items.values()), tuple(events.values()))


def _check_item(
    place: str, item: ItemLine, earlier: Mapping[str, ItemLine], documents: set[str]
) -> None:
    numbers = {revision.number for revision in item.revisions}
    named = {
        item.head,
        *(revision.parent for revision in item.revisions),
        *(verdict.revision for verdict in item.verdicts),
        *(judgement.revision for judgement in item.judgements),
        *(held.revision for held in item.released),
        *(verdict.correction for verdict in item.verdicts),
        *(judgement.head_before for judgement in item.judgements),
    } - {None}
    used = {name for revision in item.revisions for name in revision.content.documents}
    for fault, is_there in (
        (f"item {item.id!r} occurs twice", item.id in earlier),
        ("a revision is named that the item does not have", not named <= numbers),
        ("a revision has no turn", not all(revision.content.turns for revision in item.revisions)),
        ("the item names a document that documents.jsonl does not hold", not used <= documents),
    ):
        if is_there:
            raise InputError(f"{place}: {fault}.", "Export the dataset anew.")


def _check_event(
    place: str,
    event: EventLine,
    earlier: Mapping[int, EventLine],
    items: Mapping[str, ItemLine],
    forms: set[tuple[str, int]],
) -> None:
    item = items.get(event.item)
    numbers = {revision.number for revision in item.revisions} if item is not None else set()
    before = {*event.weighed, *((event.undoes,) if event.undoes is not None else ())}
    for fault, is_there in (
        (f"event {event.number} occurs twice", event.number in earlier),
        (f"there is no item {event.item!r}", item is None),
        (f"the item has no revision {event.revision}", event.revision not in numbers),
        ("an event is named that does not come before", not before <= earlier.keys()),
        (
            f"dataset.json has no form {event.form!r} version {event.form_version}",
            (event.form, event.form_version) not in forms,
        ),
    ):
        if is_there:
            raise InputError(f"{place}: {fault}.", "Export the dataset anew.")


def _check_same(workspace: Workspace, saved: _Archive, name: str, corpus_name: str) -> None:
    """Raises InputError unless the dataset holds exactly what the archive does."""
    db = workspace.db
    dataset = datasets.get(db, name)
    items = {item.key: item.id for item in exports.items(db, dataset, None)}
    history = exports.ItemHistory(db, list(items.values()), None)
    here: dict[int, list[bytes]] = {}
    for row in history.revisions():
        here.setdefault(row.item, []).append(row.content.encode())
    there = {
        line.id: [canonical_json(revision.content) for revision in line.revisions]
        for line in saved.items
    }
    same = there == {key: here[item] for key, item in items.items()}
    same &= len(history.events()) == len(saved.events)
    if not same or corpora.get_by_id(db, dataset.corpus_id).name != corpus_name:
        raise UsageError(
            f"There is a dataset {name!r} that is not the one of {saved.folder}.",
            "Choose another name for the dataset.",
        )


def _corpus(db: sqlite3.Connection, saved: _Archive, name: str) -> Corpus:
    chunking = saved.about.chunking if corpora.find(db, name) is None else None
    return corpora.create(db, name, chunking)


def _put_document(db: sqlite3.Connection, corpus: Corpus, line: DocumentLine) -> None:
    if text_id(line.text) != line.document_id:
        raise InputError(f"Document {line.document_id} is not the text it is named after.")
    text = line.text
    row = corpora.put_document(
        db, Document(line.document_id, text, detect_lang(text), count_tokens(text))
    )
    if not corpora.has_chunks(db, corpus, row):
        spans = enumerate(chunk(text, corpus.chunking))
        chunks = (Chunk(line.document_id, at, *span) for at, span in spans)
        corpora.put_chunks(db, corpus, row, chunks)
    for place in line.sources:
        if not place.is_live:
            restoring.past_source(db, corpus, row, place.source, place.meta)
        elif corpora.put_source(db, corpus, row, place.source, place.meta) == "edited":
            raise InputError(
                f"Corpus {corpus.name!r} has another text for {place.source.path}.",
                "Give the archive a corpus of its own.",
                "--corpus NAME",
            )


def _restore(db: sqlite3.Connection, dataset: Dataset, saved: _Archive) -> None:
    about = saved.about
    title = f"imported from {path_text(saved.folder.name)}"
    revisions = {
        (line.id, number): made
        for line in saved.items
        for number, made in restoring.item(db, dataset, line).items()
    }
    for release in about.releases:
        frozen = [
            (revisions[line.id, held.revision], str(held.state))
            for line in saved.items
            for held in line.released
            if held.version == release.version
        ]
        restoring.release(db, dataset, release, frozen)
    _restore_sides(db, dataset, saved)
    for prompt in about.prompts:
        prompts.put(db, prompt)
    verdicts = [(line.id, verdict) for line in saved.items for verdict in line.verdicts]
    restoring.inspections(db, title, verdicts, revisions)
    restoring.provenances(
        db,
        dataset,
        title,
        [
            (revisions[line.id, 1], line.provenance)
            for line in saved.items
            if line.provenance is not None
        ],
    )
    for line in saved.items:
        for judgement in line.judgements:
            restoring.judgement(db, line.id, judgement, revisions)
    _restore_labels(db, saved, revisions)


def _restore_labels(
    db: sqlite3.Connection, saved: _Archive, revisions: Mapping[tuple[str, int], int]
) -> None:
    about = saved.about
    form_ids = {(line.form.key, line.version): restoring.form(db, line) for line in about.forms}
    guidelines = {
        (text.form_key, str(text.version)): restoring.guideline(db, text)
        for text in about.guidelines
    }
    forms = {line.form.key: line.form for line in about.forms}
    held = frozenset(
        (event.form, event.field)
        for event in saved.events
        if event.kind in REVISION_KINDS and holds_revision(forms[event.form], event.field)
    )
    restoring.events(db, saved.events, revisions, form_ids, guidelines, held)


def _restore_sides(db: sqlite3.Connection, dataset: Dataset, saved: _Archive) -> None:
    """The splits, that of the dataset's name under its name here. An item that has its side in a
    split of that name already must have the same."""
    for line in saved.about.splits:
        name = dataset.name if line.name == saved.about.name else line.name
        known = {split.name: split for split in splits.listing(db)}
        split = known.get(name) or splits.create(db, name, line.sides, line.seed)
        before = {member.member: member for member in splits.members(db, split)}
        placed = [
            Placed(item.id, member.group, member.stratum, member.side, member.reason)
            for item in saved.items
            for member in item.placed
            if member.split == line.name
        ]
        _check_sides(name, placed, before)
        splits.add(db, split, [member for member in placed if member.member not in before])


def _check_sides(name: str, placed: Sequence[Placed], before: Mapping[str, Placed]) -> None:
    for member in placed:
        if member.member in before and before[member.member].side != member.side:
            raise InputError(
                f"{member.member!r} is on side {before[member.member].side!r} of split {name!r}"
                f" already, not on {member.side!r}.",
                "Choose another name for the dataset; its split then has that name.",
            )
