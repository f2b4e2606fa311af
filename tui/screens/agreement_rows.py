"""Agreement of raters as lines, as a heat map of topics by tasks, and as a sheet to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.agreement.records import Agreement, By, Part
from engine.metrics.aggregate import SMALL_CELL
from tui.agreement_words import (
    NAMED,
    field_text,
    figure_text,
    interval_text,
    part_text,
    reason_text,
    shares,
    statistic,
)
from tui.widgets import matrix as heat
from tui.widgets.line import Piece
from tui.widgets.matrix import Heading, HeatCell
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.sheet import Lay
from tui.wrap import cell_width, pad, wrap

FIGURE, INTERVAL = 5, 11
SHOWN = ("raw", "kappa", "quadratic", "alpha", "ac1", "linear", "ordinal", "ac2", "spearman")
"""The columns; from the fifth on they go where it is narrow."""
ALWAYS = 5
_HEADS = {"quadratic": "quad.", "linear": "lin.", "ordinal": "ord.", "spearman": "Spear."}
TIMES = " x "
"""Between the topic and the task of a cell."""

Names = Mapping[str, str]
"""What topics and tasks are called, by key."""


def row_key(one: Agreement) -> str:
    return f"{one.group}\t{one.field}\t{one.part}"


def columns(by: str) -> tuple[Column, ...]:
    """The columns of a table; a grouped one begins with its groups."""
    heads = {"pair": "raters", "again": "rater"}
    group = () if by == "metric" else (Column(heads.get(by, by), minimum=10),)
    figures: list[Column] = []
    for at, name in enumerate(SHOWN):
        drop = max(at - ALWAYS + 2, 0) if at >= ALWAYS else 0
        head = _HEADS.get(name, name)
        figures.append(Column(head, max(FIGURE, len(head)), "right", drop=drop))
        if name == "kappa":
            figures.append(Column("95 %", INTERVAL, drop=1 if by != "metric" else 0))
    return (
        *group,
        Column("metric", minimum=13),
        Column("of", 8),
        Column("n", 4, "right"),
        *figures,
    )


def lines(found: Iterable[Agreement], by: str, names: Names) -> list[Row]:
    """A line for each; in grey what has too few subjects to be read as a result."""
    return [_line(one, by, names) for one in found]


def _line(one: Agreement, by: str, names: Names) -> Row:
    quiet = "muted" if one.n < SMALL_CELL else ""
    group = () if by == "metric" else (Cell(group_text(one.group, by, names), quiet),)
    figures: list[str | Cell] = []
    for name in SHOWN:
        found = statistic(one, name)
        figures.append(Cell(short(figure_text(found)), quiet))
        if name == "kappa":
            figures.append(Cell(short(interval_text(found)), "muted"))
    return Row(
        row_key(one),
        (
            *group,
            Cell(field_text(one.field), quiet or "strong"),
            Cell(part_text(one.part), "muted"),
            Cell(f"{one.n:,}", quiet),
            *figures,
        ),
    )


def group_text(group: str, by: str, names: Names) -> str:
    """What a group is called: a topic and a task by their names, two raters with a sign."""
    if by == "pair":
        return group.replace(" ", " / ")
    return TIMES.join(names.get(part, part) for part in group.split(TIMES))


def short(text: str) -> str:
    """Figures without the zero before the point."""
    return " ".join(
        part.replace("0.", ".", 1) if part.startswith(("0.", "-0.")) else part
        for part in text.split(" ")
    )


# Topics by tasks


def heat_map(
    found: Mapping[By, Sequence[Agreement]], field: str, part: Part, name: str, names: Names
) -> heat.Matrix:
    """One statistic of one metric over topics and tasks; margins are over all of a topic, of a
    task, and of everything, not means of cells."""

    def kept(by: By) -> dict[str, Agreement]:
        return {
            one.group: one for one in found.get(by, ()) if (one.field, one.part) == (field, part)
        }

    cells, topics, tasks = kept("cell"), kept("topic"), kept("task")
    whole = kept("metric").get("")

    def body(topic: str, task: str) -> HeatCell:
        return heat_cell(cells.get(f"{topic}{TIMES}{task}"), name, is_body=True)

    return heat.Matrix(
        rows=tuple(Heading(key, names.get(key, key)) for key in topics),
        columns=tuple(Heading(key, names.get(key, key)) for key in tasks),
        cells=tuple(tuple(body(topic, task) for task in tasks) for topic in topics),
        row_totals=tuple(heat_cell(one, name) for one in topics.values()),
        column_totals=tuple(heat_cell(one, name) for one in tasks.values()),
        total=heat_cell(whole, name),
    )


def heat_cell(one: Agreement | None, name: str, *, is_body: bool = False) -> HeatCell:
    """A figure as a cell; small where few subjects have two raters."""
    found = statistic(one, name) if one is not None else None
    if one is None or found is None:
        return HeatCell()
    has_interval = found.low is not None and found.high is not None
    return HeatCell(
        found.value,
        one.n,
        found.value if is_body else None,
        one.n < SMALL_CELL,
        (found.high - found.low) / 2 if has_interval else None,  # type: ignore[operator]
        reason_text(found),
    )


# One of them, to be read


def details(one: Agreement) -> Lay:
    """Every figure with its interval or the reason why there is none; how often each rater gave
    each value; for every pair how often who said what."""

    def lay(width: int) -> list[list[Piece]]:
        return [*_figures(one, width), *_rates(one, width), *_tables(one)]

    return lay


def _figures(one: Agreement, width: int) -> list[list[Piece]]:
    out: list[list[Piece]] = []
    reasons: dict[str, list[str]] = {}
    for name in NAMED:
        found = statistic(one, name)
        if found is None:
            continue
        shown = short(figure_text(found))
        pieces: list[Piece] = [(pad(name, 11), "muted"), (f"{shown:>6}", "strong")]
        if found.low is not None:
            pieces.append((f"   95 % {short(interval_text(found))}", ""))
        out.append(pieces)
        if reason_text(found):
            reasons.setdefault(reason_text(found), []).append(name)
    room = width // 2 if width >= 60 else width
    if room < width:
        half = (len(out) + 1) // 2
        out = [_beside(out[at], out[at + half : at + half + 1], room) for at in range(half)]
    for reason, names in reasons.items():
        text = f"{', '.join(names)}: {reason}"
        out += [[(text[start:end], "warn")] for start, end in wrap(text, max(width, 1))]
    return out


def _beside(left: list[Piece], right: Sequence[list[Piece]], room: int) -> list[Piece]:
    taken = sum(cell_width(text) for text, _ in left)
    gap: Piece = (" " * max(room - taken, 1), "")
    return [*left, gap, *(right[0] if right else [])]


def _rates(one: Agreement, width: int) -> list[list[Piece]]:
    out: list[list[Piece]] = [[], [("How often each value was given", "header")]]
    column = max(map(cell_width, one.raters), default=0)
    for rater in one.raters:
        text = "   ".join(shares(one, rater)) or "nothing"
        label = pad(rater, column) + "  "
        for start, end in wrap(text, max(width - column - 2, 1)):
            out.append([(label, "muted"), (text[start:end], "")])
            label = " " * (column + 2)
    return out


def _tables(one: Agreement) -> list[list[Piece]]:
    out: list[list[Piece]] = []
    values = [str(value) for value in one.values]
    column = max(map(cell_width, values), default=1)
    for table in one.tables:
        if not any(map(any, table.counts)):
            continue
        size = max(4, column, *(len(f"{count:,}") for row in table.counts for count in row))
        first, second = table.raters
        out += [[], [(f"{first} (rows) against {second} (columns)", "header")]]
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
