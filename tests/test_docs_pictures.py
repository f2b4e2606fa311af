"""The pictures of the app: every place has one, made by one command."""

from __future__ import annotations

import runpy
from pathlib import Path

from tui.keymap import REGISTRY

DRAW = Path(__file__).parents[1] / "docs" / "pictures" / "draw.py"


def test_every_place_of_the_app_is_drawn() -> None:
    drawn = runpy.run_path(str(DRAW))
    assert {place.key for place in REGISTRY.places} <= drawn["PICTURES"].keys()


def test_the_readme_has_its_pictures() -> None:
    for name in runpy.run_path(str(DRAW))["README"]:
        assert (DRAW.parent / f"{name}.svg").is_file()
