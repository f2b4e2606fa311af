"""A matrix over all is the mean over its values, as OmniEval's authors print it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.metrics.spec import resolve
from engine.results.matrix import Axis, build_matrix
from store.records import ScoreRow, ScoreState

PARITY = Path(__file__).parent / "data" / "parity"
MATRICES = json.loads((PARITY / "omnieval_tables.json").read_text("utf-8"))["matrices"]


@pytest.mark.parametrize(
    ("matrix", "counts", "printed"),
    [
        ("rouge_l__human__gte-qwen2-1.5b__deepseek-v2-chat", "count_human_test", 0.2916),
        ("rouge_l__human__gte-qwen2-1.5b__yi15-34b", "count_human_test", 0.0887),
        ("rouge_l__auto__gte-qwen2-1.5b__deepseek-v2-chat", "count_auto_test", 0.2285),
        ("rouge_l__auto__gte-qwen2-1.5b__yi15-34b", "count_auto_test", 0.0594),
    ],
)
def test_the_printed_cells_give_the_printed_mean_over_all(
    matrix: str, counts: str, printed: float
) -> None:
    means, numbers = MATRICES[matrix]["rows"], MATRICES[counts]["rows"]
    scores = [
        ScoreRow("", 0, 0, 0, f"{row}-{col}", str(row), str(col), ScoreState.OK, mean)
        for row, (values, counted) in enumerate(zip(means, numbers, strict=True))
        for col, (mean, number) in enumerate(zip(values, counted, strict=True))
        if mean is not None
        for _ in range(number)
    ]
    rows, cols = (
        Axis(name, tuple(map(str, range(size))), tuple(map(str, range(size))))
        for name, size in (("topic", len(means)), ("task", len(means[0])))
    )
    built = build_matrix(scores, resolve("rougeL"), "rougeL", rows, cols)
    assert built.total.summary.mean is not None
    assert round(built.total.summary.mean, 4) == printed
    cell = built.cells[0][0]
    assert cell is not None
    assert cell.summary.mean == pytest.approx(means[0][0])
