"""Importing a trec run: what another retriever found for the items of a released dataset."""

from __future__ import annotations

from pathlib import Path

from engine.importers.document_names import DocumentNames
from engine.importers.foreign_run import (
    ForeignAnswer,
    ImportedRun,
    Placed,
    imported_system,
    report,
    store_run,
)
from store.corpora import corpora
from store.datasets import datasets
from store.errors import InputError
from store.formats.trec import read_run
from store.records import Hit
from store.workspace import Workspace


def import_trec_run(
    workspace: Workspace,
    file: Path,
    *,
    run_name: str,
    dataset: str,
    system_name: str | None = None,
    top_k: int | None = None,
) -> ImportedRun:
    """Reads `file` into a new run of a system that only retrieves; all of it or nothing.

    Query ids are item keys and document ids any names of the corpus' documents, each as a whole.
    A query without a line has retrieved nothing, which scores 0. Later turns of conversations,
    which the format cannot name, fail as not provided. Raises InputError, naming file and line,
    for a query that the release lacks.
    """
    db = workspace.db
    release = datasets.find_release(db, dataset)
    corpus_id = datasets.get_by_id(db, release.dataset_id).corpus_id
    names = DocumentNames(db, corpora.get_by_id(db, corpus_id))
    placed = Placed(datasets.released_items(db, release.id), release)
    unknown: dict[str, None] = {}
    for query in read_run(file):
        place = f"{file}, line {query.line}"
        hits = []
        for found in query.hits:
            document = names.find([found.document])
            if document is None:
                unknown[found.document] = None
                hits.append(Hit(found.document, 0, 0, found.score))
            else:
                hits.append(names.whole(document, found.score))
        placed.put(placed.item(place, query.id), 0, 0, ForeignAnswer(place, hits=tuple(hits)))
    if not placed.answers:
        raise InputError(f"{file} holds no retrieved document.")
    nothing = ForeignAnswer(f"{file}, which has no line for it", hits=())
    for item in placed.items.values():
        placed.answers.setdefault((item.revision_id, 0, 0), nothing)
    system = imported_system(
        system_name or run_name, placed.answers.values(), closed_book=False, top_k=top_k
    )
    with workspace.write(durable=True) as db:
        run, job = store_run(db, release, system, run_name, placed.answers, imported_from=file.name)
        return report(db, run, job, release, unknown_documents=unknown)
