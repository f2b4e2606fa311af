"""The agreement of raters as text: names of the statistics, figures, intervals and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.labelling.figures.agreement_records import POOLED, VERDICT, Agreement
from engine.report.text_table import said, sentence_lines, table_lines
from engine.statistics.agreement.statistic import Statistic

NAMED = {
    "raw": "raw",
    "kappa": "kappa_plain",
    "linear": "kappa_linear",
    "quadratic": "kappa_quadratic",
    "alpha": "alpha_nominal",
    "ordinal": "alpha_ordinal",
    "ac1": "ac1",
    "ac2": "ac2",
    "spearman": "spearman",
}
"""The statistics by the names that people use."""
_WITH_INTERVALS = ("kappa", "quadratic", "ordinal", "ac1", "ac2")
_WORDED = {"of"}
"""The column that says what raters agree on."""
MEANINGS = {
    "raw": "share of agreeing pairs of raters",
    "kappa": "Cohen's, beyond chance; 0 is as good as chance",
    "linear": "kappa; a difference counts by its size",
    "quadratic": "kappa; a large difference counts much more",
    "alpha": "Krippendorff's, nominal",
    "ordinal": "Krippendorff's, for ordered values",
    "ac1": "Gwet's; steady where one value prevails",
    "ac2": "Gwet's, with quadratic weights",
    "spearman": "correlation of ranks",
}

LABELS_CHANGED = "labels have changed since: ctrl+r computes again"


def statistic(row: Agreement, name: str) -> Statistic | None:
    """A statistic by its name in NAMED; None where it does not suit the field."""
    return row.statistics.get(NAMED[name])


def figure_text(figure: Statistic | None, places: int = 3) -> str:
    """`0.812`; `-` where it is undefined, nothing where there is none."""
    if figure is None:
        return ""
    return "-" if figure.value is None else f"{figure.value:.{places}f}"


def interval_text(figure: Statistic | None) -> str:
    """`0.74 to 0.88`; `-` where it is undefined, nothing where there is no figure."""
    if figure is None:
        return ""
    if figure.low is None or figure.high is None:
        return "-"
    return f"{figure.low:.2f} to {figure.high:.2f}"


def reason_text(figure: Statistic) -> str:
    """The reason for a missing figure or interval; empty where there are both."""
    return f"undefined: {figure.reason}" if figure.reason else figure.interval_reason


def shares(row: Agreement, rater: str) -> Iterator[str]:
    """`0: 41 (32 %)` for every value that the rater gave."""
    counts = row.base_rates[rater]
    total = sum(counts) or 1
    for value, count in zip(row.values, counts, strict=True):
        if count:
            yield f"{said(str(value))}: {count} ({100 * count / total:.0f} %)"


def short(text: str) -> str:
    """Figures without the zero before the point."""
    return " ".join(
        part.replace("0.", ".", 1) if part.startswith(("0.", "-0.")) else part
        for part in text.split(" ")
    )


def field_text(field: str) -> str:
    """A field's name for people; that of the row over all fields too."""
    if field == POOLED:
        return "all pooled"
    return "verdict" if field == VERDICT else field.replace("_", " ")


def agreement_text(
    rows: Sequence[Agreement], *, only: str | None = None, width: int | None = None
) -> str:
    """Every statistic by group and field, or `only` the one of that name in NAMED, then the values
    that each rater gave. No line is wider than `width`."""
    rated = [row for row in rows if row.n]
    lines = _one_statistic(rows, only, width) if only else _all_statistics(rated, width)
    lines += ["", said("how often each value was given")]
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
        worded=_WORDED,
    )
    return "\n".join(lines)


def _all_statistics(rows: Sequence[Agreement], width: int | None) -> list[str]:
    lines = _table(rows, tuple(NAMED), figure_text, width)
    if any(_has_interval(row) for row in rows):
        lines += ["", said("95 % intervals"), *_table(rows, _WITH_INTERVALS, interval_text, width)]
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
        worded=_WORDED,
    )


def _reasons(rows: Sequence[Agreement]) -> list[str]:
    """Each reason once, with the rows and the figures that it is about; the table's dashes show
    which figure of which row."""
    reasons: dict[str, tuple[list[str], list[str]]] = {}
    for row in rows:
        group, field, part, _ = _keys(row)
        place = " ".join(filter(None, (group, field, said(part))))
        for name in NAMED:
            figure = statistic(row, name)
            if figure is not None and reason_text(figure):
                places, names = reasons.setdefault(reason_text(figure), ([], []))
                places += [place] if place not in places else []
                names += [name] if name not in names else []
    return [
        f"{said('all of these') if 1 < len(places) == len(rows) else ', '.join(places)}:"
        f" {said(reason)} ({', '.join(map(said, names))})"
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
                said(reason_text(figure)),
            ]
            for row in rows
            if (figure := statistic(row, name)) is not None
        ],
        width=width,
        keys=4,
        grouped=True,
        worded=_WORDED,
    )


def _keys(row: Agreement) -> list[str]:
    field = said(row.field) if row.field == POOLED else row.field
    return [row.group, field, row.part, str(row.n)]
