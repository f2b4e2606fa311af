"""Importing BEIR's files: documents into a corpus, judged queries as a released dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.readers import ReadDocument
from engine.importers.document_names import DocumentNames
from engine.taxonomy.offline_classification import classify_corpus
from engine.text.normalisation import detect_lang, normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError, UsageError
from store.formats import beir
from store.messages import choices
from store.records import (
    UNASSIGNED,
    ChunkingSettings,
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


class BeirReport(Struct, frozen=True):
    documents: IngestReport
    release: Release
    without_gold: int
    """Queries that no document is judged relevant for."""
    unknown_documents: tuple[str, ...]
    """Document ids that the judgements name and the corpus does not hold."""


class _Asked(Struct, frozen=True):
    """The queries and all that is known about them, by query id."""

    queries: Sequence[beir.BeirQuery]
    judged: Mapping[str, Mapping[str, int]]
    answers: Mapping[str, tuple[str, ...]]
    expansions: Mapping[str, Mapping[str, str]]
    """By name first: `keywords`."""
    tasks: Mapping[str, str]
    """Query type to task key."""

    def expansions_of(self, query: beir.BeirQuery) -> dict[str, str]:
        return {
            name: words[query.id] for name, words in self.expansions.items() if query.id in words
        }

    def facets_of(self, query: beir.BeirQuery) -> dict[str, Facet]:
        facets: dict[str, Facet] = {"type": query.type} if query.type else {}
        for name, words in self.expansions.items():
            facets[f"has_{name}"] = query.id in words
        return facets


def import_beir(
    workspace: Workspace,
    folder: Path,
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    qrels: Path | None = None,
    answers: Path | None = None,
    expansions: Mapping[str, Path] | None = None,
    task_map: Mapping[str, str] | None = None,
    chunking: ChunkingSettings | None = None,
    author: str,
    progress: Callable[[IngestReport], None] = lambda report: None,
) -> BeirReport:
    """Imports `corpus.jsonl`, `queries.jsonl` and judgements, and releases version 1.

    A query becomes an accepted item whose evidence is each relevant document as a whole, whose
    topic is its first relevant document's, and whose task is its `type` through `task_map`.
    All files are read before the first item is written, and the dataset appears whole or not.
    """
    queries = beir.read_queries(folder)
    asked = _Asked(
        queries,
        beir.read_qrels(_beside(folder, qrels or Path("qrels.tsv"))),
        beir.read_answers(_beside(folder, answers)) if answers else {},
        {
            name: _expansions(queries, _beside(folder, file))
            for name, file in (expansions or {}).items()
        },
        _tasks(taxonomy, task_map or {}),
    )
    _refuse_taken(workspace, dataset_name)
    corpus = open_corpus(workspace, corpus_name, chunking)
    stored = put_documents(workspace, corpus, _documents(folder), progress)
    classify_corpus(workspace, corpus, taxonomy)
    return _build(
        workspace,
        corpus,
        dataset_name,
        taxonomy,
        asked,
        documents=stored,
        author=author,
        note=f"imported from {folder.name}",
    )


def import_qrels(
    workspace: Workspace,
    qrels: Path,
    *,
    queries: Path,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    answers: Path | None = None,
    task_map: Mapping[str, str] | None = None,
    author: str,
) -> BeirReport:
    """Judgements about the documents of a corpus that is there already, as a released dataset.

    `queries` has the lines of `queries.jsonl`. The judgements name documents by imported id, by
    any ending of a path that one document has, or by our id. Otherwise as `import_beir`.
    """
    asked = _Asked(
        beir.read_queries(queries),
        beir.read_qrels(qrels),
        beir.read_answers(answers) if answers else {},
        {},
        _tasks(taxonomy, task_map or {}),
    )
    _refuse_taken(workspace, dataset_name)
    corpus = corpora.get(workspace.db, corpus_name)
    classify_corpus(workspace, corpus, taxonomy)
    return _build(
        workspace,
        corpus,
        dataset_name,
        taxonomy,
        asked,
        documents=IngestReport(),
        author=author,
        note=f"imported from {qrels.name}",
    )


def _build(
    workspace: Workspace,
    corpus: Corpus,
    dataset_name: str,
    taxonomy: Taxonomy,
    asked: _Asked,
    *,
    documents: IngestReport,
    author: str,
    note: str,
) -> BeirReport:
    names = DocumentNames(workspace.db, corpus)
    topics = corpora.topics(workspace.db, corpus, taxonomy.key)
    unknown: dict[str, None] = {}
    without_gold = 0
    with workspace.write(durable=True) as db:
        dataset = datasets.create(db, dataset_name, corpus.id, corpora.put_taxonomy(db, taxonomy))
        for query in asked.queries:
            grades = asked.judged.get(query.id, {})
            relevant = sorted((id for id in grades if grades[id] > 0), key=lambda id: -grades[id])
            found = {id: names.find([id]) for id in relevant}
            unknown.update(dict.fromkeys(id for id in relevant if found[id] is None))
            gold = [document for document in found.values() if document is not None]
            without_gold += not gold
            content = ItemContent(
                turns=(
                    Turn(
                        query.text,
                        query.golden_answers or asked.answers.get(query.id, ()),
                        tuple(Evidence(document) for document in gold),
                        asked.expansions_of(query),
                    ),
                ),
                topic=topics.get(gold[0], UNASSIGNED) if gold else UNASSIGNED,
                task=asked.tasks.get(query.type or "", UNASSIGNED),
                lang=_lang(query),
                facets=asked.facets_of(query),
            )
            datasets.add_item(
                db,
                dataset,
                query.id,
                gold[0] if gold else query.id,
                content,
                author=author,
                reason=note,
                state=ItemState.ACCEPTED,
            )
        release = datasets.release(db, dataset, note)
    return BeirReport(documents, release, without_gold, tuple(unknown))


def _expansions(queries: Sequence[beir.BeirQuery], file: Path) -> dict[str, str]:
    """Query id to the words that `file` adds to it: its text, less the query that it repeats."""
    texts = {query.id: query.text for query in queries}
    found = {}
    for number, other in beir.read_query_texts(file):
        if other.id not in texts:
            raise InputError(
                f"{file}, line {number}: field `_id`: queries.jsonl holds no {other.id!r}.",
                "Give the expansions of these queries.",
            )
        words = other.text.removeprefix(texts[other.id]).strip()
        if words:
            found[other.id] = words
    return found


def _documents(folder: Path) -> Iterator[ReadDocument]:
    path = str((folder / "corpus.jsonl").resolve())
    for document in beir.read_documents(folder):
        source = Source(path, document.title or "", document.id, document.id)
        yield ReadDocument(normalise(document.text), source, document.meta or {})


def _beside(folder: Path, file: Path) -> Path:
    """A file as given, or of that name inside the BEIR folder."""
    return folder / file if (folder / file).exists() or not file.exists() else file


def _tasks(taxonomy: Taxonomy, task_map: Mapping[str, str]) -> dict[str, str]:
    keys = {task.key for task in taxonomy.tasks}
    for type, task in task_map.items():
        if task not in keys:
            raise UsageError(
                f"--task-map {type}={task}: taxonomy {taxonomy.key!r} has no task {task!r}.",
                choices(task, sorted(keys), "Its tasks"),
            )
    return {**{key: key for key in keys}, **task_map}


def _refuse_taken(workspace: Workspace, name: str) -> None:
    if any(dataset.name == name for dataset in datasets.listing(workspace.db)):
        raise UsageError(f"Dataset {name!r} exists already.", "Choose another --dataset NAME.")


def _lang(query: beir.BeirQuery) -> Lang:
    if query.lang == "zh":
        return "zh"
    return "en" if query.lang == "en" else detect_lang(query.text)
