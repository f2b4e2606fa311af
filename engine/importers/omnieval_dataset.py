"""Making a corpus and a released dataset out of OmniEval's prediction files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.readers import ReadDocument
from engine.importers.omnieval_files import OmniFiles, PredictionFile, cell
from engine.text.normalisation import detect_lang, normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import UsageError
from store.formats.jsonl import read_jsonl
from store.formats.omnieval import Node, PredictionRow
from store.records import (
    UNASSIGNED,
    Evidence,
    ItemContent,
    ItemState,
    Source,
    Taxonomy,
    Turn,
)
from store.workspace import Workspace


class BuiltDataset(Struct, frozen=True):
    release: Release
    documents: IngestReport
    stand_ins: int
    """Relevant documents of which only the golden passages are known; those are their text."""


def build_dataset(
    workspace: Workspace,
    files: OmniFiles,
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    author: str,
    progress: Callable[[IngestReport], None] = lambda report: None,
) -> BuiltDataset:
    """The documents of `corpus.jsonl`, or else of the retrieval results, and an item a question.

    Topic and task come from the files' names, evidence from `relevant_node`: one unit a node, the
    place of its passage where it holds exactly one of them word for word, else the whole document.
    Nodes with equal contents are one document here.
    """
    if any(dataset.name == dataset_name for dataset in datasets.listing(workspace.db)):
        raise UsageError(
            f"Dataset {dataset_name!r} exists already.",
            f"Import onto it by --dataset {dataset_name}@1 without --corpus, or name another.",
        )
    corpus = open_corpus(workspace, corpus_name, None)
    source = _Documents(files)
    stored = put_documents(workspace, corpus, source.read(), progress)
    evidence = _EvidenceFinder(workspace, corpus)
    with workspace.write(durable=True) as db:
        taxonomy_id = corpora.put_taxonomy(db, taxonomy)
        dataset = datasets.create(db, dataset_name, corpus.id, taxonomy_id)
        for file in files.predictions:
            topic, task = cell(file, taxonomy)
            for rows in file.groups():
                content = _content(rows, topic, task, evidence)
                key = _item_key(file, rows[0], topic, task)
                first = next((e for turn in content.turns for e in turn.evidence), None)
                datasets.add_item(
                    db,
                    dataset,
                    key,
                    first.document_id if first else key,
                    content,
                    author=author,
                    reason=f"imported from {file.path.name}",
                    state=ItemState.ACCEPTED,
                )
        release = datasets.release(db, dataset, "imported from OmniEval predictions")
    return BuiltDataset(release, stored, source.stand_ins)


def _item_key(file: PredictionFile, row: PredictionRow, topic: str, task: str) -> str:
    if UNASSIGNED in (topic, task):
        return f"{file.path.name.partition('.')[0]}/{row.id}"
    return f"{topic}/{task}/{row.id}"


def _content(
    rows: Sequence[PredictionRow], topic: str, task: str, evidence: _EvidenceFinder
) -> ItemContent:
    turns = tuple(
        Turn(row.question, row.golden_answers, evidence.find(row.nodes, row.passages))
        for row in rows
    )
    text = "\n".join([*(row.question for row in rows), *rows[0].golden_answers])
    return ItemContent(turns, topic, task, detect_lang(text))


class _Documents:
    def __init__(self, files: OmniFiles) -> None:
        self._files = files
        self.stand_ins = 0

    def read(self) -> Iterator[ReadDocument]:
        seen: set[str] = set()
        for document in self._from_corpus() if self._files.corpus else self._from_results():
            if document.source.external_id not in seen:
                seen.add(document.source.external_id)
                yield document
        for document in self._from_passages():
            if document.source.external_id not in seen:
                seen.add(document.source.external_id)
                self.stand_ins += 1
                yield document

    def _from_corpus(self) -> Iterator[ReadDocument]:
        assert self._files.corpus is not None
        for _, node in read_jsonl(self._files.corpus, Node):
            yield from _document(str(self._files.corpus), node.name, node.title, node.contents)

    def _from_results(self) -> Iterator[ReadDocument]:
        for file in self._files.predictions:
            for row in file.rows:
                for node in row.retrieved or ():
                    yield from _document(str(file.path), node.name, node.title, node.contents)

    def _from_passages(self) -> Iterator[ReadDocument]:
        for file in self._files.predictions:
            for row in file.rows:
                one_each = len(row.passages) == len(row.nodes)
                for position, name in enumerate(row.nodes):
                    texts = [row.passages[position]] if one_each else row.passages
                    yield from _document(str(file.path), name, None, "\n".join(texts))


def _document(path: str, name: str, title: str | None, contents: str) -> Iterator[ReadDocument]:
    text = normalise(contents)
    if text:
        yield ReadDocument(text, Source(path, title or "", name, name))


class _EvidenceFinder:
    def __init__(self, workspace: Workspace, corpus: Corpus) -> None:
        self._db = workspace.db
        self._corpus = corpus
        self._ids = {
            name: document
            for name, (document, _) in corpora.document_by_external_id(self._db, corpus).items()
        }

    def find(self, nodes: Sequence[str], passages: Sequence[str]) -> tuple[Evidence, ...]:
        ids = dict.fromkeys(self._ids[node] for node in nodes if node in self._ids)
        found = corpora.documents_by_id(self._db, self._corpus, ids)
        return tuple(_evidence(document, found[document].text, passages) for document in ids)


def _evidence(document: str, text: str, passages: Sequence[str]) -> Evidence:
    places = [(text.find(quote), quote) for quote in map(normalise, passages) if quote]
    held = [(start, quote) for start, quote in places if start >= 0]
    if len(held) != 1:
        return Evidence(document)
    start, quote = held[0]
    return Evidence(document, start, start + len(quote), quote)
