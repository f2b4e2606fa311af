"""The agreement of raters as text: figures, intervals, reasons and the values that were given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.report.agreement_labels import (
    NAMED,
    figure_text,
    interval_text,
    reason_text,
    shares,
    statistic,
)
from engine.report.text_table import sentence_lines, table_lines
from engine.statistics.agreement.records import Agreement, Statistic

_WITH_INTERVALS = ("kappa", "quadratic", "ordinal", "ac1", "ac2")


def agreement_text(
    rows: Sequence[Agreement], *, only: str | None = None, width: int | None = None
) -> str:
    """Every statistic by group and field, or `only` the one of that name in NAMED, then the values
    that each rater gave. No line is wider than `width`."""
    rated = [row for row in rows if row.n]
    lines = _one_statistic(rows, only, width) if only else _all_statistics(rated, width)
    lines += ["", "how often each value was given"]
    lines += table_lines(
        ["", "metric", "of", "n", "rater", "values"],
        [
            [*_keys(row), rater, "  ".join(shares(row, rater))]
            for row in rated
            for rater in row.raters
        ],
        width=width,
        keys=3,
        grouped=True,
    )
    return "\n".join(lines)


def _all_statistics(rows: Sequence[Agreement], width: int | None) -> list[str]:
    lines = _table(rows, tuple(NAMED), figure_text, width)
    if any(_has_interval(row) for row in rows):
        lines += ["", "95 % intervals", *_table(rows, _WITH_INTERVALS, interval_text, width)]
    reasons = _reasons(rows)
    if reasons:
        lines.append("")
    for reason in reasons:
        lines += sentence_lines(reason, width)
    return lines


def _has_interval(row: Agreement) -> bool:
    figures = (statistic(row, name) for name in _WITH_INTERVALS)
    return any(figure is not None and figure.low is not None for figure in figures)


def _table(
    rows: Sequence[Agreement],
    names: Sequence[str],
    text: Callable[[Statistic | None], str],
    width: int | None,
) -> list[str]:
    suitable = [name for name in names if any(NAMED[name] in row.statistics for row in rows)]
    return table_lines(
        ["", "metric", "of", "n", *suitable],
        [[*_keys(row), *(text(statistic(row, name)) for name in suitable)] for row in rows],
        width=width,
        keys=4,
        grouped=True,
    )


def _reasons(rows: Sequence[Agreement]) -> list[str]:
    """Each reason once, with the rows and the figures that it is about; the table's dashes show
    which figure of which row."""
    reasons: dict[str, tuple[list[str], list[str]]] = {}
    for row in rows:
        place = " ".join(filter(None, (row.group, row.field, row.part)))
        for name in NAMED:
            figure = statistic(row, name)
            if figure is not None and reason_text(figure):
                places, names = reasons.setdefault(reason_text(figure), ([], []))
                places += [place] if place not in places else []
                names += [name] if name not in names else []
    return [
        f"{'all of these' if 1 < len(places) == len(rows) else ', '.join(places)}:"
        f" {reason} ({', '.join(names)})"
        for reason, (places, names) in reasons.items()
    ]


def _one_statistic(rows: Sequence[Agreement], name: str, width: int | None) -> list[str]:
    return table_lines(
        ["", "metric", "of", "n", "groups", name, "95 % interval", ""],
        [
            [
                *_keys(row),
                str(row.groups),
                figure_text(figure),
                interval_text(figure),
                reason_text(figure),
            ]
            for row in rows
            if (figure := statistic(row, name)) is not None
        ],
        width=width,
        keys=4,
        grouped=True,
    )


def _keys(row: Agreement) -> list[str]:
    return [row.group, row.field, row.part, str(row.n)]
