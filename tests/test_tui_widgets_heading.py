"""Fields with their labels: which has the focus can be read without colour."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Input

from tui.shell.theme import SIGNS
from tui.widgets.heading import FieldLine, SectionLine


class Asking(App[None]):
    CSS = "SectionLine { width: 12; } Input { width: 1fr; }"

    def compose(self) -> ComposeResult:
        with FieldLine():
            yield SectionLine("Seed")
            yield Input("0", compact=True)
            yield SectionLine("Repeats")
            yield Input("1", compact=True)


async def test_a_sign_stands_before_the_label_of_the_field_that_has_the_focus() -> None:
    app = Asking()
    async with app.run_test(size=(80, 4)) as pilot:
        labels = dict(zip(("seed", "repeats"), app.query(SectionLine), strict=True))
        for focused, other in (("seed", "repeats"), ("repeats", "seed")):
            await pilot.press("tab") if focused == "repeats" else app.query(Input).first().focus()
            await pilot.pause()
            assert labels[focused].lines_as_text()[0].startswith(f"{SIGNS.cursor} ")
            assert labels[other].lines_as_text()[0].startswith("  ")
