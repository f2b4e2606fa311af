"""Draws every place of the app at 80 x 24 and 140 x 40, as SVG, to be looked at one by one.

    python docs/pictures/draw.py FOLDER [PICTURE ...]
    RAGDESK_LANG=zh python docs/pictures/draw.py FOLDER --size 80x24
    python docs/pictures/draw.py FOLDER --readme

The first time FOLDER is given a workspace of its own, with work of each kind: the demo with
drafts and evolved questions, an entity graph, measured difficulty, an experiment, a sample that two
raters labelled and a third ruled on, a guideline, an audited judge and an export.
With --readme the pictures beside this file are drawn anew.

The pictures name no font to download, and every run of Chinese text stands where the terminal
puts it: two cells a character, whatever font the reader has.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import sys
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path

from tui.shell.terminal import prepare

prepare()

from textual.pilot import Pilot  # noqa: E402  Textual reads what `prepare` sets at import

from engine.labelling.forms import load_form  # noqa: E402
from engine.labelling.forms.rules import value_keys  # noqa: E402
from engine.labelling.session import LabelSession  # noqa: E402
from engine.report.text_table import say_by  # noqa: E402
from engine.text.wrapping import cell_width  # noqa: E402
from store.workspace import open_workspace  # noqa: E402
from tui.app import Ragdesk  # noqa: E402
from tui.cli import main as ragdesk  # noqa: E402
from tui.language import read  # noqa: E402
from tui.live.watcher import Watcher  # noqa: E402

SIZES = ((80, 24), (140, 40))
README_SIZE = (110, 32)
CELL = 12.2
"""Width of a cell in the export's units."""
RATERS = ("ann", "ben")
ADJUDICATOR = "cho"
LABELLED = 12
"""Answers that each rater labels; they differ in every third."""
GUIDELINE = "# 准确性\n\n要紧之处全对为 2；缺一部分为 1；有错为 0。\n"

_CELL = ("f6", "r", "end", "enter", *["down"] * 4, *["right"] * 2)
PICTURES: dict[str, tuple[str, ...]] = {
    "home": (),
    "corpus": ("f2",),
    "document": ("f2", "enter"),
    "entities": ("f2", "~"),
    "build": ("f3",),
    "lineage": ("f3", "^"),
    "settings": ("P",),
    "runs": ("f5",),
    "experiments": ("f5", "_"),
    "results": _CELL,
    "compare": (*_CELL, "c", *["down"] * 3, "enter"),
    "bars": (*_CELL, "B"),
    "leaderboard": (*_CELL, "L"),
    "items": (*_CELL, "enter"),
    "item": (*_CELL, "enter", "enter"),
    "inspect": ("f4",),
    "correction": ("f4", "e"),
    "evidence": ("f4", "e", *["tab"] * 3, "ctrl+o"),
    "diff": ("f4", "d"),
    "history": ("f4", "H"),
    "item_list": ("f3", "$", "down", "enter"),
    "guideline": ("f7", "G"),
    "label": ("f7",),
    "statistics": ("f7", "%"),
    "judged": ("f7", "%", "enter"),
    "reliability": ("f7", "%", "b", "end", "enter"),
    "progress": ("f7", "#"),
    "agreement": ("f8",),
    "conflicts": ("f8", "D"),
    "adjudication": ("f8", "D", "enter"),
    "calibration": ("f8", "J"),
    "export": ("f9",),
    "add to a corpus": ("f2", "+"),
    "generate": ("f3", "+"),
    "new run": ("f5", "+"),
    "new experiment": ("f5", "_", "+", "enter"),
    "new system": ("P", "b", "home", "enter", "+", "down", "enter"),
    "new sample": ("f7", "+"),
    "choice": (*_CELL, "m"),
    "commands": ("ctrl+p",),
    "keys": ("f4", "?"),
    # last, as it leaves a draft at the desk
    "review": ("f4", "e", "x", "escape"),
}
"""By place or question: the keys that lead there from Home."""
README = ("results", "item", "label", "compare")


