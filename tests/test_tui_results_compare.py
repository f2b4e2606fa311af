"""Comparing runs in the app: the map of differences, its verdict, the items behind a cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace
from textual.pilot import Pilot

from engine.results.metric_query import MetricQuery
from engine.results.queries import ComparisonQuery
from engine.results.run_comparison import compare_runs, paired_scores
from engine.statistics.inference import Verdict
from engine.text.wrapping import cell_width
from store.runs import predictions, runs
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.results.compare import CompareScreen, difference_matrix
from tui.results.differences import DifferencesScreen
from tui.results.item import ItemScreen
from tui.results.screen import ResultsScreen
from tui.screens.choose import Choose

A, B = "bm25-sample@1", "closed-book-sample@1"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


async def compared(app: Ragdesk, pilot: Pilot[int]) -> CompareScreen:
    await pilot.press("f6")
    await seen(pilot, "coverage 100 %")
    await pilot.press("c")
    await until(pilot, lambda: isinstance(app.screen, Choose), "the runs")
    assert "closed-book" in screen_text(app)
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, CompareScreen), "the comparison")
    screen = app.screen
    assert isinstance(screen, CompareScreen)
    await until(pilot, lambda: screen.view, "the differences")
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_the_verdict_stands_above_the_map_of_differences(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        screen = await compared(app, pilot)
        text = screen_text(app)
        lines = text.splitlines()
        assert "Compare" in lines[0]
        assert f"{A} (A) is better than {B} (B)" in text
        assert "No turn is left out." in text
        assert "too few to tell" in text
        assert all(cell_width(line) <= size[0] for line in lines)
        shown = screen.map.matrix
        assert sum(cell.n for row in shown.cells for cell in row) == 272
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")


def test_cells_show_signed_differences_with_the_mark_of_their_verdict(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        view = compare_runs(workspace.db, A, B, MetricQuery("accuracy"))
        worse = compare_runs(workspace.db, B, A, MetricQuery("accuracy"))
    matrix, mirrored = difference_matrix(view), difference_matrix(worse)
    for row, heading in enumerate(matrix.rows):
        for column, other in enumerate(matrix.columns):
            found = view.comparison.cells.get((heading.key, other.key))
            cell = matrix.at(row, column)
            assert cell.value == (None if found is None else found.difference)
            if found is None:
                continue
            assert (cell.mark == "?") == (found.verdict is Verdict.TOO_FEW)
            assert -1 <= (cell.shade or 0) <= 1
            assert (mirrored.at(row, column).shade or 0) == pytest.approx(-(cell.shade or 0))


def test_a_difference_that_survives_holm_has_the_letter_of_the_better_run(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        view = compare_runs(workspace.db, A, B, MetricQuery("accuracy", rows="lang"))
        mirrored = compare_runs(workspace.db, B, A, MetricQuery("accuracy", rows="lang"))
    marks = [cell.mark for row in difference_matrix(view).cells for cell in row]
    assert marks.count("A") >= 2
    swapped = [cell.mark for row in difference_matrix(mirrored).cells for cell in row]
    assert swapped == [{"A": "B"}.get(mark, mark) for mark in marks]


async def test_runs_without_a_question_in_common_are_said_to_have_none(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        query = ComparisonQuery(A, B, MetricQuery("map"))
        await app.push_screen(CompareScreen(query))
        text = await seen(pilot, "No question has a value in both runs.")
        assert "Too few to tell" in text
        assert "closed-book-sample@1: metric does not apply" in " ".join(text.split())


@pytest.mark.parametrize("size", SIZES)
async def test_a_cell_opens_its_items_the_largest_difference_first(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        compare = await compared(app, pilot)
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, DifferencesScreen), "the items")
        screen = app.screen
        assert isinstance(screen, DifferencesScreen)
        await until(pilot, lambda: screen.pairs, "the pairs")
        sizes = [abs(pair.a - pair.b) for pair in screen.pairs]
        assert sizes == sorted(sizes, reverse=True)
        assert len(screen.pairs) == compare.map.matrix.at(4, 0).n
        with open_workspace(evaluated) as workspace:
            run_a, run_b = (runs.get(workspace.db, name).id for name in (A, B))
            first = screen.pairs[0]
            (texts,) = predictions.paired(
                workspace.db, run_a, run_b, [(first.revision_id, first.turn)]
            )
        await seen(pilot, texts.question[:8])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
        item = app.screen
        assert isinstance(item, ItemScreen)
        assert item.ids[0] == texts.id_a
        await pilot.press("escape", "escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")


def test_the_pairs_of_a_cell_have_the_means_of_its_difference(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        view = compare_runs(workspace.db, A, B, MetricQuery("f1"))
        for (row, col), found in view.comparison.cells.items():
            pairs = paired_scores(workspace.db, A, B, MetricQuery("f1"), row=row, col=col)
            assert len(pairs) == found.items
            assert sum(pair.a for pair in pairs) / len(pairs) == pytest.approx(found.mean_a)
            assert sum(pair.b for pair in pairs) / len(pairs) == pytest.approx(found.mean_b)
        assert (
            len(paired_scores(workspace.db, A, B, MetricQuery("f1")))
            == view.comparison.overall.items
        )


async def test_on_a_tall_screen_the_turns_of_the_cell_stand_under_the_map(evaluated: Path) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        screen = await compared(app, pilot)
        await seen(
            pilot, "Retail Banking x Extractive QA   2 questions, the largest difference first"
        )
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
        await pilot.press("escape", "escape")
        assert app.screen is screen
        assert screen.map.has_focus


async def test_another_metric_and_other_axes_are_compared_by_the_keys_of_results(
    evaluated: Path,
) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await compared(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the metrics")
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: screen.view.metric.name != "accuracy", "another metric")
        shown = screen.map.matrix
        await pilot.press("T")
        await until(pilot, lambda: screen.map.matrix.rows == shown.columns, "the map turned")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the axes")
        await pilot.press("end", "enter")
        await until(pilot, lambda: screen.view.rows.name != "task", "other axes")


async def test_rows_are_sorted_by_the_column_of_the_cursor(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        screen = await compared(app, pilot)
        usual = screen.map.matrix
        await pilot.press("right", "v")
        await seen(pilot, "best for A first")
        by = [row[1].value for row in screen.map.matrix.cells if row[1].value is not None]
        assert by == sorted(by, reverse=True)
        await pilot.press("v")
        await seen(pilot, "best for B first")
        assert screen.map.matrix.cells[0][1].value == by[-1]
        await pilot.press("v")
        assert screen.map.matrix == usual


async def test_a_comparison_is_written_to_a_file(evaluated: Path, tmp_path: Path) -> None:
    folder = copy_workspace(evaluated, tmp_path / "ws")
    async with desk(folder) as (app, pilot):
        await compared(app, pilot)
        await pilot.press("E")
        await seen(pilot, "Export the comparison")
        await pilot.press("enter", "enter", "enter")
        await seen(pilot, "Wrote")
    (file,) = (folder / "exports").iterdir()
    assert file.name == "bm25-sample@1-vs-closed-book-sample@1-accuracy.md"
    assert "is better than closed-book-sample@1 (B)" in file.read_text(encoding="utf-8")
