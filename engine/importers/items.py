"""Importing gold items: each quote located in its document, the whole released as a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from engine.corpus.finding import CorpusDocuments
from engine.corpus.paths import path_text
from engine.importers.sink import ItemSink, NewItem, check_cell
from store.corpora import corpora
from store.datasets.datasets import Release
from store.errors import InputError
from store.formats.items import FileEvidence, FileItem, read_items
from store.records import Evidence, ItemContent, Taxonomy, Turn
from store.workspace import Workspace


def import_items(
    workspace: Workspace,
    files: Sequence[Path],
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> Release:
    """Reads item files into a new dataset and releases version 1; all of it or nothing.

    Raises InputError, with file and line, for a topic or task that the taxonomy lacks, a source
    that the corpus does not hold, and a quote that its document does not hold verbatim.
    """
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_new()
    corpus = corpora.get(workspace.db, corpus_name)
    documents = CorpusDocuments(workspace.db, corpus)
    items = []
    for file in files:
        for line, item in read_items(file):
            place = f"{file}, line {line}"
            check_cell(place, taxonomy, item.topic, item.task)
            content = _content(place, item, documents, corpus.name)
            items.append(NewItem(place, item.id, content, f"imported from {path_text(file.name)}"))
    if not items:
        raise InputError(
            f"There is no item in {', '.join(map(str, files))}.", "Give one JSON object a line."
        )
    with workspace.write(durable=True) as db:
        return sink.create(db, corpus, items, "imported")


def _content(place: str, item: FileItem, documents: CorpusDocuments, corpus: str) -> ItemContent:
    if not item.turns:
        raise InputError(f"{place}: field `turns` is empty.", "Give the item a question.")
    turns = tuple(
        Turn(
            turn.question,
            tuple(turn.golden_answers),
            tuple(_evidence(place, evidence, documents, corpus) for evidence in turn.evidence),
            keypoints=tuple(turn.keypoints),
        )
        for turn in item.turns
    )
    hidden = tuple(_document(place, "hidden", path, documents, corpus) for path in item.hidden)
    return ItemContent(turns, item.topic, item.task, item.lang, item.facets, hidden)


def _evidence(place: str, given: FileEvidence, documents: CorpusDocuments, corpus: str) -> Evidence:
    document = _document(place, "source", given.source, documents, corpus)
    if given.quote is None:
        return Evidence(document, grade=given.grade)
    evidence = documents.quote(document, given.quote)
    if evidence is None:
        raise InputError(
            f"{place}: field `quote`: {given.source} does not hold {given.quote!r}.",
            "Quote the document word for word.",
        )
    return replace(evidence, grade=given.grade)


def _document(place: str, field: str, path: str, documents: CorpusDocuments, corpus: str) -> str:
    document = documents.at_path(path)
    if document is None:
        raise InputError(
            f"{place}: field `{field}`: corpus {corpus!r} holds no {path!r}.",
            "Ingest that file first, or mend the path.",
        )
    return document
