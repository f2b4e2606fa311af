"""Importing RAGChecker's compared answers: a dataset, a run for each system, and the labels of two
annotators with the form `preference`."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.paths import path_text
from engine.importers.foreign_run import AnswerSlots, ForeignAnswer, store_run
from engine.importers.sink import ItemSink, NewItem
from engine.labelling.forms import load_form
from engine.text.normalisation import detect_lang
from store.corpora import corpora
from store.datasets.datasets import Release
from store.errors import InputError
from store.formats.ragchecker import Pair, Response, read_pairs
from store.jobs.jobs import Job
from store.labels import forms
from store.labels.log import log
from store.labels.log.events import EventKind, Subject
from store.records import ItemContent, Taxonomy, Turn
from store.runs import predictions, runs
from store.workspace import Workspace

FORM = "preference"
ANNOTATORS = "ragchecker"
"""The annotators are nameless: `ragchecker-1`, `ragchecker-2`."""


class ImportedPairs(Struct, frozen=True):
    release: Release
    runs: tuple[str, ...]
    jobs: tuple[Job, ...]
    """What scores the runs."""
    pairs: int
    raters: tuple[str, ...]
    labels: int


def import_ragchecker(
    workspace: Workspace,
    file: Path,
    *,
    dataset: str,
    corpus_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> ImportedPairs:
    """All of the file, or nothing. Its corpus holds no documents: the file names none.

    Every question is an item of a new dataset `dataset`, released; every system a run called
    `DATASET/SYSTEM`, in which questions that it was not asked count as not provided. A pair's A is
    the file's `model1`. Raises InputError for names that are taken and for two texts of one system
    for one question.
    """
    pairs = read_pairs(file)
    answers = _answers(pairs)
    db = workspace.db
    sink = ItemSink(workspace, dataset, taxonomy, author)
    sink.check_new()
    names = {system: f"{dataset}/{system}" for system in answers}
    for name in names.values():
        runs.check_name(db, name)
    with workspace.write(durable=True) as db:
        release = _release(db, sink, pairs, corpus_name, path_text(file.name))
        jobs: list[Job] = []
        numbers: dict[tuple[str, str], int] = {}
        for system, texts in answers.items():
            slots = AnswerSlots(db, release)
            for key, answer in texts.items():
                slots.put(slots.item(answer.place, key), 0, 0, answer)
            run, job = store_run(
                db, slots, slots.system(system), names[system], imported_from=path_text(file.name)
            )
            jobs.append(job)
            stored = predictions.by_key(db, run.id)
            for key in texts:
                numbers[system, key] = stored[slots.items[key].revision_id, 0, 0].id
        raters, count = _label(db, pairs, numbers)
    return ImportedPairs(
        release, tuple(names.values()), tuple(jobs), len(pairs), tuple(raters), count
    )


def _answers(pairs: Sequence[Pair]) -> dict[str, dict[str, ForeignAnswer]]:
    """By system and item."""
    out: defaultdict[str, dict[str, ForeignAnswer]] = defaultdict(dict)
    for pair in pairs:
        if pair.model1.model_name == pair.model2.model_name:
            raise InputError(f"{pair.place}: a system is compared with itself.")
        for answer in (pair.model1, pair.model2):
            _put(out[answer.model_name], pair, answer)
    return dict(sorted(out.items()))


def _put(texts: dict[str, ForeignAnswer], pair: Pair, given: Response) -> None:
    fresh = ForeignAnswer(pair.place, given.response)
    known = texts.setdefault(pair.item_key, fresh)
    if known.answer != fresh.answer:
        raise InputError(
            f"{pair.place}: {given.model_name} has another answer at {known.place}.",
            "Leave one of the two out.",
        )


def _release(
    db: sqlite3.Connection, sink: ItemSink, pairs: Sequence[Pair], corpus_name: str, file: str
) -> Release:
    corpus = corpora.create(db, corpus_name)
    items = []
    for pair in {pair.item_key: pair for pair in pairs}.values():
        content = ItemContent(
            (Turn(pair.query, (pair.golden_answer,)),),
            lang=detect_lang(pair.query + "\n" + pair.golden_answer),
            facets={"source": pair.dataset},
        )
        items.append(NewItem(pair.place, pair.item_key, content, f"imported from {file}"))
    return sink.create(db, corpus, items, "imported from RAGChecker's labels")


def _label(
    db: sqlite3.Connection, pairs: Sequence[Pair], numbers: dict[tuple[str, str], int]
) -> tuple[list[str], int]:
    form = forms.register(db, load_form(FORM))
    raters: set[str] = set()
    count = 0
    for pair in pairs:
        first, second = (
            numbers[model.model_name, pair.item_key] for model in (pair.model1, pair.model2)
        )
        subject = Subject("pair", f"{first}:{second}")
        for number, given in enumerate(pair.labels, 1):
            rater = f"{ANNOTATORS}-{number}"
            raters.add(rater)
            for field, value in given.values.items():
                log.append(
                    db,
                    form,
                    rater,
                    subject,
                    field,
                    value,
                    kind=EventKind.IMPORT,
                    origin="import",
                )
                count += 1
    return sorted(raters), count
