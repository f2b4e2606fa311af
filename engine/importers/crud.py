"""Importing CRUD-RAG's output files as a run, with the metrics that rules cannot compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from engine.corpus.ingest import open_corpus, put_documents
from engine.corpus.readers import ReadDocument
from engine.importers.foreign_run import (
    ForeignAnswer,
    ImportedRun,
    Placed,
    attach_scores,
    imported_system,
    report,
    store_run,
)
from engine.importers.foreign_scores import crud_scores
from engine.taxonomy.offline_classification import classify_corpus
from engine.text.normalisation import detect_lang, document_id, normalise
from store.corpora import corpora
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError, UsageError
from store.formats import crud_rag
from store.formats.crud_rag import CrudResult, Original
from store.messages import plural
from store.records import (
    UNASSIGNED,
    Evidence,
    ItemContent,
    ItemState,
    ReleasedItem,
    Source,
    Taxonomy,
    Turn,
)
from store.runs import imported, runs
from store.runs.imported import PredictionKey
from store.workspace import Workspace

JUDGE = "crud-rag"
"""The name under which their values of `bertScore` and RAGQuestEval stand."""


class _Row(Struct, frozen=True):
    """One result, of one task."""

    task: str
    file: Path
    result: CrudResult

    @property
    def place(self) -> str:
        return f"{self.file}, id {self.result.id}"

    @property
    def item_key(self) -> str:
        return f"{self.task}/{self.result.id}"


def import_crud(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    run_name: str,
    dataset: str,
    corpus_name: str | None = None,
    questions: Path | None = None,
    taxonomy: Taxonomy,
    judge: str = JUDGE,
    system_name: str | None = None,
    author: str,
) -> ImportedRun:
    """A new run from output files (or folders of them), one a task.

    Without `corpus_name` a result belongs to the item of release `dataset` whose key is its id, or
    `TASK/id`; with it, a dataset is made from the results and their `original_data`, or else from
    `questions`, their question file. Their files do not say what was retrieved. Raises InputError,
    naming file and id, for an item that the release lacks and a question that nothing gives.
    """
    runs.check_name(workspace.db, run_name)
    files = list(_expanded(paths))
    rows = list(_rows(files))
    made: list[str] = []
    label = dataset
    if corpus_name is not None:
        release = _build(
            workspace,
            _with_questions(rows, crud_rag.read_questions(questions) if questions else {}),
            corpus_name,
            dataset,
            taxonomy,
            author,
        )
        label = release.label
        made.append(f"dataset {label}: {plural(release.items, 'item')} on corpus {corpus_name}")
    release = datasets.find_release(workspace.db, label)
    placed, results = _place(workspace, release, rows)
    system = imported_system(
        system_name or run_name, placed.answers.values(), closed_book=False, top_k=None
    )
    with workspace.write(durable=True) as db:
        run, job = store_run(
            db, release, system, run_name, placed.answers, imported_from=files[0].name
        )
        count = attach_scores(
            db, run, judge, crud_scores(results, imported.predictions(db, run.id))
        )
        return report(db, run, job, release, built=made, scores=count)


def _expanded(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.glob("*.json"))
        if not found:
            raise InputError(f"{path} holds no .json file.", "Name CRUD-RAG's output files.")
        yield from found


def _rows(files: Sequence[Path]) -> Iterator[_Row]:
    seen: dict[str, _Row] = {}
    for file in files:
        output = crud_rag.read_output(file)
        for result in output.results:
            row = _Row(output.task, file, result)
            earlier = seen.setdefault(row.item_key, row)
            if earlier is not row:
                raise InputError(
                    f"{row.place}: the item was answered already in {earlier.file}.",
                    "Import each model as its own run.",
                )
            yield row


def _with_questions(rows: Sequence[_Row], known: Mapping[tuple[str, str], Original]) -> list[_Row]:
    out = []
    for row in rows:
        original = row.result.original or known.get((row.task, row.result.id))
        if original is None:
            raise InputError(
                f"{row.place}: field `original_data` does not give the question.",
                "Name their question file by --questions FILE (split_merged.json).",
            )
        out.append(structs.replace(row, result=structs.replace(row.result, original=original)))
    return out


def _place(
    workspace: Workspace, release: Release, rows: Sequence[_Row]
) -> tuple[Placed, dict[PredictionKey, CrudResult]]:
    placed = Placed(datasets.released_items(workspace.db, release.id), release)
    results: dict[PredictionKey, CrudResult] = {}
    for row in rows:
        item = _item(placed, row)
        result = row.result
        # their code drops such an item from its means; here it stays visible
        error = None if result.valid and result.generated.strip() else "CRUD-RAG found no answer"
        placed.put(item, 0, 0, ForeignAnswer(row.place, result.generated, error))
        if error is None:
            results[item.revision_id, 0, 0] = result
    if not placed.answers:
        raise InputError("The files hold no result.", "Name CRUD-RAG's output files.")
    return placed, results


def _item(placed: Placed, row: _Row) -> ReleasedItem:
    return placed.items.get(row.result.id) or placed.item(row.place, row.item_key)


def _build(
    workspace: Workspace,
    rows: Sequence[_Row],
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
) -> Release:
    if any(dataset.name == dataset_name for dataset in datasets.listing(workspace.db)):
        raise UsageError(
            f"Dataset {dataset_name!r} exists already.",
            f"Import onto it by --dataset {dataset_name}@1 without --corpus, or name another.",
        )
    corpus = open_corpus(workspace, corpus_name, None)
    put_documents(workspace, corpus, _news(rows))
    classify_corpus(workspace, corpus, taxonomy)
    topics = corpora.topics(workspace.db, corpus, taxonomy.key)
    with workspace.write(durable=True) as db:
        dataset = datasets.create(db, dataset_name, corpus.id, corpora.put_taxonomy(db, taxonomy))
        for row in rows:
            content = _content(row, topics)
            first = next(iter(content.turns[0].evidence), None)
            datasets.add_item(
                db,
                dataset,
                row.item_key,
                first.document_id if first else row.item_key,
                content,
                author=author,
                reason="imported from CRUD-RAG output",
                state=ItemState.ACCEPTED,
            )
        return datasets.release(db, dataset, "imported from CRUD-RAG output")


def _content(row: _Row, topics: Mapping[str, str]) -> ItemContent:
    original = row.result.original
    assert original is not None
    news = list(dict.fromkeys(map(document_id, original.news)))
    golden = (row.result.golden,) if row.result.golden.strip() else ()
    return ItemContent(
        (Turn(original.question, golden, tuple(map(Evidence, news))),),
        topics.get(news[0], UNASSIGNED) if news else UNASSIGNED,
        row.task,
        detect_lang(original.question),
    )


def _news(rows: Sequence[_Row]) -> Iterator[ReadDocument]:
    """The articles that questions were made from."""
    for row in rows:
        for number, text in enumerate(row.result.original.news if row.result.original else (), 1):
            name = f"{row.item_key}/news{number}"
            yield ReadDocument(normalise(text), Source(str(row.file), "", name, name))
