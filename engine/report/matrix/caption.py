"""The title, the totals and the sentences around a matrix, which every format prints."""

from __future__ import annotations

from msgspec import Struct

from engine.report.matrix.figures import (
    Blank,
    Signs,
    all_cells,
    blank_kind,
    exact_format,
    percent,
    state_counts,
)
from engine.report.matrix.labels import Labels
from engine.results.matrix import Matrix
from engine.statistics.aggregation import LOW_COVERAGE, SMALL_CELL
from engine.statistics.inference import MIN_GROUPS
from store.records import Lang, ScoreState

_BLANKS: tuple[Blank, ...] = ("no_item", "not_applicable", "no_value")


class Caption(Struct, frozen=True):
    """The title of a matrix and the language of the words around it."""

    run: str
    system: str
    dataset: str
    """Label of the release, `NAME@V`."""
    metric: str
    """Name of the metric, with its variant unless that is `standard`."""
    judge: str = ""
    """Empty for a metric that needs no judge."""
    baseline: bool = False
    """Whether to call the system a baseline."""
    notes: tuple[str, ...] = ()
    """Further sentences for the reader, printed below the matrix."""
    lang: Lang = "en"
    """Of the words around the numbers; the axes bring their own labels."""


def title_parts(matrix: Matrix, caption: Caption) -> list[str]:
    """Run, system (and whether it is a baseline), dataset, metric with its direction, judge."""
    labels = Labels(caption.lang)
    system = labels.baseline_system if caption.baseline else labels.system
    parts = [
        labels.run.format(caption.run),
        system.format(caption.system),
        labels.dataset.format(caption.dataset),
        labels.metric.format(
            metric=caption.metric, direction=direction(matrix.higher_is_better, caption.lang)
        ),
    ]
    return [*parts, labels.judge.format(caption.judge)] if caption.judge else parts


def direction(higher_is_better: bool | None, lang: Lang) -> str:
    """`higher is better`, `lower is better`, or that neither is."""
    labels = Labels(lang)
    if higher_is_better is None:
        return labels.neutral
    return labels.higher if higher_is_better else labels.lower


def overall(matrix: Matrix, caption: Caption, signs: Signs) -> list[str]:
    """The mean over samples with its interval; beside it the macro mean, and the coverage."""
    labels = Labels(caption.lang)
    write = exact_format(matrix)
    summary = matrix.total.summary
    if summary.mean is None:
        parts = [labels.overall_empty.format(empty=signs.no_item)]
    elif summary.low is None or summary.high is None:
        template = labels.overall_without_interval
        n = f"{summary.n_ok:,}"
        parts = [template.format(mean=write(summary.mean), n=n, limit=MIN_GROUPS)]
    else:
        ends = {"low": write(summary.low), "high": write(summary.high), "to": signs.to}
        parts = [
            labels.overall.format(
                mean=write(summary.mean),
                n=f"{summary.n_ok:,}",
                groups=f"{summary.groups:,}",
                **ends,
            ),
        ]
    if matrix.macro is not None:
        cells = sum(
            cell is not None and cell.summary.mean is not None
            for row in matrix.cells
            for cell in row
        )
        parts.append(labels.macro.format(mean=write(matrix.macro), cells=cells))
    if summary.coverage is not None:
        parts.append(labels.coverage.format(percent(summary.coverage)))
    return parts


def states(matrix: Matrix, caption: Caption) -> list[str]:
    """`ok 1,756`, `na 31`, ...: the number of scores in each state, zeros included."""
    names = Labels(caption.lang).states
    return [f"{names[state]} {count:,}" for state, count in state_counts(matrix.total).items()]


def warnings(matrix: Matrix, caption: Caption) -> list[str]:
    """Reasons to doubt the means as a whole: low coverage, a run that is not finished."""
    labels = Labels(caption.lang)
    doubts = []
    summary = matrix.total.summary
    if matrix.coverage_is_low and summary.coverage is not None:
        applicable = sum(summary.n.values()) - summary.n[ScoreState.NA]
        doubts.append(
            labels.low_coverage.format(
                coverage=percent(summary.coverage),
                limit=f"{100 * LOW_COVERAGE:g} %",
                lost=f"{applicable - summary.n_ok:,}",
                applicable=f"{applicable:,}",
            )
        )
    if matrix.total.pending:
        doubts.append(labels.unfinished.format(f"{matrix.total.pending:,}"))
    return doubts


def legend(matrix: Matrix, caption: Caption, signs: Signs, form: str, small_sign: str) -> list[str]:
    """The meaning of the signs of a matrix; of signs that mark something special, only those in it.

    `form` is a cell as the format writes it, `small_sign` how the format marks a small one.
    """
    labels = Labels(caption.lang)
    cells = list(all_cells(matrix))
    blanks = {blank_kind(cell) for cell in cells}
    blanks |= {"no_item" for row in matrix.cells for cell in row if cell is None}
    lines = [labels.mean_and_n.format(form=form)]
    if any(cell.is_small and cell.summary.mean is not None for cell in cells):
        lines.append(labels.small.format(sign=small_sign, limit=SMALL_CELL))
    if any(cell.summary.low is not None for cell in cells):
        lines.append(labels.interval.format(form=f".67{signs.to}.75", limit=MIN_GROUPS))
    lines += [getattr(labels, kind).format(signs.blank(kind)) for kind in _BLANKS if kind in blanks]
    return lines


def sentences(parts: list[str], caption: Caption) -> str:
    """The parts as one paragraph of sentences."""
    stop = Labels(caption.lang).stop
    return "".join(part + stop for part in parts).strip()
