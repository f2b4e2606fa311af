"""Importing the flat tables that `export parquet` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.readers import ReadDocument
from engine.exporters import parquet
from engine.importers.sink import NewItem, PutItems, check_dataset, put_items
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import InputError
from store.hashing import text_id
from store.records import (
    UNASSIGNED,
    Evidence,
    Facet,
    ItemContent,
    ItemState,
    Lang,
    Source,
    Taxonomy,
    Turn,
)
from store.workspace import Workspace


class TableReport(Struct, frozen=True):
    documents: IngestReport
    items: PutItems


class _TurnRow(Struct, frozen=True):
    """A row of `items.parquet`, as far as an import uses it."""

    item_id: str
    turn: int
    question: str
    golden_answers: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    expansions: tuple[tuple[str, str], ...]
    topic: str
    task: str
    lang: Lang
    facets: str
    group: str
    state: ItemState
    author: str
    reason: str


class _DocumentRow(Struct, frozen=True):
    document_id: str
    source: str
    locator: str
    external_id: str
    title: str
    text: str
    meta: str


def import_parquet(
    workspace: Workspace,
    folder: Path,
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> TableReport:
    """The items of `items.parquet` in their states, on the documents of `documents.parquet`.

    Each item comes with the text that was exported as its first revision, by its author. Raises
    InputError, naming file and row, for a topic or task that the taxonomy lacks, and for evidence
    that its document does not hold; then nothing is imported.
    """
    documents = _rows(folder / parquet.DOCUMENTS, _DocumentRow)
    items = _items(folder / parquet.ITEMS, taxonomy)
    check_dataset(workspace.db, dataset_name, corpus_name, taxonomy)
    texts = {row.document_id: row.text for _, row in documents}
    for place, row in documents:
        if text_id(row.text) != row.document_id:
            raise InputError(f"{place}: field `text` is not that of {row.document_id}.")
    corpus = open_corpus(workspace, corpus_name, None)
    _check_evidence(workspace, corpus, items, texts)
    report = put_documents(
        workspace,
        corpus,
        (
            ReadDocument(
                row.text,
                Source(row.source, row.title, row.locator, row.external_id),
                msgspec.json.decode(row.meta, type=dict[str, Any]),
            )
            for _, row in documents
        ),
    )
    put = put_items(
        workspace,
        dataset_name,
        corpus,
        taxonomy,
        items,
        author=author,
        note=f"imported from {folder.name}",
    )
    return TableReport(report, put)


def _items(file: Path, taxonomy: Taxonomy) -> list[NewItem]:
    turns: dict[str, list[tuple[str, _TurnRow]]] = {}
    for place, row in _rows(file, _TurnRow):
        turns.setdefault(row.item_id, []).append((place, row))
    legal = (
        {UNASSIGNED, *(topic.key for topic in taxonomy.topics)},
        {UNASSIGNED, *(task.key for task in taxonomy.tasks)},
    )
    return [_item(key, rows, legal) for key, rows in turns.items()]


def _item(
    key: str, rows: Sequence[tuple[str, _TurnRow]], legal: tuple[set[str], set[str]]
) -> NewItem:
    ordered = sorted(rows, key=lambda one: one[1].turn)
    place, first = ordered[0]
    if [row.turn for _, row in ordered] != list(range(len(ordered))):
        raise InputError(f"{place}: the turns of {key!r} are not numbered from 0 without a gap.")
    for field, value, known in zip(
        ("topic", "task"), (first.topic, first.task), legal, strict=True
    ):
        if value not in known:
            raise InputError(
                f"{place}: field `{field}`: the taxonomy has no {value!r}.",
                "Give the taxonomy of the items by --taxonomy NAME.",
            )
    content = ItemContent(
        tuple(
            Turn(row.question, row.golden_answers, row.evidence, dict(row.expansions))
            for _, row in ordered
        ),
        first.topic,
        first.task,
        first.lang,
        msgspec.json.decode(first.facets, type=dict[str, Facet]),
    )
    return NewItem(place, key, content, first.reason, first.state, first.group, first.author)


def _check_evidence(
    workspace: Workspace, corpus: Corpus, items: Sequence[NewItem], texts: dict[str, str]
) -> None:
    for item in items:
        for turn in item.content.turns:
            for unit in turn.evidence:
                text = texts.get(unit.document_id)
                if text is None:
                    ids = [unit.document_id]
                    found = corpora.documents_by_id(workspace.db, corpus, ids)
                    text = found[unit.document_id].text if found else None
                if text is None or (unit.quote or "") not in text[unit.start : unit.end]:
                    raise InputError(
                        f"{item.place}: field `evidence`: {unit.document_id} does not hold it.",
                        "Export the dataset anew.",
                    )


def _rows(file: Path, type: Any) -> list[tuple[str, Any]]:
    found = []
    for number, row in enumerate(parquet.read(file), 1):
        place = f"{file}, row {number}"
        try:
            found.append((place, msgspec.convert(row, type)))
        except msgspec.ValidationError as error:
            raise InputError(f"{place}: {error}.", "Export the dataset anew.") from error
    return found
