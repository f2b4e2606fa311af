"""Progress lines: columns, half cells, rates and times."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from engine.text.wrapping import cell_width
from tui.widgets.bars import (
    JobProgress,
    ProgressLines,
    bar_text,
    duration_text,
    progress_lines,
    rate_text,
)

ITEMS = (
    JobProgress("run 13  bm25 抽取", 812, 1756, 41.2),
    JobProgress("judge", 3, 1756, None, "paused: budget"),
    JobProgress("ingest", 10, 10),
)


@pytest.mark.parametrize(
    ("done", "total", "bar"),
    [
        (0, 10, "⣀⣀⣀⣀"),
        (1, 8, "⡇⣀⣀⣀"),
        (5, 10, "⣿⣿⣀⣀"),
        (99, 100, "⣿⣿⣿⡇"),
        (10, 10, "⣿⣿⣿⣿"),
        (0, 0, "⣿⣿⣿⣿"),
    ],
)
def test_a_bar_is_full_only_when_all_is_done(done: int, total: int, bar: str) -> None:
    assert bar_text(done, total, 4) == bar


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1234.5, "1,234/s"), (41.2, "41/s"), (3.21, "3.2/s"), (0.3, "18/min"), (0.01, "36/h")],
)
def test_rates(rate: float, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(23.2, "23 s"), (250, "4 min 10 s"), (7500, "2 h 05 min"), (273_600, "3 d 4 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_bars_and_counts_stand_in_columns() -> None:
    lines = ["".join(text for text, _ in line) for line in progress_lines(ITEMS, 80)]
    assert lines == [
        f"run 13  bm25 抽取  {bar_text(812, 1756, 32)}  812/1,756  41/s  eta 23 s",
        f"judge              {bar_text(3, 1756, 32)}    3/1,756  paused: budget",
        f"ingest             {bar_text(1, 1, 32)}      10/10",
    ]


@pytest.mark.parametrize("width", [30, 40, 60, 80, 140])
def test_lines_fit_the_width(width: int) -> None:
    for line in progress_lines(ITEMS, width):
        assert sum(cell_width(text) for text, _ in line) <= width


class Working(App[None]):
    def compose(self) -> ComposeResult:
        yield ProgressLines()


async def test_the_widget_is_as_high_as_there_are_jobs() -> None:
    async with Working().run_test(size=(80, 10)) as pilot:
        lines = pilot.app.query_one(ProgressLines)
        assert lines.lines_as_text() == [""]
        lines.show(ITEMS)
        await pilot.pause()
        assert lines.size.height == 3
        assert "812/1,756" in lines.lines_as_text()[0]
