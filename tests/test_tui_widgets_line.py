"""Lines of cells: always as wide as the widget, and a cut is never silent."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from engine.text.wrapping import ELLIPSIS, cell_width
from tui.widgets.heading import SectionLine


class Titled(App[None]):
    def __init__(self, title: str, note: str) -> None:
        super().__init__()
        self.line = SectionLine(title, note)

    def compose(self) -> ComposeResult:
        yield self.line


@pytest.mark.parametrize(
    ("title", "note", "shown"),
    [
        ("Classify", "Enter: next", "  Classify   Enter: next"),
        ("Give the documents their topics", "Enter", "  Give the documents the" + ELLIPSIS),
        ("给金融样本的文档分配主题", "Enter", "  给金融样本的文档分配主" + ELLIPSIS),
        ("给金融样本的文档分配", "  ", "  给金融样本的文档分配"),
    ],
)
async def test_what_is_cut_ends_with_a_sign_and_blanks_do_not_count(
    title: str, note: str, shown: str
) -> None:
    app = Titled(title, note)
    async with app.run_test(size=(25, 2)):
        strip = app.line.render_line(0)
        assert strip.text.rstrip() == shown
        assert cell_width(strip.text) == strip.cell_length == 25
