"""Choosing a document of the corpus: a list that is narrowed by what the documents say."""

from __future__ import annotations

from collections.abc import Sequence

from store.corpora.browsing import document_rows
from store.corpora.corpora import Corpus
from tui.correction.pick import FilterScreen
from tui.screens.document_rows import DOCUMENT_COLUMNS, DocumentSource
from tui.screens.host import host_of


class DocumentPick(FilterScreen):
    """Dismisses with the row number of the chosen document, as text, or None."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(f"Documents of {corpus.name}", DOCUMENT_COLUMNS)
        self._corpus = corpus

    def narrow(self, wanted: str) -> None:
        host = host_of(self)
        host.in_thread(
            f"finding {wanted}" if wanted else "listing the documents",
            lambda workspace: document_rows(workspace.db, self._corpus, wanted),
            lambda rows: self._show(wanted, rows),
            group="pick-documents",
            exclusive=True,
        )

    def _show(self, wanted: str, rows: Sequence[int]) -> None:
        if not self.is_attached or wanted != self.wanted.value:
            return
        self.rows.set_source(DocumentSource(host_of(self), self._corpus, rows))
        note = f"{len(rows):,} hold {wanted}" if wanted else f"{len(rows):,}"
        self.heading.show(self._title, f"{note}   Enter chooses   Esc leaves it")
