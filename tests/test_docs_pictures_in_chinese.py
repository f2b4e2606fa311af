"""Places drawn in Chinese at 80 x 24: no word of the interface is left in English, and no
label is cut."""

from __future__ import annotations

import gettext
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

import pytest
from desks import sample_workspace
from sample_workspaces import copy_workspace

from engine.text.wrapping import cell_width
from store.workspace import open_workspace
from tui.language.choice import VARIABLE

ROOT = Path(__file__).parents[1]
DRAW = ROOT / "docs" / "pictures" / "draw.py"
PLACES = ("home", "build", "settings", "inspect")
CELL = 12.2
LINE = re.compile(
    r'<text class="[^"]*" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"[^>]*>([^<]*)</text>'
)
RUN = re.compile(r"[A-Za-z][A-Za-z0-9'_@.:/=-]*(?: [A-Za-z0-9'_@.:/=-]+)*")
CUT = re.compile(r"(\S*[\u4e00-\u9fff]\S*?)⋯")
KEPT = {
    *("ragdesk", "demo", "drafts", "omnieval", "offline", "ann"),
    *("Enter", "Esc", "Tab", "Space", "ctrl", *(f"F{number}" for number in range(1, 10))),
    *("token", "tokens", "id", "toml"),
}
"""What Chinese texts say in Latin letters: keys of the keyboard, metrics, formats, statistics."""
NAMES = {"name", "key", "title", "rater", "model", "metric", "external_id", "source", "item_key"}
"""Columns of the database with what people or their data call things."""
LEAST_WORDS = 3
"""Words that must stand together in a document or an item for its text to excuse them."""


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


class Held:
    """What the workspace holds: the words of names, and all text on one line."""

    def __init__(self, workspace: Path) -> None:
        texts: list[str] = []
        self.names = set(KEPT)
        with open_workspace(workspace) as opened:
            tables = opened.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                rows = opened.db.execute(f'SELECT * FROM "{table}"')
                columns = [described[0] for described in rows.description]
                for row in rows:
                    for column, value in zip(columns, row, strict=True):
                        if isinstance(value, str):
                            texts.append(value)
                            if column in NAMES:
                                self.names.update(re.findall(r"\w+", value), value.split())
        self.text = " ".join(" ".join(texts).split())

    def has(self, run: str) -> bool:
        """Whether a run of words on the screen is its text, whatever language it is in."""
        return len(run.split()) >= LEAST_WORDS and run in self.text


def english(drawn: list[str], held: Held) -> Iterator[str]:
    """The words in Latin letters that are neither names nor text of the workspace."""
    for line in drawn:
        for run in RUN.findall(line):
            words = [word for word in re.findall(r"[A-Za-z]\w+", run) if word not in held.names]
            if words and not held.has(run):
                yield f"{' '.join(words)!r} in {line.strip()!r}"


def cut(drawn: list[str], held: Held) -> Iterator[str]:
    """The labels of the interface that end before their end; what the workspace holds may."""
    catalogue = ROOT / "tui" / "language" / "zh.mo"
    with catalogue.open("rb") as file:
        labels = set(gettext.GNUTranslations(file)._catalog.values())  # type: ignore[attr-defined]
    for line in drawn:
        for start in CUT.findall(line):
            if start not in held.text and any(label.startswith(start) for label in labels):
                yield f"{start!r} in {line.strip()!r}"


def check(folder: Path, workspace: Path, names: Sequence[str]) -> None:
    command = [sys.executable, str(DRAW), str(folder), *names, "--size", "80x24"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: "zh"}
    subprocess.run(command, check=True, env=environ, capture_output=True)
    held = Held(workspace)
    found: list[str] = []
    for name in names:
        file = folder / f"{name.replace(' ', '-')}-80x24.svg"
        drawn = lines(file.read_text("utf-8"))
        assert any(re.search("[\u4e00-\u9fff]", line) for line in drawn)
        found += [f"{name}: {one}" for one in (*english(drawn, held), *cut(drawn, held))]
    assert not found, "\n".join(found)


def test_places_are_chinese_and_fit(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sample = sample_workspace(tmp_path_factory.getbasetemp())
    workspace = copy_workspace(sample, tmp_path / "ragdesk-demo")
    check(tmp_path, workspace, PLACES)
