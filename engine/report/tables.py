"""Tables as CSV and as Markdown; `engine.report.text_table` lays out those of the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header line and a line a row: numbers in full precision, None as an empty field, fields
    quoted where they must be, lines ended by \\n."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def pipe_table(
    head: Sequence[str], rules: Sequence[str], rows: Iterable[Sequence[str]]
) -> list[str]:
    """The lines of a Markdown table whose cells are escaped already. `rules` set the columns to the
    left (`:--`) or to the right (`--:`)."""
    return [f"| {' | '.join(cells)} |" for cells in (head, rules, *rows)]
