"""Beginning a round of authoring in the app, and how far rounds are."""

from __future__ import annotations

from pathlib import Path

import pytest
from authoring_workspaces import make_banks
from desks import desk, named, screen_text, seen, until

from engine.generate.commissions import rounds
from store.workspace import open_workspace
from tui.building.rounds import round_trouble
from tui.screens.form import Form
from tui.screens.sheet import SheetScreen

GOOD = {
    "corpus": "banks",
    "name": "q1",
    "dataset": "team",
    "items": "3",
    "documents": "1-2",
    "writers": "ann bo",
    "answerers": "cy",
    "leads": "lin",
    "taxonomy": "ekrag",
    "seed": "0",
}


async def test_a_round_is_begun_and_shown(tmp_path: Path) -> None:
    make_banks(tmp_path / "w").close()
    async with desk(tmp_path / "w", (140, 40), rater="lin") as (app, pilot):
        await named(app, pilot, "begin a round")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question")
        form = app.screen
        assert isinstance(form, Form)
        for key, line in form.lines.items():
            line.value = GOOD[key]
        form.start.focus()
        await pilot.press("enter")
        await seen(pilot, "3 items of team to be authored")
        await pilot.press("escape")
        await named(app, pilot, "show rounds")
        await until(pilot, lambda: isinstance(app.screen, SheetScreen), "the rounds")
        assert "q1: writers ann, bo; answerers cy; leads lin" in screen_text(app)
    with open_workspace(tmp_path / "w") as workspace:
        (made,) = rounds(workspace.db)
        assert (made.name, made.dataset, made.progress.to_write) == ("q1", "team", 3)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"name": "a/b"}, "Name the round"),
        ({"dataset": ""}, "Name the dataset"),
        ({"dataset": "other"}, "other is about corpus papers"),
        ({"items": "0"}, "Items are a whole number"),
        ({"documents": "3-2"}, "Documents together are 1 to 4"),
        ({"documents": "5"}, "Documents together are 1 to 4"),
        ({"writers": "ann ann"}, "named twice"),
        ({"writers": "ann", "answerers": "ann"}, "three people"),
        ({"leads": "", "seed": "x"}, "The seed"),
    ],
)
def test_what_cannot_be_begun_is_said_in_the_words_of_the_form(
    changes: dict[str, str], why: str
) -> None:
    said = round_trouble({**GOOD, **changes}, {"other": "papers"})
    assert why in said
    assert bool(said) == bool(why)
    assert "--" not in said
