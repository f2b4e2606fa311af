"""Importing the flat tables that `export parquet` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.exporters.parquet import DOCUMENTS, ITEMS
from engine.importers.sink import ItemSink, NewItem, PutItems, check_cell
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import InputError
from store.formats import parquet
from store.hashing import text_id
from store.records import (
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
    hidden: tuple[str, ...] = ()
    """A table of an earlier version has no such column."""
    keypoints: tuple[str, ...] = ()
    """Nor this one."""


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
    follow_links: bool = False,
    author: str,
) -> TableReport:
    """The items of `items.parquet` in their states, on the documents of `documents.parquet`.

    Each item comes with the text that was exported as its first revision, by its author. Raises
    InputError, naming file and row, for a topic or task that the taxonomy lacks, and for evidence
    that its document does not hold; then nothing is imported.
    """
    refuse_links([folder], [folder / DOCUMENTS, folder / ITEMS], follow_links=follow_links)
    documents = _rows(folder / DOCUMENTS, _DocumentRow)
    items = _items(folder / ITEMS, taxonomy)
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_open(corpus_name)
    texts = {row.document_id: row.text for _, row in documents}
    for place, row in documents:
        if text_id(row.text) != row.document_id:
            raise InputError(f"{place}: field `text` is not that of {row.document_id}.")
    corpus = open_corpus(workspace, corpus_name)
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
    return TableReport(report, sink.add(corpus, items, f"imported from {path_text(folder.name)}"))


def _items(file: Path, taxonomy: Taxonomy) -> list[NewItem]:
    turns: dict[str, list[tuple[str, _TurnRow]]] = {}
    for place, row in _rows(file, _TurnRow):
        turns.setdefault(row.item_id, []).append((place, row))
    return [_item(key, rows, taxonomy) for key, rows in turns.items()]


def _item(key: str, rows: Sequence[tuple[str, _TurnRow]], taxonomy: Taxonomy) -> NewItem:
    ordered = sorted(rows, key=lambda placed: placed[1].turn)
    place, first = ordered[0]
    if [row.turn for _, row in ordered] != list(range(len(ordered))):
        raise InputError(f"{place}: the turns of {key!r} are not numbered from 0 without a gap.")
    check_cell(place, taxonomy, first.topic, first.task)
    content = ItemContent(
        tuple(
            Turn(
                row.question, row.golden_answers, row.evidence, dict(row.expansions), row.keypoints
            )
            for _, row in ordered
        ),
        first.topic,
        first.task,
        first.lang,
        msgspec.json.decode(first.facets, type=dict[str, Facet]),
        first.hidden,
    )
    return NewItem(place, key, content, first.reason, first.state, first.group, first.author)


def _check_evidence(
    workspace: Workspace, corpus: Corpus, items: Sequence[NewItem], texts: dict[str, str]
) -> None:
    def text_of(document_id: str) -> str | None:
        if document_id in texts:
            return texts[document_id]
        stored = corpora.documents_by_id(workspace.db, corpus, [document_id])
        return stored[document_id].text if stored else None

    for item in items:
        for document_id in item.content.hidden:
            if text_of(document_id) is None:
                raise InputError(
                    f"{item.place}: field `hidden`: there is no document {document_id}.",
                    "Export the dataset anew.",
                )
        for turn in item.content.turns:
            for unit in turn.evidence:
                text = text_of(unit.document_id)
                if text is None or (unit.quote or "") not in text[unit.start : unit.end]:
                    raise InputError(
                        f"{item.place}: field `evidence`: {unit.document_id} does not hold it.",
                        "Export the dataset anew.",
                    )


def _rows(file: Path, type: Any) -> list[tuple[str, Any]]:
    rows = []
    for number, row in enumerate(parquet.read(file), 1):
        place = f"{file}, row {number}"
        try:
            rows.append((place, msgspec.convert(row, type)))
        except msgspec.ValidationError as error:
            raise InputError(f"{place}: {error}.", "Export the dataset anew.") from error
    return rows
