"""Corpora as lines of a list."""

from __future__ import annotations

from store.corpora.corpora import Corpus, CorpusCounts
from tui.widgets.row_source import Cell, Column, Row

COUNT_COLUMNS = (
    Column("corpus", minimum=12),
    Column("documents", 9, "right"),
    Column("chunks", 9, "right"),
    Column("tokens", 12, "right"),
    Column("cut to", 24, drop=1),
)


def corpus_row(corpus: Corpus, counts: CorpusCounts) -> Row:
    cut = corpus.chunking
    return Row(
        corpus.name,
        (
            Cell(corpus.name, "strong"),
            f"{counts.documents:,}",
            f"{counts.chunks:,}",
            f"{counts.tokens:,}",
            Cell(f"{cut.size:,} {cut.unit}, {cut.overlap:,} shared", "muted"),
        ),
    )
