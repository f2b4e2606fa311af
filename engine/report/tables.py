"""Tables as CSV and as Markdown; `engine.report.text_table` lays out those of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from store.formats.csv_cells import csv_of


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header line and a line a row, as `csv_of` writes them."""
    return csv_of((head, *rows))


def pipe_table(
    head: Sequence[str], rules: Sequence[str], rows: Iterable[Sequence[str]]
) -> list[str]:
    """The lines of a Markdown table whose cells are escaped already. `rules` set the columns to the
    left (`:--`) or to the right (`--:`)."""
    return [f"| {' | '.join(cells)} |" for cells in (head, rules, *rows)]
