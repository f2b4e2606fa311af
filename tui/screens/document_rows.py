"""The documents of a corpus as rows of a list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from store.corpora.browsing import DocumentLine, document_lines
from store.corpora.corpora import Corpus
from tui.screens.host import Host
from tui.screens.labels import topic_text
from tui.widgets.row_source import Cell, Column, Row

DOCUMENT_COLUMNS = (
    Column("title, or how it begins", minimum=26),
    Column("source", minimum=20, drop=2),
    Column("language", 8, drop=3),
    Column("tokens", 9, "right"),
    Column("topic", 18, drop=1),
)


class DocumentSource:
    """Documents by row number; the lines are read a block at a time."""

    def __init__(self, host: Host, corpus: Corpus, rows: Sequence[int]) -> None:
        self._host = host
        self._corpus = corpus
        self._rows = rows

    def count(self) -> int:
        return len(self._rows)

    def rows(self, start: int, stop: int) -> Sequence[Row]:
        wanted = self._rows[start:stop]
        lines = self._host.read(lambda db: document_lines(db, self._corpus, wanted))
        return [_document_row(line) for line in lines or ()]

    def index_of(self, key: str | int) -> int | None:
        return self._rows.index(int(key)) if int(key) in self._rows else None


def _document_row(line: DocumentLine) -> Row:
    path = PurePath(line.path)
    place = f"{path.parent.name}/{path.name}" if path.parent.name else path.name
    return Row(
        line.row,
        (
            Cell(line.title.replace("\n", " "), "strong")
            if line.title
            else line.beginning.replace("\n", " "),
            Cell(f"{place}  {line.locator}".rstrip(), "muted"),
            line.lang,
            f"{line.tokens:,}",
            topic_text(line.topic) or Cell("-", "muted"),
        ),
    )
