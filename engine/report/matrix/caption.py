"""The texts of a matrix that every format prints: title, totals, sentences, figures of cells."""

from __future__ import annotations

from msgspec import Struct

from engine.report.matrix.figures import (
    TYPOGRAPHIC,
    Blank,
    FormatValue,
    Signs,
    all_cells,
    blank_kind,
    exact_format,
    interval_text,
    mean_text,
    percent,
    state_counts,
    value_format,
)
from engine.report.matrix.labels import Labels
from engine.results.matrix import Matrix, MatrixCell
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


def direction(higher_is_better: bool | None, lang: Lang) -> str:
    """`higher is better`, `lower is better`, or that neither is."""
    labels = Labels(lang)
    if higher_is_better is None:
        return labels.neutral
    return labels.higher if higher_is_better else labels.lower


class MatrixText:
    """The texts of a matrix, in the language of its caption and with the signs of a format."""

    def __init__(self, matrix: Matrix, caption: Caption, signs: Signs = TYPOGRAPHIC) -> None:
        self.matrix = matrix
        self.caption = caption
        self.signs = signs
        self.labels = Labels(caption.lang)
        self.write: FormatValue = value_format(matrix)
        """The format of the means."""

    def mean(self, cell: MatrixCell | None) -> str:
        """As `mean_text` has it."""
        return mean_text(cell, self.write, self.signs)

    def interval(self, cell: MatrixCell) -> str:
        """As `interval_text` has it."""
        return interval_text(cell, self.write, self.signs)

    def title(self) -> list[str]:
        """Run, system (and whether it is a baseline), dataset, metric with its direction, judge."""
        labels, caption = self.labels, self.caption
        system = labels.baseline_system if caption.baseline else labels.system
        better = direction(self.matrix.higher_is_better, caption.lang)
        parts = [
            labels.run.format(caption.run),
            system.format(caption.system),
            labels.dataset.format(caption.dataset),
            labels.metric.format(metric=caption.metric, direction=better),
        ]
        return [*parts, labels.judge.format(caption.judge)] if caption.judge else parts

    def overall(self) -> list[str]:
        """The mean over samples with its interval; beside it the macro mean, and the coverage."""
        labels, matrix = self.labels, self.matrix
        write = exact_format(matrix)
        summary = matrix.total.summary
        n = f"{summary.n_ok:,}"
        if summary.mean is None:
            parts = [labels.overall_empty.format(empty=self.signs.no_item)]
        elif summary.low is None or summary.high is None:
            template = labels.overall_without_interval
            parts = [template.format(mean=write(summary.mean), n=n, limit=MIN_GROUPS)]
        else:
            ends = {"low": write(summary.low), "high": write(summary.high), "to": self.signs.to}
            groups = f"{summary.groups:,}"
            parts = [labels.overall.format(mean=write(summary.mean), n=n, groups=groups, **ends)]
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

    def totals(self) -> str:
        """The same as one text."""
        return self.labels.separator.join(self.overall())

    def states(self) -> str:
        """`n: ok 1,756, na 31, ...`: the number of scores in each state, zeros included."""
        names = self.labels.states
        counts = state_counts(self.matrix.total).items()
        parts = [f"{names[state]} {count:,}" for state, count in counts]
        return f"n: {self.labels.separator.join(parts)}"

    def warnings(self) -> list[str]:
        """Reasons to doubt the means as a whole: low coverage, a run that is not finished."""
        doubts = []
        total = self.matrix.total
        summary = total.summary
        if self.matrix.coverage_is_low and summary.coverage is not None:
            applicable = sum(summary.n.values()) - summary.n[ScoreState.NA]
            doubts.append(
                self.labels.low_coverage.format(
                    coverage=percent(summary.coverage),
                    limit=f"{100 * LOW_COVERAGE:g} %",
                    lost=f"{applicable - summary.n_ok:,}",
                    applicable=f"{applicable:,}",
                )
            )
        if total.pending:
            doubts.append(self.labels.unfinished.format(f"{total.pending:,}"))
        return doubts

    def legend(self, form: str, small_sign: str) -> list[str]:
        """The meaning of the signs; of those that mark something special, only those in the matrix.

        `form` is a cell as the format writes it, `small_sign` how the format marks a small one.
        """
        labels, signs = self.labels, self.signs
        cells = list(all_cells(self.matrix))
        blanks = {blank_kind(cell) for cell in cells}
        blanks |= {"no_item" for row in self.matrix.cells for cell in row if cell is None}
        lines = [labels.mean_and_n.format(form=form)]
        if any(cell.is_small and cell.summary.mean is not None for cell in cells):
            lines.append(labels.small.format(sign=small_sign, limit=SMALL_CELL))
        if any(cell.summary.low is not None for cell in cells):
            lines.append(labels.interval.format(form=f".67{signs.to}.75", limit=MIN_GROUPS))
        shown = (kind for kind in _BLANKS if kind in blanks)
        return [*lines, *(getattr(labels, kind).format(signs.blank(kind)) for kind in shown)]

    def sentences(self, parts: list[str]) -> str:
        """The parts as one paragraph of sentences."""
        return "".join(part + self.labels.stop for part in parts).strip()
