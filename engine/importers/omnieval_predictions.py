"""Importing OmniEval's prediction files as a run, with the scores of its result files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.corpus.ingest import IngestReport
from engine.importers.foreign_run import (
    AnswerSlots,
    ForeignAnswer,
    ImportedRun,
    documents_of,
    report,
    store_run,
)
from engine.importers.foreign_scores import attach_scores
from engine.importers.omnieval_dataset import build_dataset
from engine.importers.omnieval_files import OmniFiles, PredictionFile, cell, gather
from engine.importers.omnieval_scores import check_results, omnieval_scores
from engine.importers.sink import ItemSink
from engine.text.normalisation import normalise
from store.corpora import taxonomies
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError, UsageError
from store.formats.omnieval import Node, PredictionRow
from store.records import Hit, ReleasedItem, Taxonomy
from store.runs import predictions, runs
from store.runs.predictions import PredictionKey
from store.workspace import Workspace

JUDGE = "omnieval"
"""The name under which the scores of result files stand beside ours."""


def import_omnieval(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    run_name: str,
    dataset: str,
    corpus_name: str | None = None,
    taxonomy: Taxonomy,
    judge: str = JUDGE,
    system_name: str | None = None,
    top_k: int | None = None,
    author: str,
    progress: Callable[[IngestReport], None] = lambda stored: None,
) -> ImportedRun:
    """A new run from the prediction files among `paths`; see `omnieval_files.gather`.

    Without `corpus_name` the rows are matched to the items of release `dataset` by question, and
    by topic, task and golden answers where questions are equal; with it, corpus and dataset are
    made from the files (`omnieval_dataset`). Raises InputError, naming file and line, for a
    question that the release lacks; then no run is made.

    Result files may also come later: where run `run_name` holds these very answers, only their
    scores are added to it.
    """
    files = gather(paths)
    check_results(files)
    if any(run.name == run_name for run in runs.listing(workspace.db)):
        return _add_results(workspace, files, run_name, dataset, corpus_name, judge)
    runs.check_name(workspace.db, run_name)
    made: list[str] = []
    label = dataset
    if corpus_name is not None:
        built = build_dataset(
            ItemSink(workspace, dataset, taxonomy, author), files, corpus_name, progress
        )
        label = built.release.label
        made += [
            f"corpus {corpus_name}: {built.documents.seen:,} documents,"
            f" {built.stand_ins:,} of them known by their golden passages only",
            f"dataset {label}: {built.release.items:,} items",
        ]
    release = datasets.find_release(workspace.db, label)
    reader = _Reader(workspace, release, files)
    keys = reader.place()
    system = reader.slots.system(
        system_name or run_name, closed_book=files.closed_book, top_k=top_k
    )
    first = files.predictions[0].path.name
    with workspace.write(durable=True) as db:
        run, job = store_run(db, reader.slots, system, run_name, imported_from=first)
        scores, notes = omnieval_scores(files.results, keys, predictions.by_key(db, run.id))
        count = attach_scores(db, run, judge, scores)
        return report(
            db,
            run,
            job,
            release,
            unknown_documents=reader.documents.unknown,
            built=[*made, *notes],
            scores=count,
        )


def _add_results(
    workspace: Workspace,
    files: OmniFiles,
    run_name: str,
    dataset: str,
    corpus_name: str | None,
    judge: str,
) -> ImportedRun:
    run = runs.get(workspace.db, run_name)
    if corpus_name is not None or not files.results:
        raise UsageError(f"There is a run {run_name!r} already.", "Choose another --run NAME.")
    release = datasets.find_release(workspace.db, dataset)
    if release.id != run.release_id:
        answered = datasets.release_by_id(workspace.db, run.release_id).label
        raise UsageError(f"Run {run_name!r} answered {answered}, not {release.label}.")
    reader = _Reader(workspace, release, files)
    keys = reader.place()
    stored = predictions.by_key(workspace.db, run.id)
    for key, answer in reader.slots.answers.items():
        if stored[key].answer != answer.answer:
            raise InputError(
                f"{answer.place}: run {run_name!r} has another answer to this question.",
                "Import these predictions as a run of their own.",
            )
    with workspace.write(durable=True) as db:
        scores, notes = omnieval_scores(files.results, keys, stored)
        count = attach_scores(db, run, judge, scores)
        return report(db, run, None, release, built=notes, scores=count)


class _Reader:
    """Puts each row to its item; a document is known by its id, else by its contents."""

    def __init__(self, workspace: Workspace, release: Release, files: OmniFiles) -> None:
        db = workspace.db
        dataset = datasets.get_by_id(db, release.dataset_id)
        self.slots = AnswerSlots(db, release)
        self.documents = documents_of(db, release)
        self._files = files
        self._release = release
        self._taxonomy = taxonomies.get(db, dataset.taxonomy_id)
        self._matcher = _Matcher(list(self.slots.items.values()))

    def place(self) -> dict[str, list[PredictionKey]]:
        """Places all answers; returns by file name the prediction of every row, in order."""
        lost: list[str] = []
        keys: dict[str, list[PredictionKey]] = {}
        for file in self._files.predictions:
            where = cell(file.path, self._taxonomy)
            of_row: dict[int, PredictionKey] = {}
            for rows in file.groups():
                item = self._matcher.take(rows, where)
                if item is None:
                    lost.append(f"{file.place(rows[0])}: {rows[0].question!r}")
                    continue
                for turn, row in enumerate(rows):
                    self.slots.put(item, turn, 0, self._answer(file, row))
                    of_row[row.line] = (item.revision_id, turn, 0)
            keys[file.path.name] = [of_row[row.line] for row in file.rows if row.line in of_row]
        if lost:
            raise InputError(
                f"{lost[0]} is not a question of {self._release.label}, or was answered before"
                f" ({len(lost)} such questions).",
                "Name the dataset that was answered, or make one by --corpus NAME.",
            )
        return keys

    def _answer(self, file: PredictionFile, row: PredictionRow) -> ForeignAnswer:
        hits = None if row.retrieved is None else tuple(map(self._hit, row.retrieved))
        error = "the prediction is null" if row.answer is None else None
        return ForeignAnswer(f"{file.path.name}, line {row.line}", row.answer, error, hits=hits)

    def _hit(self, node: Node) -> Hit:
        return self.documents.retrieved(node.name, node.contents)


class _Matcher:
    """Items by their first questions; each is given away once."""

    def __init__(self, items: Sequence[ReleasedItem]) -> None:
        self._by_questions: dict[tuple[str, ...], list[ReleasedItem]] = {}
        for item in items:
            questions = tuple(_folded(turn.question) for turn in item.content.turns)
            for end in range(1, len(questions) + 1):
                self._by_questions.setdefault(questions[:end], []).append(item)
        self._taken: set[int] = set()

    def take(self, rows: Sequence[PredictionRow], where: tuple[str, str]) -> ReleasedItem | None:
        """The free item that asks these questions; of several, the one that agrees most."""
        questions = tuple(_folded(row.question) for row in rows)
        free = [
            item
            for item in self._by_questions.get(questions, ())
            if item.item_id not in self._taken
        ]
        if not free:
            return None
        best = max(free, key=lambda item: _agreement(item, rows, where))
        self._taken.add(best.item_id)
        return best


def _agreement(
    item: ReleasedItem, rows: Sequence[PredictionRow], where: tuple[str, str]
) -> tuple[bool, bool, bool]:
    content = item.content
    return (
        len(content.turns) == len(rows),
        (content.topic, content.task) == where,
        tuple(turn.golden_answers for turn in content.turns)
        == tuple(row.golden_answers for row in rows),
    )


def _folded(question: str) -> str:
    return " ".join(normalise(question).split())
