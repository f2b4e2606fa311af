"""Small matrices with known numbers, for the tests of what is printed from them."""

from __future__ import annotations

from engine.report.matrix.caption import Caption
from engine.results.matrix import Axis, Matrix, MatrixCell
from engine.statistics.aggregation import Summary, macro_mean
from store.records import ScoreState

CAPTION = Caption("demo-bm25", "bm25", "sample@2", "accuracy", judge="rules", baseline=True)


def cell(
    mean: float | None = None,
    n: int = 0,
    half: float | None = None,
    pending: int = 0,
    **counts: int,
) -> MatrixCell:
    """A cell of `n` values; `counts` are of the other states."""
    states = {state: counts.get(state.value, 0) for state in ScoreState} | {ScoreState.OK: n}
    has_interval = mean is not None and half is not None
    low, high = (mean - half, mean + half) if has_interval else (None, None)
    return MatrixCell(Summary(mean, low, high, states, n), pending)


def matrix(
    rows: tuple[str, ...],
    cols: tuple[str, ...],
    cells: tuple[tuple[MatrixCell | None, ...], ...],
    row_totals: tuple[MatrixCell, ...],
    col_totals: tuple[MatrixCell, ...],
    total: MatrixCell,
    higher_is_better: bool | None = True,
) -> Matrix:
    return Matrix(
        "accuracy",
        higher_is_better,
        Axis("topic", tuple(f"r{index}" for index in range(len(rows))), rows),
        Axis("task", tuple(f"c{index}" for index in range(len(cols))), cols),
        cells,
        row_totals,
        col_totals,
        total,
        macro_mean(one.summary for row in cells for one in row if one is not None),
    )


def sample(
    rows: tuple[str, ...] = ("零售银行", "Fund"), cols: tuple[str, ...] = ("抽取类问答", "Contrast")
) -> Matrix:
    """Two by two: an ordinary cell, a small one, one without an item, one where nothing applies."""
    return matrix(
        rows,
        cols,
        ((cell(0.714, 22, 0.1), cell(0.25, 12, 0.2)), (None, cell(na=5))),
        (cell(0.55, 34, 0.05), cell(na=5)),
        (cell(0.714, 22, 0.1), cell(0.25, 12, 0.2, na=5)),
        cell(0.55, 34, 0.05, na=5),
    )


def doubtful() -> Matrix:
    """One row of three states of incompleteness: a distinct count of every state."""
    total = cell(0.5, 40, 0.1, pending=7, na=1, unparsed=2, out_of_range=3, error=4, missing=5)
    return matrix(
        ("Fund",),
        ("Contrast", "Long-form"),
        ((total, cell(unparsed=1, pending=1)),),
        (total,),
        (total, cell(unparsed=1, pending=1)),
        total,
    )


def empty() -> Matrix:
    """A taxonomy of which the run has no item."""
    nothing = cell()
    return matrix(("Fund",), ("Contrast",), ((None,),), (nothing,), (nothing,), nothing)


def large(topics: int = 16, tasks: int = 5, chinese: bool = False) -> Matrix:
    """A topic x task matrix with long labels."""
    word = "衍生品市场与风险管理" if chinese else "Derivatives Markets"
    task = "多跳推理类问答" if chinese else "Conversational reasoning"
    cells = tuple(
        tuple(cell((row + col) % 11 / 10, 15 + (row * col) % 30, 0.04) for col in range(tasks))
        for row in range(topics)
    )
    margin = cell(0.47, 120, 0.03)
    return matrix(
        tuple(f"{word} {row}" for row in range(topics)),
        tuple(f"{task} {col}" for col in range(tasks)),
        cells,
        (margin,) * topics,
        (margin,) * tasks,
        cell(0.48, 1756, 0.01),
    )
