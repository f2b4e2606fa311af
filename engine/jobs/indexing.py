"""The index of a corpus: opened when it is there and whole, built from the store otherwise."""

from __future__ import annotations

from collections.abc import Callable

from engine.retrieve.artefacts import no_notice, open_or_build
from engine.retrieve.base import IndexColumns, Progress, Retriever, index_text, no_progress
from store import corpora
from store.corpora import Corpus
from store.errors import Conflict, InputError
from store.workspace import Workspace


def open_index(
    workspace: Workspace,
    corpus: Corpus,
    retriever: str,
    *,
    expected: str | None = None,
    progress: Progress = no_progress,
    notify: Callable[[str], None] = no_notice,
) -> Retriever:
    """The retriever over the corpus' chunks as they are now.

    `expected` is the fingerprint of the corpus that a run began with. Raises Conflict when the
    corpus has changed since, InputError when it is empty.
    """
    found = corpora.fingerprint(workspace.db, corpus)
    if expected is not None and found != expected:
        raise Conflict(
            f"Corpus {corpus.name!r} has changed since this run began, so its remaining answers"
            " would not be comparable.",
            "Start a new run; the finished part of this one stays.",
        )

    def columns() -> IndexColumns:
        rows = list(corpora.index_rows(workspace.db, corpus))
        if not rows:
            raise InputError(
                f"Corpus {corpus.name!r} is empty.",
                f"Fill it: `ragdesk ingest PATH --corpus {corpus.name}`.",
            )
        return IndexColumns(
            [row.document_id for row in rows],
            [row.start for row in rows],
            [row.end for row in rows],
            [index_text(row.title, row.text) for row in rows],
        )

    return open_or_build(
        workspace.folder, retriever, found, columns, progress=progress, notify=notify
    )
