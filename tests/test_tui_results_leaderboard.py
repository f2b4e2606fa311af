"""The runs of a dataset, ranked and as a table, in the app."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, screen_text, seen, until

from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import rank_runs
from engine.results.run_table import run_table
from engine.text.wrapping import cell_width
from store.runs import results
from store.workspace import open_workspace
from tui.results.leaderboard import LeaderboardScreen, ranked_rows, table_rows
from tui.results.screen import ResultsScreen
from tui.widgets.row_source import Row

RUNS = ("bm25-sample@1", "closed-book-sample@1")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


def texts(row: Row) -> list[str]:
    return [cell if isinstance(cell, str) else cell.text for cell in row.cells]


@pytest.mark.parametrize("size", SIZES)
async def test_runs_are_ranked_and_stand_in_the_table(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await pilot.press("L")
        text = await seen(pilot, "MAP")
        assert isinstance(app.screen, LeaderboardScreen)
        assert "272 turns in 66 groups" in text
        head = next(line for line in text.splitlines() if "MAP" in line)
        wanted = ["MAP", "MRR", "R-L", "F1", "ACC", "HAL", "COM", "UTL", "NAC"]
        assert head.split()[-9:] == wanted
        below = text[text.index(head) :]
        assert all(run in below for run in RUNS), "runs are told apart at any width"
        assert "HAL: lower is better" in " ".join(text.split())
        assert all(cell_width(line) <= size[0] for line in text.splitlines())


async def test_a_run_is_opened_from_the_ranking_and_from_the_table(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        for keys, run in ((("down",), RUNS[1]), (("tab", "end"), RUNS[0])):
            await pilot.press("L")
            await seen(pilot, "MAP")
            await pilot.press(*keys, "enter")
            await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")
            await seen(pilot, run)
        await pilot.press("L")
        await seen(pilot, "MAP")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "the matrix")
        assert RUNS[0] in screen_text(app)


async def test_a_run_without_a_value_of_the_metric_is_left_out_of_the_ranking(
    evaluated: Path,
) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        with open_workspace(evaluated) as workspace:
            key = results.find_metric(workspace.db, 1, "map")
        screen = LeaderboardScreen([fact for fact in app.facts.work if fact.run], key)
        await app.push_screen(screen)
        text = await seen(pilot, "Without a value of this metric: closed-book-sample@1.")
        assert "a ranking needs two runs" in text
        assert "bm25-sample@1" in text
        assert screen.table.has_focus


def test_lines_hold_what_the_leaderboard_and_the_table_hold(evaluated: Path) -> None:
    with open_workspace(evaluated) as workspace:
        _, board = rank_runs(workspace.db, RUNS, MetricQuery("f1"))
        table = run_table(workspace.db, RUNS)
    ranked = ranked_rows(board, {RUNS[0]: 1, RUNS[1]: 2})
    assert [row.key for row in ranked] == [1, 2]
    for row, standing in zip(ranked, board.standings, strict=True):
        assert texts(row)[1] == standing.run
        assert float(texts(row)[2]) == pytest.approx(standing.mean, abs=0.0006)
        assert texts(row)[4] == standing.letters
    for row, wanted in zip(table_rows(table), table.rows, strict=True):
        for text, cell in zip(texts(row)[2:], wanted.cells, strict=True):
            assert (text == "-") == (cell.mean is None)
