"""Importing MultiHop-RAG: its articles as documents, its queries with their facts as items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments
from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.importers.sink import ItemSink, NewItem, PutItems
from engine.taxonomy.offline_classification import topics_of
from engine.text.normalisation import detect_lang, normalise
from engine.text.quotes import locate
from store.corpora import corpora
from store.errors import InputError
from store.formats import multihop_rag
from store.formats.multihop_rag import Fact, Query
from store.hashing import content_hash
from store.records import UNASSIGNED, Evidence, ItemContent, Source, Taxonomy, Turn
from store.workspace import Workspace

MULTI_HOP = "multi_hop"
NO_ANSWER = "no_answer"
"""Task keys of the queries, in the taxonomies that have them."""


class MultiHopReport(Struct, frozen=True):
    documents: IngestReport
    items: PutItems
    unanswered: int
    """Null queries: they have no evidence, and their golden answer says that there is none."""
    duplicates: int
    """Queries that say the same as an earlier one."""
    unlocated: int
    """Facts that their article does not hold word for word; it stands as a whole instead."""
    unknown_documents: tuple[str, ...]
    """Articles that facts name and the corpus does not hold."""
    misfits: tuple[str, ...]
    """Items that have not the shape of their task, with the reason; they have none now."""


def import_multihop_rag(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy,
    follow_links: bool = False,
    author: str,
) -> MultiHopReport:
    """Articles of files named `corpus.json`, and queries of all others; a folder has one of each.

    All files are read before anything is stored. Imported again they add nothing. Raises
    InputError, naming file, entry and field, for an entry of another shape and for a second
    article of one name.
    """
    articles, queries = _files(paths)
    refuse_links(paths, [*articles, *queries], follow_links=follow_links)
    read = [entry for file in queries for entry in multihop_rag.read_queries(file)]
    if not read:
        raise InputError("The files hold no query.", f"Name {multihop_rag.QUERIES}.")
    texts = list(_documents(articles))
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_open(corpus_name)
    # queries alone are about a corpus that is there
    corpus = (
        open_corpus(workspace, corpus_name) if texts else corpora.get(workspace.db, corpus_name)
    )
    stored = put_documents(workspace, corpus, texts)
    topics = topics_of(workspace, corpus, taxonomy)
    builder = _Builder(CorpusDocuments(workspace.db, corpus), taxonomy, topics)
    note = f"imported from {path_text(queries[0].name)}"
    by_key: dict[str, NewItem] = {}
    for place, query in read:
        key = content_hash(query).removeprefix("b2:")[:16]
        if key not in by_key:
            by_key[key] = NewItem(place, key, builder.content(query), note)
    misfits: list[str] = []
    items = sink.fitted(by_key.values(), misfits)
    added = sink.add(corpus, items, note)
    return MultiHopReport(
        stored,
        added,
        sum(not query.evidence_list for _, query in read),
        len(read) - len(items),
        builder.unlocated,
        tuple(builder.unknown),
        tuple(misfits),
    )


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files of articles, and those of queries."""
    files = [
        file
        for path in paths
        for file in (
            [path / multihop_rag.CORPUS, path / multihop_rag.QUERIES] if path.is_dir() else [path]
        )
    ]
    articles = [file for file in files if file.name == multihop_rag.CORPUS]
    return articles, [file for file in files if file not in articles]


def _documents(files: Sequence[Path]) -> Iterator[ReadDocument]:
    seen: dict[str, str] = {}
    for file in files:
        for place, article in multihop_rag.read_articles(file):
            name = article.name
            if name in seen:
                raise InputError(
                    f"{place}: {name!r} stands in {seen[name]} already.",
                    "Give every article a `url` of its own.",
                )
            seen[name] = place
            text = normalise(article.body)
            if text:
                yield ReadDocument(text, Source(str(file), article.title, name, name), article.meta)


class _Builder:
    """Makes items of queries; counts facts that are nowhere and articles that are unknown."""

    def __init__(
        self, documents: CorpusDocuments, taxonomy: Taxonomy, topics: Mapping[str, str]
    ) -> None:
        self._documents = documents
        self._tasks = {task.key for task in taxonomy.tasks}
        self._topics = topics
        self.unlocated = 0
        self.unknown: dict[str, None] = {}

    def content(self, query: Query) -> ItemContent:
        units = tuple(unit for fact in query.evidence_list for unit in self._evidence(fact))
        task = MULTI_HOP if query.evidence_list else NO_ANSWER
        answer = query.answer.strip()
        return ItemContent(
            (Turn(query.query.strip(), (answer,) if answer else (), units),),
            self._topics.get(units[0].document_id, UNASSIGNED) if units else UNASSIGNED,
            task if task in self._tasks else UNASSIGNED,
            detect_lang(query.query),
            {"question_type": query.question_type, "hops": len(query.evidence_list)},
        )

    def _evidence(self, fact: Fact) -> Iterator[Evidence]:
        """The fact where it stands, white space apart; the whole article where it does not."""
        document = self._documents.find(fact.names)
        if document is None:
            self.unknown[next(iter(fact.names), "an article without a name")] = None
            return
        wanted = normalise(fact.fact)
        place = locate(wanted, self._documents.text(document))
        if place is not None and _unspaced(place.quote) == _unspaced(wanted):
            yield place.evidence(document)
        else:
            self.unlocated += 1
            yield Evidence(document)


def _unspaced(text: str) -> str:
    return "".join(text.split())