def make_workspace(folder: Path) -> Path:
    """Makes the workspace, by the commands that a person would give."""
    made = folder / "ragdesk-demo"
    if made.exists():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    guideline = folder / "guideline.md"
    guideline.write_text(GUIDELINE, "utf-8")
    commands = (
        "demo",
        "sample draw answers --form judge_labels --run bm25-sample@1 --per-cell 1"
        " --raters-wanted 2 --raters ann ben --adjudicators cho",
        "sample draw items --dataset sample --states accepted --per-cell 1",
        f"guideline set --form judge_labels {guideline}",
        "graph build sample",
        "difficulty measure sample",
        "evolve --corpus sample --dataset evolved --initial 2",
        "generate --corpus sample --dataset drafts --per-cell 1 --topics big_data --inspect",
        "split --dataset sample",
        "experiment new retrievers --dataset sample --base bm25 --factor top_k=1,3",
        "experiment run retrievers",
    )
    with contextlib.chdir(folder):
        os.environ["RAGDESK_WORKSPACE"] = str(made)
        _carry_out(commands)
        first = _label(made)
        _carry_out(
            (
                f"--rater {ADJUDICATOR} adjudicate set {first} accuracy=0 --form judge_labels",
                "audit rules --answers 4",
                "export judge --out exported",
            )
        )
    return made


def _carry_out(commands: Iterable[str]) -> None:
    for command in commands:
        code = ragdesk(command.split())
        # an audit ends with what it found
        if code and not command.startswith("audit "):
            sys.exit(f"`ragdesk {command}` ended with {code}.")


def _label(folder: Path) -> str:
    """Has each rater label answers; returns the first, on which they differ."""
    form, labelled = load_form("judge_labels"), list[str]()
    with open_workspace(folder) as workspace:
        for number, rater in enumerate(RATERS):
            session = LabelSession(workspace, form.key, rater)
            session.begin()
            for subject in range(LABELLED):
                assert session.subject is not None
                for field in form.fields:
                    fits = field.key not in session.state(session.subject).not_applicable
                    if field.choices and fits:
                        values = list(value_keys(field).values())
                        differs = number and not subject % 3
                        session.set(session.subject, field.key, values[bool(differs)])
                labelled.append(session.subject.id)
                session.advance(())
    return labelled[0]


async def draw(workspace: Path, name: str, size: tuple[int, int]) -> str:
    """Draws a place in an app of its own, opened at Home."""
    rater = ADJUDICATOR if name == "adjudication" else RATERS[0]
    watcher = Watcher(workspace, rater)
    watcher.start()
    watcher.first_look.wait()
    say_by(read)
    app = Ragdesk(watcher, rater=rater)
    async with app.run_test(size=size) as pilot:
        for key in ("f1", *PICTURES[name]):
            await _rest(app, pilot)
            await pilot.press(key)
        await _rest(app, pilot)
        await pilot.pause(0.5)
        picture = settled(app.export_screenshot())
    watcher.stop()
    return picture


async def _rest(app: Ragdesk, pilot: Pilot[int]) -> None:
    """Waits until nothing is being computed."""
    await pilot.pause(0.2)
    while any(worker.is_running for worker in app.workers):
        await pilot.pause(0.1)


_TEXT = re.compile(
    r'<text class="(?P<look>[^"]*)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"'
    r' textLength="[\d.]+" clip-path="(?P<clip>[^"]*)">(?P<text>[^<]*)</text>'
)
_RUN = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+|[^\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+"
)
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_FONTS = re.compile(r"@font-face\s*\{[^}]*\}\s*")


def settled(svg: str) -> str:
    """The export without downloads, and with a text element for each run of one width."""
    svg = _COMMENT.sub("", _FONTS.sub("", svg)).replace("Fira Code", "DejaVu Sans Mono")
    return _TEXT.sub(_split, svg)


def _split(match: re.Match[str]) -> str:
    x, parts = float(match["x"]), []
    for run in _RUN.findall(unescape(match["text"])):
        length = cell_width(run) * CELL
        parts.append(
            f'<text class="{match["look"]}" x="{x:.1f}" y="{match["y"]}" textLength="{length:.1f}"'
            f' lengthAdjust="spacing" clip-path="{match["clip"]}">'
            f"{escape(run).replace(chr(0xA0), '&#160;')}</text>"
        )
        x += length
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw every place of the app at two sizes.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="default: all")
    sizes = [f"{columns}x{lines}" for columns, lines in SIZES]
    parser.add_argument("--size", choices=sizes, help="default: both")
    parser.add_argument("--readme", action="store_true", help="draw those of the README instead")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    workspace = make_workspace(folder)
    here = Path(__file__).parent
    if asked.readme:
        wanted = [(name, README_SIZE, here / f"{name}.svg") for name in README]
    else:
        wanted = [
            (name, size, folder / f"{name.replace(' ', '-')}-{size[0]}x{size[1]}.svg")
            for name in asked.pictures or PICTURES
            for size in SIZES
            if asked.size in (None, f"{size[0]}x{size[1]}")
        ]
    for name, size, file in wanted:
        file.write_text(asyncio.run(draw(workspace, name, size)), "utf-8")
        print(file, flush=True)


if __name__ == "__main__":
    main()
