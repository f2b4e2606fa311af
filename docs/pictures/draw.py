"""Draws the pictures of the README: the app on the demo workspace, as SVG.

    ragdesk demo && python docs/pictures/draw.py ragdesk-demo

The pictures name no font to download, and every run of Chinese text stands where the terminal
puts it: two cells a character, whatever font the reader has.
"""

from __future__ import annotations

import asyncio
import re
import sys
from html import escape, unescape
from pathlib import Path

from tui.shell.terminal import prepare

prepare()

from engine.text.wrapping import cell_width  # noqa: E402
from tui.app import Ragdesk  # noqa: E402  Textual reads what `prepare` sets at import
from tui.live.watcher import Watcher  # noqa: E402

SIZE = (110, 32)
CELL = 12.2
"""Width of a cell in the export's units."""
BM25 = ("f6", "r", "down", "enter")
PICTURES = {
    "results": (*BM25, *["down"] * 4, *["right"] * 4),
    "item": (*BM25, *["down"] * 13, *["right"] * 2, "enter", "enter"),
}
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


async def draw(workspace: Path, keys: tuple[str, ...]) -> str:
    watcher = Watcher(workspace)
    watcher.start()
    watcher.first_look.wait()
    app = Ragdesk(watcher)
    async with app.run_test(size=SIZE) as pilot:
        for key in keys:
            await pilot.pause(0.2)
            await pilot.press(key)
        await pilot.pause(1.0)
        return settled(app.export_screenshot())


if __name__ == "__main__":
    for name, keys in PICTURES.items():
        drawn = asyncio.run(draw(Path(sys.argv[1]), keys))
        Path(__file__).with_name(f"{name}.svg").write_text(drawn, "utf-8")
