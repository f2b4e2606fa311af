"""Making a corpus and a released dataset out of OmniEval's prediction files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.readers import ReadDocument
from engine.importers.documents import CorpusDocuments
from engine.importers.omnieval_files import OmniFiles, PredictionFile, cell
from engine.importers.sink import ItemSink, NewItem, import_onto
from engine.text.normalisation import detect_lang, normalise
from store.datasets.datasets import Release
from store.formats.jsonl import read_jsonl
from store.formats.omnieval import Node, PredictionRow
from store.records import (
    UNASSIGNED,
    Evidence,
    ItemContent,
    Source,
    Turn,
)


class BuiltDataset(Struct, frozen=True):
    release: Release
    documents: IngestReport
    stand_ins: int
    """Relevant documents of which only the golden passages are known; those are their text."""


def build_dataset(
    sink: ItemSink,
    files: OmniFiles,
    corpus_name: str,
    progress: Callable[[IngestReport], None] = lambda report: None,
) -> BuiltDataset:
    """The documents of `corpus.jsonl`, or else of the retrieval results, and an item a question.

    Topic and task come from the files' names, evidence from `relevant_node`: one unit a node, the
    place of its passage where it holds exactly one of them word for word, else the whole document.
    Nodes with equal contents are one document here.
    """
    sink.check_new(import_onto(sink.dataset))
    corpus = open_corpus(sink.workspace, corpus_name, None)
    source = _Documents(files)
    stored = put_documents(sink.workspace, corpus, source.read(), progress)
    items = list(_items(sink, files, CorpusDocuments(sink.workspace.db, corpus)))
    with sink.workspace.write(durable=True) as db:
        release = sink.create(db, corpus, items, "imported from OmniEval predictions")
    return BuiltDataset(release, stored, source.stand_ins)


def _items(sink: ItemSink, files: OmniFiles, documents: CorpusDocuments) -> Iterator[NewItem]:
    for file in files.predictions:
        topic, task = cell(file.path, sink.taxonomy)
        for rows in file.groups():
            yield NewItem(
                file.place(rows[0]),
                _item_key(file, rows[0], topic, task),
                _content(rows, topic, task, documents),
                f"imported from {file.path.name}",
            )


def _item_key(file: PredictionFile, row: PredictionRow, topic: str, task: str) -> str:
    if UNASSIGNED in (topic, task):
        return f"{file.path.name.partition('.')[0]}/{row.id}"
    return f"{topic}/{task}/{row.id}"


def _content(
    rows: Sequence[PredictionRow], topic: str, task: str, documents: CorpusDocuments
) -> ItemContent:
    turns = tuple(
        Turn(row.question, row.golden_answers, tuple(_evidence(row, documents))) for row in rows
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


def _evidence(row: PredictionRow, documents: CorpusDocuments) -> Iterator[Evidence]:
    by_node = map(documents.by_external_id, row.nodes)
    passages = list(map(normalise, row.passages))
    for document in dict.fromkeys(name for name in by_node if name is not None):
        quotes = [documents.quote(document, passage) for passage in passages]
        held = [quote for quote in quotes if quote is not None]
        yield held[0] if len(held) == 1 else Evidence(document)
