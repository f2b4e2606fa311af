"""The sentences about a matrix that every format prints: title, totals, warnings, legend."""

from __future__ import annotations

from engine.report.caption import Caption
from engine.report.figures import (
    Blank,
    Signs,
    all_cells,
    blank_kind,
    exact_format,
    half_width,
    percent,
    state_counts,
)
from engine.report.wording import words
from engine.results.matrix import Matrix
from engine.statistics.aggregation import LOW_COVERAGE, RESAMPLES, SMALL_CELL
from store.records import ScoreState

_BLANKS: tuple[Blank, ...] = ("no_item", "not_applicable", "no_value")


def title_parts(matrix: Matrix, caption: Caption) -> list[str]:
    """Run, system (and whether it is a baseline), dataset, metric with its direction, judge."""
    say = words(caption.lang)
    system = say.baseline_system if caption.baseline else say.system
    parts = [
        say.run.format(caption.run),
        system.format(caption.system),
        say.dataset.format(caption.dataset),
        say.metric.format(metric=caption.metric, direction=direction(matrix, caption)),
    ]
    return [*parts, say.judge.format(caption.judge)] if caption.judge else parts


def direction(matrix: Matrix, caption: Caption) -> str:
    """`higher is better`, `lower is better`, or that neither is."""
    say = words(caption.lang)
    if matrix.higher_is_better is None:
        return say.neutral
    return say.higher if matrix.higher_is_better else say.lower


def overall(matrix: Matrix, caption: Caption, signs: Signs) -> list[str]:
    """The mean over samples with its interval; beside it the macro mean, and the coverage."""
    say = words(caption.lang)
    write = exact_format(matrix)
    summary = matrix.total.summary
    if summary.mean is None:
        parts = [say.overall_empty.format(empty=signs.no_item)]
    elif summary.low is None or summary.high is None:
        template = say.overall_without_interval
        parts = [template.format(mean=write(summary.mean), n=f"{summary.n_ok:,}")]
    else:
        ends = {"low": write(summary.low), "high": write(summary.high), "to": signs.to}
        parts = [
            say.overall.format(mean=write(summary.mean), n=f"{summary.n_ok:,}", **ends),
        ]
    if matrix.macro is not None:
        cells = sum(
            cell is not None and cell.summary.mean is not None
            for row in matrix.cells
            for cell in row
        )
        parts.append(say.macro.format(mean=write(matrix.macro), cells=cells))
    if summary.coverage is not None:
        parts.append(say.coverage.format(percent(summary.coverage)))
    return parts


def states(matrix: Matrix, caption: Caption) -> list[str]:
    """`ok 1,756`, `na 31`, ...: how many scores are in each state, zeros included."""
    names = words(caption.lang).states
    return [f"{names[state]} {count:,}" for state, count in state_counts(matrix.total).items()]


def warnings(matrix: Matrix, caption: Caption) -> list[str]:
    """What makes the means doubtful as a whole: low coverage, a run that is not finished."""
    say = words(caption.lang)
    found = []
    summary = matrix.total.summary
    if matrix.coverage_is_low and summary.coverage is not None:
        applicable = sum(summary.n.values()) - summary.n[ScoreState.NA]
        found.append(
            say.low_coverage.format(
                coverage=percent(summary.coverage),
                limit=f"{100 * LOW_COVERAGE:g} %",
                lost=f"{applicable - summary.n_ok:,}",
                applicable=f"{applicable:,}",
            )
        )
    if matrix.total.pending:
        found.append(say.unfinished.format(f"{matrix.total.pending:,}"))
    return found


def legend(matrix: Matrix, caption: Caption, signs: Signs, form: str, small_sign: str) -> list[str]:
    """What the signs of a matrix mean; of those that mark something special, only those in it.

    `form` is a cell as the format writes it, `small_sign` how the format marks a small one.
    """
    say = words(caption.lang)
    cells = list(all_cells(matrix))
    blanks = {blank_kind(cell) for cell in cells}
    blanks |= {"no_item" for row in matrix.cells for cell in row if cell is None}
    lines = [say.mean_and_n.format(form=form)]
    if any(cell.is_small and cell.summary.mean is not None for cell in cells):
        lines.append(say.small.format(sign=small_sign, limit=SMALL_CELL))
    if any(half_width(cell) is not None for cell in cells):
        lines.append(say.interval.format(sign=signs.plus_minus, resamples=f"{RESAMPLES:,}"))
    lines += [getattr(say, kind).format(signs.blank(kind)) for kind in _BLANKS if kind in blanks]
    return lines


def sentences(parts: list[str], caption: Caption) -> str:
    """The parts as one paragraph of sentences."""
    stop = words(caption.lang).stop
    return "".join(part + stop for part in parts).strip()
