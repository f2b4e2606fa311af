"""Importing BEIR's files: documents into a corpus, judged queries as a released dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments
from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.importers.sink import ItemSink, NewItem
from engine.taxonomy.offline_classification import topics_of
from engine.text.normalisation import detect_lang, normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
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
    misfits: tuple[str, ...] = ()
    """Queries that have not the shape of their task, with the reason; they have none now."""


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
        facets = query.facets | ({"type": query.type} if query.type else {})
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
    follow_links: bool = False,
    author: str,
    progress: Callable[[IngestReport], None] = lambda report: None,
) -> BeirReport:
    """Imports `corpus.jsonl`, `queries.jsonl` and judgements, and releases version 1.

    A query becomes an accepted item whose evidence is each relevant document as a whole with its
    grade, whose topic is its first relevant document's, and whose task is its `type` through
    `task_map`. All files are read before the first item is written, and the dataset appears whole
    or not.
    """
    judgements = _beside(folder, qrels) if qrels else beir.judgements_file(folder)
    answered = _beside(folder, answers) if answers else None
    expanded = {name: _beside(folder, file) for name, file in (expansions or {}).items()}
    given = (qrels, answers, *(expansions or {}).values())
    files = (folder / beir.DOCUMENTS, folder / beir.QUERIES, judgements, answered)
    refuse_links(
        [folder, *filter(None, given)],
        [*filter(None, files), *expanded.values()],
        follow_links=follow_links,
    )
    queries = beir.read_queries(folder)
    asked = _Asked(
        queries,
        beir.read_qrels(judgements),
        beir.read_answers(answered) if answered else {},
        {name: _expansions(queries, file) for name, file in expanded.items()},
        _tasks(taxonomy, task_map or {}),
    )
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_new()
    corpus = open_corpus(workspace, corpus_name, chunking)
    stored = put_documents(workspace, corpus, _documents(folder), progress)
    return _build(sink, corpus, asked, stored, f"imported from {path_text(folder.name)}")


def import_qrels(
    workspace: Workspace,
    qrels: Path | None,
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
    any ending of a path, or by our id; a file of several documents, such as a PDF with its pages,
    stands for all of them. Without `qrels` the gold of a query are the files that its
    `meta.source_docs` names. Otherwise as `import_beir`.
    """
    read = beir.read_queries(queries)
    if qrels is None and not any(query.source_files for query in read):
        raise InputError(
            f"{queries}: no query names its files in `meta.source_docs`.",
            "Give a file of judgements.",
        )
    asked = _Asked(
        read,
        beir.read_qrels(qrels)
        if qrels is not None
        else {query.id: dict.fromkeys(query.source_files, 1) for query in read},
        beir.read_answers(answers) if answers else {},
        {},
        _tasks(taxonomy, task_map or {}),
    )
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_new()
    corpus = corpora.get(workspace.db, corpus_name)
    return _build(
        sink, corpus, asked, IngestReport(), f"imported from {path_text((qrels or queries).name)}"
    )


def _build(
    sink: ItemSink, corpus: Corpus, asked: _Asked, stored: IngestReport, note: str
) -> BeirReport:
    db = sink.workspace.db
    documents = CorpusDocuments(db, corpus)
    topics = topics_of(sink.workspace, corpus, sink.taxonomy)
    unknown: dict[str, None] = {}
    without_gold = 0
    items = []
    for query in asked.queries:
        grades = asked.judged.get(query.id, {})
        relevant = sorted((id for id in grades if grades[id] > 0), key=lambda id: -grades[id])
        by_id = {id: documents.all_of(id) for id in relevant}
        unknown.update(dict.fromkeys(id for id in relevant if not by_id[id]))
        gold = [Evidence(document, grade=grades[id]) for id in relevant for document in by_id[id]]
        without_gold += not gold
        turn = Turn(
            query.text,
            query.golden_answers or asked.answers.get(query.id, ()),
            tuple(gold),
            asked.expansions_of(query),
        )
        content = ItemContent(
            (turn,),
            topics.get(gold[0].document_id, UNASSIGNED) if gold else UNASSIGNED,
            asked.tasks.get(query.type or "", UNASSIGNED),
            _lang(query),
            asked.facets_of(query),
        )
        items.append(NewItem(f"query {query.id}", query.id, content, note))
    misfits: list[str] = []
    items = sink.fitted(items, misfits)
    with sink.workspace.write(durable=True) as writing:
        release = sink.create(writing, corpus, items, note)
    return BeirReport(stored, release, without_gold, tuple(unknown), tuple(misfits))


def _expansions(queries: Sequence[beir.BeirQuery], file: Path) -> dict[str, str]:
    """Query id to the words that `file` adds to it: its text, less the query that it repeats."""
    texts = {query.id: query.text for query in queries}
    expansions = {}
    for number, other in beir.read_query_texts(file):
        if other.id not in texts:
            raise InputError(
                f"{file}, line {number}: field `_id`: queries.jsonl holds no {other.id!r}.",
                "Give the expansions of these queries.",
            )
        words = other.text.removeprefix(texts[other.id]).strip()
        if words:
            expansions[other.id] = words
    return expansions


def _documents(folder: Path) -> Iterator[ReadDocument]:
    path = str((folder / beir.DOCUMENTS).resolve())
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
                f"Task {task!r} for type {type!r} is none of taxonomy {taxonomy.key!r}.",
                choices(task, sorted(keys), "Its tasks"),
                "--task-map",
            )
    return {**{key: key for key in keys}, **task_map}


def _lang(query: beir.BeirQuery) -> Lang:
    if query.lang == "zh":
        return "zh"
    return "en" if query.lang == "en" else detect_lang(query.text)
