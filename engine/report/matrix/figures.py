"""The numbers of a matrix as text, with the signs that stand for a missing one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from engine.report.matrix.labels import PENDING
from engine.results.matrix import Matrix, MatrixCell
from store.records import ScoreState

SMALL_SIGN = "~"
"""Stands before the mean of a small cell."""

FormatValue = Callable[[float], str]

Blank = Literal["no_item", "not_applicable", "no_value"]
"""Reason for a cell without a mean."""


class Signs(Struct, frozen=True):
    to: str
    """Between the two ends of an interval."""
    no_item: str
    not_applicable: str = "n/a"
    no_value: str = "?"

    def blank(self, kind: Blank) -> str:
        return {
            "no_item": self.no_item,
            "not_applicable": self.not_applicable,
            "no_value": self.no_value,
        }[kind]


TYPOGRAPHIC = Signs("–", "–")
PLAIN = Signs("-", "-")
"""For a terminal, where the typographic ones are two cells wide in some fonts."""


def all_cells(matrix: Matrix) -> Iterator[MatrixCell]:
    """The cells of the body, then those of the margins; those without an item are left out."""
    for row in matrix.cells:
        yield from (cell for cell in row if cell is not None)
    yield from matrix.row_totals
    yield from matrix.col_totals
    yield matrix.total


def value_format(matrix: Matrix) -> FormatValue:
    """The format of a matrix's means: `.71`, or `123.4` where they leave [-1, 1]."""
    means = (cell.summary.mean for cell in all_cells(matrix))
    on_unit_scale = all(abs(mean) <= 1 for mean in means if mean is not None)
    return short_value if on_unit_scale else long_value


def exact_format(matrix: Matrix) -> FormatValue:
    """As `value_format`, with one digit more, for the figure over all."""
    if value_format(matrix) is short_value:
        return lambda value: short_value(value, 3)
    return lambda value: f"{value:,.2f}"


def short_value(value: float, decimals: int = 2) -> str:
    """Without the leading zero: `.71`, `1.00`, `-.05`."""
    text = f"{value:z.{decimals}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def long_value(value: float) -> str:
    """One decimal, thousands parted: `1,234.5`."""
    return f"{value:,.1f}"


def percent(share: float) -> str:
    """`99.8 %`; 100 % only when nothing is missing."""
    shown = min(round(100 * share, 1), 99.9) if share < 1 else 100.0
    return f"{shown:g} %"


def state_counts(cell: MatrixCell) -> dict[str, int]:
    """Scores in every state, zeros included, and `pending` predictions."""
    counts = {state.value: cell.summary.n[state] for state in ScoreState}
    return {**counts, PENDING: cell.pending}


def blank_kind(cell: MatrixCell | None) -> Blank | None:
    """The reason for a missing mean; None for a cell that has one."""
    if cell is None:
        return "no_item"
    if cell.summary.mean is not None:
        return None
    counts = state_counts(cell)
    total = sum(counts.values())
    if total == 0:
        return "no_item"
    return "not_applicable" if counts[ScoreState.NA] == total else "no_value"


def interval_text(cell: MatrixCell, format_value: FormatValue, signs: Signs) -> str:
    """`.67–.75`, both ends, as they need not be as far from the mean; else nothing."""
    low, high = cell.summary.low, cell.summary.high
    if low is None or high is None:
        return ""
    return f"{format_value(low)}{signs.to}{format_value(high)}"


def mean_text(cell: MatrixCell | None, format_value: FormatValue, signs: Signs) -> str:
    """`.71`, `~.71` when the cell is small, or the sign that says why there is no mean."""
    kind = blank_kind(cell)
    if kind is not None or cell is None or cell.summary.mean is None:
        return signs.blank(kind or "no_item")
    return f"{SMALL_SIGN if cell.is_small else ''}{format_value(cell.summary.mean)}"
