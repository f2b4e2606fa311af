"""The table of runs with OmniEval's nine measures, and what the command writes of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from desks import evaluated_workspace

from engine.report.run_table import render, value_text
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.results.run_table import COLUMNS, run_table
from engine.results.table import TableCell
from store.errors import NotFound
from store.workspace import open_workspace
from tui.cli import main

RUNS = ("bm25-sample@1", "closed-book-sample@1")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


def test_every_mean_is_that_of_the_run_s_matrix(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        table = run_table(workspace.db, RUNS)
        assert table.columns == tuple(COLUMNS)
        for row in table.rows:
            for metric, cell in zip(COLUMNS.values(), row.cells, strict=True):
                total = run_matrix(workspace.db, row.run, MetricQuery(metric)).matrix.total
                figures = (total.summary.mean, total.summary.low, total.summary.high, total.n)
                assert (cell.mean, cell.low, cell.high, cell.n) == figures
    assert table.judges == ("rules",)


def test_what_does_not_apply_to_closed_book_has_no_mean(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        (row,) = run_table(workspace.db, RUNS[1:]).rows
    means = dict(zip(COLUMNS, (cell.mean for cell in row.cells), strict=True))
    assert {name for name, mean in means.items() if mean is None} == {"MAP", "MRR", "HAL", "UTL"}
    assert row.retriever is None


def test_the_paper_s_variant_is_taken_for_the_measures_without_a_judge(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        (own,) = run_table(workspace.db, RUNS[:1]).rows
        (paper,) = run_table(workspace.db, RUNS[:1], variant="omnieval").rows
        f1 = run_matrix(
            workspace.db, RUNS[0], MetricQuery("f1", variant="omnieval")
        ).matrix.total.summary
    assert paper.cells[3].mean == f1.mean != own.cells[3].mean
    assert paper.cells[4:] == own.cells[4:]


def test_a_measure_that_the_variant_lacks_has_no_mean(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        (row,) = run_table(workspace.db, RUNS[:1], variant="financerag").rows
        query = MetricQuery("map", variant="financerag")
        own = run_matrix(workspace.db, RUNS[0], query).matrix.total.summary
    assert [cell.mean for cell in row.cells[:4]] == [own.mean, None, None, None]


def test_an_unknown_run_and_an_unknown_judge_are_told_apart(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        with pytest.raises(NotFound):
            run_table(workspace.db, ["nobody"])
        (row,) = run_table(workspace.db, RUNS[:1], judge="nobody").rows
    assert [cell.mean for cell in row.cells[4:]] == [None] * 5


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (TableCell(0.43704, n=272, groups=66, coverage=1.0), ".437"),
        (TableCell(1.0, n=272, groups=66, coverage=1.0), "1.000"),
        (TableCell(0.5, n=272, groups=19, coverage=1.0), "~.500"),
        (TableCell(0.5, n=200, groups=200, coverage=0.9), "!.500"),
        (TableCell(), "-"),
    ],
)
def test_a_value_has_the_sign_of_what_weakens_it(cell: TableCell, text: str) -> None:
    assert value_text(cell) == text


def test_all_formats_hold_the_same_values(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        table = run_table(workspace.db, RUNS)
    values = [value_text(cell) for cell in table.rows[0].cells]
    assert " | ".join(values) in render(table, "markdown")
    assert " & ".join(values) in render(table, "latex")
    lines = list(csv.DictReader(io.StringIO(render(table, "csv"))))
    assert [line["measure"] for line in lines] == [*COLUMNS, *COLUMNS]
    assert [line["mean"] for line in lines[:9]] == [str(cell.mean) for cell in table.rows[0].cells]


def test_the_command_prints_and_writes_the_table(
    evaluated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["--workspace", str(evaluated), "table", *RUNS]
    assert main(start) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0].split()[-9:] == list(COLUMNS)
    assert main([*start, "--format", "latex", "--out", str(tmp_path / "t.tex")]) == 0
    assert r"\begin{tabular}{lllrrrrrrrrr}" in (tmp_path / "t.tex").read_text("utf-8")
    capsys.readouterr()
    assert main([*start, "--format", "json"]) == 0
    assert [row["run"] for row in json.loads(capsys.readouterr().out)["rows"]] == list(RUNS)
