"""Places drawn in Chinese: no word of the interface is left in English, and no label is cut."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest
from desks import sample_workspace
from sample_workspaces import copy_workspace
from words_left import CHINESE, Held, cut, english

from engine.evaluate.systems import VARIANTS as SYSTEMS
from engine.retrieve.stages import CONTEXT_STAGES, QUERY_STAGES
from engine.text.wrapping import cell_width
from tui.keymap import REGISTRY
from tui.language.choice import VARIABLE

ROOT = Path(__file__).parents[1]
DRAW = ROOT / "docs" / "pictures" / "draw.py"
PLACES = ("home", "build", "settings", "inspect")
CELL = 12.2
LINE = re.compile(
    r'<text class="[^"]*" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"[^>]*>([^<]*)</text>'
)
NAMES = {
    # what a file of settings calls them
    "new system": {
        *(name for one in SYSTEMS for name in one.struct.__struct_fields__),
        *(name for one in (QUERY_STAGES, CONTEXT_STAGES) for name in one),
        "hybrid",
    },
    # the command of a kind, and a pseudonym
    "export": {"judge", "rater"},
    # what finds the command that changes the language
    "commands": {"language"},
    # what the picture's own keys have typed
    "review": {"xex"},
}
"""Words that stand in a picture as they are."""
FOLDERS = {"add to a corpus"}
"""Pictures that list the folder in which they are drawn."""


def lines(svg: str) -> list[str]:
    """The lines of a picture, each text where it stands."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in LINE.findall(svg):
        rows.setdefault(float(y), []).append((float(x), unescape(text).replace("\xa0", " ")))
    drawn = []
    for _, texts in sorted(rows.items()):
        line = ""
        for x, text in sorted(texts):
            line += " " * (round(x / CELL) - cell_width(line)) + text
        drawn.append(line)
    return drawn


def draw(folder: Path, lang: str, *asked: str) -> None:
    command = [sys.executable, str(DRAW), str(folder), *asked]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: lang}
    subprocess.run(command, check=True, env=environ, capture_output=True)


def check(folder: Path, workspace: Path, names: Sequence[str], sizes: Sequence[str]) -> None:
    held = Held(workspace)
    found: list[str] = []
    for name in names:
        for size in sizes:
            file = folder / f"{name.replace(' ', '-')}-{size}.svg"
            drawn = lines(file.read_text("utf-8"))
            assert any(CHINESE.search(line) for line in drawn)
            found += [f"{name} {size}: {one}" for one in cut(drawn, held, "zh")]
            if name not in FOLDERS:
                found += [
                    f"{name} {size}: {one}" for one in english(drawn, held, NAMES.get(name, ()))
                ]
    assert not found, "\n".join(found)


def test_places_are_chinese_and_fit(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sample = sample_workspace(tmp_path_factory.getbasetemp())
    workspace = copy_workspace(sample, tmp_path / "ragdesk-demo")
    draw(tmp_path, "zh", *PLACES, "--size", "80x24")
    check(tmp_path, workspace, PLACES, ["80x24"])


def pictures() -> list[str]:
    """The names of all pictures."""
    tree = ast.parse(DRAW.read_text("utf-8"))
    (made,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "PICTURES"
    )
    assert isinstance(made, ast.Dict)
    return [ast.literal_eval(key) for key in made.keys if key is not None]


def test_every_place_has_a_picture() -> None:
    assert {place.key for place in REGISTRY.places} <= set(pictures())


@pytest.mark.slow
def test_every_place_is_chinese_and_fits(tmp_path: Path) -> None:
    draw(tmp_path, "zh")
    check(tmp_path, tmp_path / "ragdesk-demo", pictures(), ["80x24", "140x40"])


@pytest.mark.slow
def test_no_label_is_cut_in_english(tmp_path: Path) -> None:
    draw(tmp_path, "en", "--size", "80x24")
    held = Held(tmp_path / "ragdesk-demo")
    found = [
        f"{name}: {one}"
        for name in pictures()
        for file in [tmp_path / f"{name.replace(' ', '-')}-80x24.svg"]
        for one in cut(lines(file.read_text("utf-8")), held, "en")
    ]
    assert not found, "\n".join(found)
