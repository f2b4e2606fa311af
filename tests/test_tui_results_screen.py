"""Results: any metric by any axes, and from a cell to its items, worst first."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace

from engine.results.metric_order import spec_of
from engine.text.wrapping import cell_width
from store.errors import RagdeskError
from store.runs import results, runs
from store.workspace import open_workspace
from tui.calculator.calculator import Calculator
from tui.results.item import ItemScreen
from tui.results.items import ItemsScreen
from tui.results.metric_labels import metric_rows, score_text
from tui.results.screen import ResultsScreen
from tui.screens.choose import Choose


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("size", SIZES)
async def test_the_matrix_says_what_it_shows(evaluated: Path, size: tuple[int, int]) -> None:
    async with desk(evaluated, size) as (app, pilot):
        await pilot.press("f6")
        text = await seen(pilot, "coverage 100 %")
        lines = text.splitlines()
        assert "bm25-sample@1" in lines[0]
        assert "accuracy (judge rules)" in lines[0]
        assert "bm25 (baseline) on sample@1   higher is better" in text
        assert "Retail Banking" in text
        assert all(cell_width(line) <= size[0] for line in lines)
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        assert screen.view is not None
        shown = screen.map.matrix
        assert (len(shown.rows), len(shown.columns)) == (16, 5)
        assert sum(cell.n for row in shown.cells for cell in row) == 272


async def test_at_80_columns_all_five_tasks_and_both_margins_are_in_view(evaluated: Path) -> None:
    async with desk(evaluated) as (_, pilot):
        await pilot.press("f6")
        text = await seen(pilot, "coverage 100 %")
        assert "›" not in text
        assert "all" in text.splitlines()[4]
        assert "Regulatory" in text


async def test_another_metric_is_chosen_from_the_list(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the list")
        assert "judge rules" in screen_text(app)
        await pilot.press("down", "down")
        await pilot.press("enter")
        text = await seen(pilot, "hallucination (judge rules)")
        await seen(pilot, "lower is better")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the runs")
        await pilot.press("up", "enter")
        text = await seen(pilot, "closed-book-sample@1")
        text = await seen(pilot, "272 n/a")
        assert "no value yet" in text


async def test_rows_and_columns_are_chosen_and_swapped(evaluated: Path) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the list")
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(screen.map.matrix.columns) == 2, "the languages")
        assert {heading.key for heading in screen.map.matrix.columns} == {"en", "zh"}
        await pilot.press("T")
        await until(pilot, lambda: len(screen.map.matrix.rows) == 2, "the languages as rows")


async def test_the_cursor_stays_on_the_margin_when_the_matrix_is_computed_again(
    evaluated: Path,
) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        await pilot.press("end")
        assert screen.map.cursor == ("retail_banking", None)
        before = screen.view
        screen._ask()
        await until(pilot, lambda: screen.view is not before, "the matrix")
        assert screen.map.cursor == ("retail_banking", None)


async def test_results_of_a_workspace_that_was_replaced_by_an_empty_one_are_forgotten(
    evaluated: Path, tmp_path: Path
) -> None:
    folder = copy_workspace(evaluated, tmp_path / "workspace")
    async with desk(folder) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        folder.rename(tmp_path / "elsewhere")
        open_workspace(folder, create=True).close()
        await seen(pilot, "No results yet.")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        assert screen.view is None


@pytest.mark.parametrize("size", SIZES)
async def test_a_cell_opens_its_items_the_worst_first(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("down", "down", "down", "down", "enter")
        await seen(pilot, "Bond Market x Extractive QA")
        screen = app.screen
        assert isinstance(screen, ItemsScreen)
        await until(pilot, lambda: screen.ids, "the items")
        with open_workspace(evaluated) as workspace:
            run = runs.get(workspace.db, "bm25-sample@1")
            key = results.find_metric(workspace.db, run.id, "accuracy")
            wanted = results.cell_prediction_ids(
                workspace.db, run.id, key, row="bond_market", col="extractive"
            )
            rows = results.prediction_rows(workspace.db, key, wanted)
        assert list(screen.ids) == wanted
        values = [row.value for row in rows]
        assert values == sorted(values)
        text = await seen(pilot, rows[0].question[:8])
        assert f"{rows[0].value:g}/2" in text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")


async def test_a_margin_opens_all_of_its_items(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("end", "pagedown", "pagedown", "enter")
        await seen(pilot, "all cells   272 answers")
        screen = app.screen
        assert isinstance(screen, ItemsScreen)
        assert screen.list.count == 272
        await pilot.press("end")
        assert screen.list.cursor == 271


def test_metrics_are_listed_by_group_with_their_direction(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        keys = results.metrics(workspace.db, 1)
    rows = metric_rows(keys)
    groups = [str(row.cells[0].text) for row in rows if row.cells[0].text]  # type: ignore[union-attr]
    assert groups == ["judge rules", "text", "ranking", "crud", "omnieval"]
    assert len(rows) == len(keys)


def test_a_value_is_written_on_the_scale_of_its_metric(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        keys = {(key.name, key.variant): key for key in results.metrics(workspace.db, 1)}
    accuracy = spec_of(keys["accuracy", "standard"])
    assert score_text(accuracy, 1.0, None) == "1/2"
    assert score_text(spec_of(keys["f1", "standard"]), 0.714, None) == ".71"
    assert score_text(spec_of(keys["length", "crud"]), 76.0, None) == "76"
    assert score_text(accuracy, None, None) == "pending"


async def test_another_run_is_never_shown_as_the_one_before(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        other = next(fact for fact in app.facts.work if fact.title == "closed-book-sample@1")
        assert other.run is not None
        screen.show_run(other.run.id)
        await pilot.pause()
        text = screen_text(app)
        assert "closed-book-sample@1" in text
        assert "bm25" not in text
        assert "No results" not in text
        await seen(pilot, "closed-book (baseline) on sample@1")


async def test_a_run_that_is_not_known_yet_is_waited_for(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        screen.show_run(99)
        screen.show_facts(app.facts, None)
        await pilot.pause(0.1)
        assert "Computing the matrix of the run." in screen_text(app)


async def test_what_could_not_be_computed_is_not_said_to_be_on_its_way(
    evaluated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Calculator, query: object) -> None:
        raise RagdeskError("The process that computes results ended abruptly.", "Try again.")

    monkeypatch.setattr(Calculator, "ask", fail)
    async with desk(evaluated) as (_, pilot):
        await pilot.press("f6")
        text = await seen(pilot, "ended abruptly")
        assert "This could not be read" in text
        assert "Computing" not in text


async def test_on_a_tall_screen_the_answers_of_the_cell_stand_under_the_map(
    evaluated: Path,
) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        await seen(pilot, "Retail Banking x Extractive QA   2 answers")
        await pilot.press("end", "right")
        await seen(pilot, "Retail Banking   14 answers")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, ItemScreen), "the item")
        await pilot.press("escape", "escape")
        assert app.screen is screen
        assert screen.map.has_focus


async def test_on_a_short_screen_the_map_has_all_lines(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        screen = app.screen
        assert isinstance(screen, ResultsScreen)
        assert not screen.turns.list.display
        assert screen.map.size.height == screen.turns.size.height
