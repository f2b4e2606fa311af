"""What people's labels leave of a comparison, in the app."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, seen, until
from judged_workspaces import ITEMS, Desk

from engine.results.metric_query import MetricQuery
from engine.results.queries import ComparisonQuery
from engine.text.wrapping import cell_width
from tui.results.compare import CompareScreen

KIND = MetricQuery("accuracy", judge="kind")


@pytest.fixture
def made(tmp_path: Path) -> Desk:
    """Two runs that people find alike; the judge calls all answers of the second right."""
    made = Desk(tmp_path / "w")
    with made.workspace:
        made.answers = [*made.answers, *made.answered("s")]
        kind = made.judge("kind")
        with made.workspace.write():
            for at in range(ITEMS, 2 * ITEMS):
                made.score(kind, at, 2)
        for at in range(2 * ITEMS):
            if at % ITEMS < 24:
                made.label("anna", at, made.truth(at))
    return made


@pytest.mark.parametrize("size", SIZES)
async def test_the_corrected_difference_stands_below_the_verdict(
    made: Desk, size: tuple[int, int]
) -> None:
    async with desk(made.folder, size) as (app, pilot):
        screen = CompareScreen(ComparisonQuery("r", "s", KIND))
        app.push_screen(screen)
        await until(pilot, lambda: screen.view, "the differences")
        text = await seen(pilot, "Corrected by people's labels (both answers of 24 questions)")
        assert "s (B) is better than r (A)" in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        # the map of differences has room left, and each cell has its own
        notes = [cell.note for row in screen.map.matrix.cells for cell in row if cell.n]
        assert notes
        assert all("corrected " in note for note in notes)
