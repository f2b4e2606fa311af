"""Importing CRUD-RAG's output files as a run, with the metrics that rules cannot compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from engine.corpus.ingest import open_corpus, put_documents
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.importers.foreign_run import (
    AnswerSlots,
    ForeignAnswer,
    ImportedRun,
    report,
    store_run,
)
from engine.importers.foreign_scores import NO_VALUE, Scores, attach_scores, checked, missing
from engine.importers.sink import ItemSink, NewItem, import_onto
from engine.metrics.spec import MetricSpec, resolve
from engine.taxonomy.offline_classification import topics_of
from engine.text.normalisation import detect_lang, document_id, normalise
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError
from store.formats import crud_rag
from store.formats.crud_rag import CrudResult, Original
from store.messages import plural
from store.records import (
    UNASSIGNED,
    Evidence,
    ItemContent,
    MetricScore,
    ReleasedItem,
    ScoreState,
    Source,
    Taxonomy,
    Turn,
)
from store.runs import predictions, runs
from store.runs.predictions import PredictionKey, StoredPrediction
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
    follow_links: bool = False,
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
    refuse_links(paths, files, follow_links=follow_links)
    rows = list(_rows(files))
    made: list[str] = []
    label = dataset
    if corpus_name is not None:
        release, misfits = _build(
            ItemSink(workspace, dataset, taxonomy, author),
            _with_questions(rows, crud_rag.read_questions(questions) if questions else {}),
            corpus_name,
        )
        label = release.label
        made.append(f"dataset {label}: {plural(release.items, 'item')} on corpus {corpus_name}")
        made += misfits
    release = datasets.find_release(workspace.db, label)
    slots, results = _place(workspace, release, rows)
    system = slots.system(system_name or run_name)
    with workspace.write(durable=True) as db:
        run, job = store_run(db, slots, system, run_name, imported_from=path_text(files[0].name))
        count = attach_scores(db, run, judge, crud_scores(results, predictions.by_key(db, run.id)))
        return report(db, run, job, release, built=made, scores=count)


def _expanded(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = sorted(path.glob("*.json"))
        if not files:
            raise InputError(f"{path} holds no .json file.", "Name CRUD-RAG's output files.")
        yield from files


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
                "Name their question file (split_merged.json).",
                "--questions FILE",
            )
        out.append(structs.replace(row, result=structs.replace(row.result, original=original)))
    return out


def _place(
    workspace: Workspace, release: Release, rows: Sequence[_Row]
) -> tuple[AnswerSlots, dict[PredictionKey, CrudResult]]:
    slots = AnswerSlots(workspace.db, release)
    results: dict[PredictionKey, CrudResult] = {}
    for row in rows:
        item = _item(slots, row)
        result = row.result
        # their code drops such an item from its means; here it stays visible
        error = None if result.valid and result.generated.strip() else "CRUD-RAG found no answer"
        slots.put(item, 0, 0, ForeignAnswer(row.place, result.generated, error))
        if error is None:
            results[item.revision_id, 0, 0] = result
    if not slots.answers:
        raise InputError("The files hold no result.", "Name CRUD-RAG's output files.")
    return slots, results


def _item(slots: AnswerSlots, row: _Row) -> ReleasedItem:
    return slots.items.get(row.result.id) or slots.item(row.place, row.item_key)


def _build(sink: ItemSink, rows: Sequence[_Row], corpus_name: str) -> tuple[Release, list[str]]:
    sink.check_new(import_onto(sink.dataset))
    workspace = sink.workspace
    corpus = open_corpus(workspace, corpus_name)
    put_documents(workspace, corpus, _news(rows))
    topics = topics_of(workspace, corpus, sink.taxonomy)
    note = "imported from CRUD-RAG output"
    items = [NewItem(row.place, row.item_key, _content(row, topics), note) for row in rows]
    misfits: list[str] = []
    items = sink.fitted(items, misfits)
    with workspace.write(durable=True) as db:
        return sink.create(db, corpus, items, note), misfits


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


def crud_scores(
    results: Mapping[PredictionKey, CrudResult],
    predictions: Mapping[PredictionKey, StoredPrediction],
) -> Scores:
    """The scores in CRUD-RAG's files that rules cannot give: `bertScore`, `QA_avg_F1`, `QA_recall`.

    A metric that no result has, or that is 0 in all, as their code writes one that it was not asked
    for, is left out; otherwise every prediction gets it. An item whose
    question list is empty is one that RAGQuestEval failed on, and has state error.
    """
    scores: Scores = {}
    for name in ("bertScore", "QA_avg_F1", "QA_recall"):
        if any(result.metrics.get(name) for result in results.values()):
            spec = resolve(name, "crud")
            for key, row in predictions.items():
                scores.setdefault(row.id, []).append(_crud_score(spec, results.get(key)))
    return scores


def _crud_score(spec: MetricSpec, result: CrudResult | None) -> MetricScore:
    value = None if result is None else result.metrics.get(spec.name)
    if result is None or value is None:
        return missing(spec, NO_VALUE)
    if spec.name.startswith("QA_") and result.questions == 0:
        reason = "RAGQuestEval had no usable questions and answers"
        return MetricScore(spec.name, spec.variant, None, ScoreState.ERROR, reason)
    return checked(spec, value, f"their file says {value}")
