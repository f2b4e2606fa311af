"""The places in the corpus of what a system of one's own retrieved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments, HitReader
from engine.jobs.pool import child_workspace
from engine.retrieve import in_child
from engine.text.normalisation import normalise
from store.corpora import corpora
from store.corpora.corpora import Corpus
from store.errors import InputError
from store.formats.predictions import FileHit
from store.records import Hit, Passage
from store.systems import Retrieval
from store.workspace import Workspace

_WORDS = Retrieval("bm25")
_SEARCHED = 20
"""Chunks by whose documents a text without a name is looked for."""
_LONGEST_QUERY = 2_000
_SPACE = re.compile(r"\s+")

_documents: dict[tuple[Workspace, int, str], CorpusDocuments] = {}


class Matched(Struct, frozen=True):
    """What was retrieved, in order: a hit and a passage for each."""

    hits: tuple[Hit, ...]
    """Of no characters where no document of the corpus was found."""
    passages: tuple[Passage, ...]
    """In the system's own words, where it gave any."""


def match(corpus_id: int, fingerprint: str, given: Sequence[FileHit]) -> Matched:
    """Matches passages with documents, in a child process: by name, else by text.

    A text is looked for in the document of that name, or else in those that a search for its words
    finds, white space aside; where a named document does not hold it, the whole of that is the hit.
    """
    corpus = in_child.corpus(corpus_id)
    key = (child_workspace(), corpus_id, fingerprint)
    if key not in _documents:
        _documents[key] = CorpusDocuments(child_workspace().db, corpus)
    documents = _documents[key]
    hits = tuple(_hit(documents, corpus, fingerprint, one) for one in given)
    titles = corpora.documents_by_id(
        child_workspace().db, corpus, (hit.document_id for hit in hits if hit.end)
    )
    passages = []
    for one, hit in zip(given, hits, strict=True):
        document = titles.get(hit.document_id)
        text = one.text or (document.text[hit.start : hit.end] if document else "")
        title = document.title if document else ""
        passages.append(Passage(hit.document_id, title, text, hit.start))
    return Matched(hits, tuple(passages))


def _hit(documents: CorpusDocuments, corpus: Corpus, fingerprint: str, given: FileHit) -> Hit:
    try:
        hit = HitReader(documents).read("", given)
    except InputError:  # a span that its document does not have
        return documents.missing(given.label, given.score or 0.0)
    if not given.text or hit.end != documents.length(hit.document_id) or hit.start:
        return hit
    text = normalise(given.text)
    if hit.end:
        span = _span(documents.text(hit.document_id), text)
        return Hit(hit.document_id, *span, hit.score) if span else hit
    retriever = in_child.retriever(corpus.id, _WORDS, fingerprint)
    found = retriever.search([text[:_LONGEST_QUERY]], _SEARCHED)[0]
    for document in dict.fromkeys(one.document_id for one in found):
        span = _span(documents.text(document), text)
        if span is not None:
            return Hit(document, *span, given.score or 0.0)
    return hit


def _span(document: str, text: str) -> tuple[int, int] | None:
    """The first place of `text` in a document, white space aside."""
    wanted = _SPACE.sub("", text)
    if not wanted:
        return None
    kept = [place for place, character in enumerate(document) if not character.isspace()]
    start = "".join(document[place] for place in kept).find(wanted)
    if start < 0:
        return None
    return kept[start], kept[start + len(wanted) - 1] + 1
