"""Importing a trec run: what another retriever found for the items of a released dataset."""

from __future__ import annotations

from pathlib import Path

from engine.corpus.paths import path_text
from engine.importers.foreign_run import (
    AnswerSlots,
    ForeignAnswer,
    ImportedRun,
    documents_of,
    report,
    store_run,
)
from store.datasets import datasets
from store.errors import InputError
from store.formats.trec import read_run
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

    Query ids are item keys, in conversations `KEY#TURN` or `KEY` for the first turn. Document ids
    are any names of the corpus' documents, each as a whole, or `DOCUMENT:START-END`. A query
    without a line has retrieved nothing, which scores 0; later turns without one fail as not
    provided. Raises InputError, naming file and line,
    for a query that the release lacks.
    """
    db = workspace.db
    release = datasets.find_release(db, dataset)
    documents = documents_of(db, release)
    slots = AnswerSlots(db, release)
    for query in read_run(file):
        place = f"{file}, line {query.line}"
        hits = tuple(
            documents.chunk(hit.document, hit.score)
            or documents.retrieved(hit.document, score=hit.score)
            for hit in query.hits
        )
        key, turn = _turn(slots, query.id)
        slots.put(slots.item(place, key), turn, 0, ForeignAnswer(place, hits=hits))
    if not slots.answers:
        raise InputError(f"{file} holds no retrieved document.")
    nothing = ForeignAnswer(f"{file}, which has no line for it", hits=())
    for item in slots.items.values():
        slots.answers.setdefault((item.revision_id, 0, 0), nothing)
    system = slots.system(system_name or run_name, top_k=top_k)
    with workspace.write(durable=True) as db:
        run, job = store_run(db, slots, system, run_name, imported_from=path_text(file.name))
        return report(db, run, job, release, unknown_documents=documents.unknown)


def _turn(slots: AnswerSlots, query: str) -> tuple[str, int]:
    """The item's key and the turn that a query id names."""
    key, mark, turn = query.rpartition("#")
    is_turn = mark and query not in slots.items and key in slots.items and turn.isdecimal()
    return (key, int(turn)) if is_turn else (query, 0)
