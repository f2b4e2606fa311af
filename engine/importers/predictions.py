"""Importing the answers of one's own RAG system onto a released dataset, as a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.corpus.finding import HitReader
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
from store.formats.predictions import FilePrediction, read_predictions
from store.workspace import Workspace


def import_predictions(
    workspace: Workspace,
    file: Path,
    *,
    run_name: str,
    dataset: str,
    system_name: str | None = None,
    closed_book: bool = False,
    top_k: int | None = None,
) -> ImportedRun:
    """Reads `file` into a new run over release `dataset` (`NAME@V`); all of it or nothing.

    Turns that the file gives nothing for fail as `not_provided`. A document that the corpus does
    not hold keeps its rank and is reported. Raises InputError, naming file and line, for an item
    or turn that the release lacks, a second answer, a span outside its document, an answer that
    is missing among others, and retrieved documents of a system said to be closed-book.
    """
    db = workspace.db
    release = datasets.find_release(db, dataset)
    documents = documents_of(db, release)
    hits = HitReader(documents)
    slots = AnswerSlots(db, release)
    for line, row in read_predictions(file):
        place = f"{file}, line {line}"
        item = slots.item(place, str(row.id))
        slots.put(item, row.turn, row.repeat, _answer(place, row, hits, closed_book))
    if not slots.answers:
        raise InputError(f"{file} holds no prediction.", "Give it one JSON object a line.")
    _refuse_gaps(list(slots.answers.values()))
    system = slots.system(system_name or run_name, closed_book=closed_book, top_k=top_k)
    # everything was read before, so that the one transaction is short: a worker may be writing
    with workspace.write(durable=True) as db:
        run, job = store_run(db, slots, system, run_name, imported_from=path_text(file.name))
        return report(
            db,
            run,
            job,
            release,
            unknown_documents=documents.unknown,
            unlocated=hits.unlocated,
        )


def _answer(place: str, row: FilePrediction, hits: HitReader, closed_book: bool) -> ForeignAnswer:
    if closed_book and row.retrieved:
        raise InputError(
            f"{place}: field `retrieved` is given for a system that is closed-book.",
            "Say of the system that it retrieves.",
            "without --closed-book",
        )
    retrieved = None
    if row.retrieved is not None and not closed_book:
        retrieved = tuple(hits.read(place, entry) for entry in row.retrieved)
    error = (row.error or "").strip() or None
    return ForeignAnswer(place, row.answer, error, row.refused, retrieved)


def _refuse_gaps(answers: Sequence[ForeignAnswer]) -> None:
    """An answer may be left out only by a system that gives none at all, and retrieves."""
    silent = [
        answer
        for answer in answers
        if answer.answer is None and not answer.error and not answer.refused
    ]
    only_retrieves = len(silent) == len(answers) and all(
        answer.hits is not None for answer in answers
    )
    if silent and not only_retrieves:
        raise InputError(
            f"{silent[0].place}: field `answer` is missing.",
            "Give the answer, or say by `error` or `refused` why there is none.",
        )
