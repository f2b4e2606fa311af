"""The heat map of a run's matrix, and the two lines above it."""

from __future__ import annotations

from engine.judge.trust import family_text, trust_text
from engine.report.matrix.colours import Scale, scale_of
from engine.results.matrix import Matrix, MatrixCell, RunMatrix
from engine.results.metric_order import spec_of
from engine.statistics.aggregation import LOW_COVERAGE
from tui.language import language, tr
from tui.results.metric_labels import STATE_WORDS, direction
from tui.shell.theme import SIGNS
from tui.widgets import matrix as heat
from tui.widgets.line import Piece
from tui.widgets.matrix import SMALL_NOTE, FormatValue, Heading, HeatCell, short_value


def value_format(matrix: Matrix) -> FormatValue:
    """Two decimals on a scale of 0 to 1; one decimal for a metric without an upper end."""
    means = [cell.summary.mean for row in matrix.cells for cell in row if cell is not None]
    if all(mean is None or abs(mean) <= 1 for mean in means):
        return short_value
    return lambda value: f"{value:,.1f}"


def exact_format(matrix: Matrix) -> FormatValue:
    """Returns a format with one more decimal, for the overall figure."""
    if value_format(matrix) is not short_value:
        return lambda value: f"{value:,.2f}"
    return lambda value: f"{value:.3f}".removeprefix("0")


def heat_matrix(matrix: Matrix) -> heat.Matrix:
    """The same cells with their shades, on the scale that exported pictures have, too.

    Rows and columns without any answer are left out, as the taxonomy may know many of them.
    """
    scale = scale_of([matrix])

    def body(cell: MatrixCell | None) -> HeatCell:
        return HeatCell() if cell is None else _cell(cell, scale)

    whole = heat.Matrix(
        tuple(map(Heading, matrix.rows.keys, matrix.rows.labels)),
        tuple(map(Heading, matrix.cols.keys, matrix.cols.labels)),
        tuple(tuple(map(body, row)) for row in matrix.cells),
        tuple(_cell(cell, None) for cell in matrix.row_totals),
        tuple(_cell(cell, None) for cell in matrix.col_totals),
        _cell(matrix.total, None),
    )
    return heat.without_empty(whole)


def _cell(cell: MatrixCell, scale: Scale | None) -> HeatCell:
    summary = cell.summary
    has_ends = summary.low is not None and summary.high is not None
    is_small = cell.is_small and bool(sum(summary.n.values()))
    return HeatCell(
        summary.mean,
        cell.n,
        None if scale is None or summary.mean is None else scale.position(summary.mean),
        is_small,
        (summary.low, summary.high) if has_ends else None,  # type: ignore[arg-type]
        "   ".join([", ".join(lost_parts(cell)), SMALL_NOTE if is_small else ""]).strip(),
    )


def lost_parts(cell: MatrixCell) -> list[str]:
    """Counts the answers without a value by state: `31 n/a`, `4 unparsed`, `2 pending`."""
    counts = cell.summary.n
    words = {state: tr(word) for state, word in STATE_WORDS.items() if counts[state]}
    parts = [f"{counts[state]:,} {word}" for state, word in words.items()]
    return [*parts, tr("{pending:,} pending", pending=cell.pending)] if cell.pending else parts


def caption(view: RunMatrix) -> list[list[Piece]]:
    """Returns two lines: the run and how it was measured; the overall figure with its states."""
    system = view.run.system
    name = tr("{name} (baseline)", name=system.name) if system.baseline else system.name
    first: list[Piece] = [
        (name, "strong"),
        (tr(" on "), "muted"),
        (view.release, ""),
    ]
    if view.trust is not None:
        kind = "warn" if view.trust.stale or view.trust.audit == "not trusted" else ""
        first.append((f"   {trust_text(view.trust, language())}", kind))
    if view.same_family:
        first.append((f"   {family_text(view.same_family, language())}", "warn"))
    # last, since it is what may be cut where there is little room
    first.append((f"   {direction(spec_of(view.metric))}", "muted"))
    return [first, _overall(view.matrix)]


def _overall(matrix: Matrix) -> list[Piece]:
    write, summary = exact_format(matrix), matrix.total.summary
    if summary.mean is None:
        pieces: list[Piece] = [(tr("no value yet"), "warn")]
    else:
        pieces = [(tr("mean "), "muted"), (write(summary.mean), "strong")]
        if summary.low is not None and summary.high is not None:
            pieces.append(
                (
                    tr(
                        "  95 % {low} to {high}",
                        low=write(summary.low),
                        high=write(summary.high),
                    ),
                    "muted",
                )
            )
    if matrix.macro is not None:
        pieces += [(tr("   macro "), "muted"), (write(matrix.macro), "")]
    pieces += [("   n ", "muted"), (f"{matrix.total.n:,}", "")]
    if summary.coverage is not None:
        is_low = summary.coverage < LOW_COVERAGE
        text = f"{SIGNS.bad + ' ' if is_low else ''}{100 * summary.coverage:.4g} %"
        pieces += [(tr("   coverage "), "muted"), (text, "warn" if is_low else "")]
    lost = lost_parts(matrix.total)
    return [*pieces, (f"   {', '.join(lost)}", "muted")] if lost else pieces
