"""Classifying: a topic for every document of a corpus, by its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.taxonomy.classifier import classify
from store.corpora import corpora, document_topics
from store.corpora.corpora import Corpus
from store.records import Taxonomy
from store.workspace import Workspace

METHOD = "lexical"
_BATCH = 500


def topics_of(workspace: Workspace, corpus: Corpus, taxonomy: Taxonomy) -> dict[str, str]:
    """Topic keys by document id; a document without a topic is given one first."""
    classify_corpus(workspace, corpus, taxonomy)
    return document_topics.by_document(workspace.db, corpus, taxonomy.key)


def classify_corpus(
    workspace: Workspace,
    corpus: Corpus,
    taxonomy: Taxonomy,
    *,
    again: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Counter[str]:
    """Gives every document without a topic one (or `unassigned`); with `again`, every document.

    Returns how many documents each topic got now.
    """
    counts: Counter[str] = Counter()
    source = (
        corpora.documents(workspace.db, corpus)
        if again
        else document_topics.unclassified(workspace.db, corpus, taxonomy.key)
    )
    topics: list[tuple[int, str, float | None]] = []
    for document in source:
        guess = classify(document.text, document.title, taxonomy)
        topics.append((document.row, guess.key, guess.score))
        counts[guess.key] += 1
        if len(topics) % _BATCH == 0:
            progress(len(topics))
    with workspace.write() as db:
        document_topics.put(db, taxonomy.key, topics, METHOD)
    progress(len(topics))
    return counts
