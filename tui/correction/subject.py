"""The item that is corrected: its texts, its documents, its taxonomy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from msgspec import Struct

from engine.corpus.naming import heading
from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus, LiveDocument
from store.datasets import datasets, revisions
from store.datasets.revisions import RevisionSheet
from store.records import ItemContent, Taxonomy
from tui.correction.evidence import Source


class Corrected(Struct, frozen=True):
    """The revision that is shown, and what is needed to correct it."""

    sheet: RevisionSheet
    first: ItemContent
    """The text that the item began with: the generated or imported one."""
    proposed: ItemContent | None
    """What this rater has proposed before."""
    taxonomy: Taxonomy
    corpus: Corpus

    @property
    def content(self) -> ItemContent:
        return self.sheet.content


def load(db: sqlite3.Connection, revision: int, proposal: int | None) -> Corrected:
    """Raises NotFound for a revision that does not exist."""
    sheet = revisions.sheet(db, revision)
    dataset = datasets.get(db, sheet.dataset, archived=True)
    first = revisions.history(db, sheet.item)[0]
    return Corrected(
        sheet,
        datasets.content(db, first.id),
        datasets.content(db, proposal) if proposal is not None else None,
        taxonomies.get(db, dataset.taxonomy_id),
        corpora.get_by_id(db, dataset.corpus_id),
    )


def documents(
    db: sqlite3.Connection, corpus: Corpus, contents: Iterable[ItemContent]
) -> dict[str, LiveDocument]:
    """The documents that some texts name."""
    wanted = {document for content in contents for document in content.documents}
    return corpora.documents_by_id(db, corpus, sorted(wanted))


def source_of(document: LiveDocument) -> Source:
    return Source(document.document_id, document.text, heading(document))
