"""The details of one agreement: its figures, the share of each value, the tables of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from engine.labelling.figures.agreement_records import Agreement
from engine.report.agreement import (
    NAMED,
    figure_text,
    interval_text,
    reason_text,
    shares,
    short,
    statistic,
)
from engine.text.wrapping import cell_width, pad
from tui.language import read, tr
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, wrapped

GAP = "   "


def details(agreement: Agreement) -> Lay:
    """Lays out every figure with its interval or the reason why there is none, how often each rater
    gave each value, and for each pair a table of their values."""

    def lay(width: int) -> list[list[Piece]]:
        return [*_figures(agreement, width), *_rates(agreement, width), *_tables(agreement)]

    return lay


def _figures(agreement: Agreement, width: int) -> list[list[Piece]]:
    out: list[list[Piece]] = []
    reasons: dict[str, list[str]] = {}
    for name in NAMED:
        figure = statistic(agreement, name)
        if figure is None:
            continue
        shown = short(figure_text(figure))
        pieces: list[Piece] = [(pad(tr(name), 11), "muted"), (f"{shown:>6}", "strong")]
        if figure.low is not None:
            pieces.append((f"   95 % {read(short(interval_text(figure)))}", ""))
        out.append(pieces)
        if reason_text(figure):
            reasons.setdefault(reason_text(figure), []).append(tr(name))
    room = width // 2 if width >= 60 else width
    if room < width:
        half = (len(out) + 1) // 2
        out = [_beside(out[at], out[at + half : at + half + 1], room) for at in range(half)]
    for reason, names in reasons.items():
        out += wrapped(f"{', '.join(names)}: {read(reason)}", width, "warn")
    return out


def _beside(left: list[Piece], right: Sequence[list[Piece]], room: int) -> list[Piece]:
    taken = sum(cell_width(text) for text, _ in left)
    gap: Piece = (" " * max(room - taken, 1), "")
    return [*left, gap, *(right[0] if right else [])]


def _rates(agreement: Agreement, width: int) -> list[list[Piece]]:
    out: list[list[Piece]] = [[], [(tr("How often each value was given"), "header")]]
    column = max(map(cell_width, agreement.raters), default=0)
    for rater in agreement.raters:
        label = pad(rater, column) + "  "
        for text in _rows_of(list(shares(agreement, rater)) or [tr("nothing")], width - column - 2):
            out.append([(label, "muted"), (text, "")])
            label = " " * (column + 2)
    return out


def _rows_of(texts: Sequence[str], width: int) -> list[str]:
    """Joins short texts to lines of at most `width` cells; no text is broken."""
    lines: list[str] = []
    for text in texts:
        if lines and cell_width(lines[-1]) + len(GAP) + cell_width(text) <= width:
            lines[-1] += GAP + text
        else:
            lines.append(text)
    return lines


def _tables(agreement: Agreement) -> list[list[Piece]]:
    out: list[list[Piece]] = []
    values = [str(value) for value in agreement.values]
    column = max(map(cell_width, values), default=1)
    for table in agreement.tables:
        if not any(map(any, table.counts)):
            continue
        size = max(4, column, *(len(f"{count:,}") for row in table.counts for count in row))
        first, second = table.raters
        out += [
            [],
            [
                (
                    tr("{first} (rows) against {second} (columns)", first=first, second=second),
                    "header",
                )
            ],
        ]
        heads = "".join(f"  {value:>{size}}" for value in values)
        out.append([(" " * column + heads, "muted")])
        for at, row in enumerate(table.counts):
            pieces: list[Piece] = [(pad(values[at], column), "muted")]
            pieces += [
                (f"  {count:>{size},}" if count else f"  {'.':>{size}}", _emphasis(at, place))
                for place, count in enumerate(row)
            ]
            out.append(pieces)
    return out


def _emphasis(row: int, column: int) -> str:
    return "strong" if row == column else ""
