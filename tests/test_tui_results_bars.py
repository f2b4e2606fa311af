"""Runs side by side as bars: by topic, by task, for the runs that one chooses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, screen_text, seen, until

from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.text.wrapping import cell_width
from store.workspace import open_workspace
from tui.results.bars import BarsScreen, bar_rows, row_key
from tui.results.items import ItemsScreen
from tui.results.screen import ResultsScreen
from tui.screens.choose import Choose
from tui.shell.theme import SIGNS

RUNS = ("bm25-sample@1", "closed-book-sample@1")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


def shows(screen: BarsScreen, count: int) -> bool:
    return screen.list.count == count


@pytest.mark.parametrize("size", SIZES)
async def test_bars_are_shown_by_topic_then_by_task(evaluated: Path, size: tuple[int, int]) -> None:
    async with desk(evaluated, size) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("B")
        text = await seen(pilot, "Retail Banking")
        screen = app.screen
        assert isinstance(screen, BarsScreen)
        assert screen.list.count == 2 * 17
        assert SIGNS.bar_full in text
        assert "closed-book-sample@1 " in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        await pilot.press("T")
        text = await seen(pilot, "by task")
        assert screen.list.count == 2 * 6
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ItemsScreen), "the items")
        await seen(pilot, "Extractive QA   48 answers")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")


async def test_a_run_is_taken_away_and_put_back(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("B")
        await seen(pilot, "Retail Banking")
        screen = app.screen
        assert isinstance(screen, BarsScreen)
        for count in (17, 34):
            await pilot.press("r")
            await until(pilot, lambda: isinstance(app.screen, Choose), "the runs")
            assert "closed-book" in screen_text(app)
            await pilot.press("down", "enter")
            await until(pilot, partial(shows, screen, count), "the bars")


def test_a_bar_has_the_value_the_n_and_the_interval_of_its_topic(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        views = [run_matrix(workspace.db, name, MetricQuery("f1")) for name in RUNS]
    rows = bar_rows(views, "task", 20)
    for index, row in enumerate(rows):
        run_id, key = row_key(row)
        view = views[index % 2]
        assert run_id == view.run.id
        matrix = view.matrix
        cell = matrix.total if key is None else matrix.col_totals[matrix.cols.keys.index(key)]
        texts = [part if isinstance(part, str) else part.text for part in row.cells]
        assert texts[4] == f"{cell.n}"
        assert cell.summary.mean is not None
        assert float(texts[3]) == pytest.approx(cell.summary.mean, abs=0.0051)
        assert len(texts[2]) == 20
    assert row_key(rows[-1])[1] is None
