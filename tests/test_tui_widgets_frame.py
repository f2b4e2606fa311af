"""The frame around a screen: top line, footer, help, going to a place, the palette."""

from __future__ import annotations

from typing import ClassVar
from unicodedata import east_asian_width

import pytest
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette
from textual.screen import Screen

from engine.text.wrapping import cell_width
from tui.keymap import REGISTRY as ALL
from tui.results.keys import RESULTS
from tui.runs.keys import ACTIONS as RUNS
from tui.shell import keys as shell_keys
from tui.shell.actions import EVERYWHERE, Place, bindings
from tui.shell.registry import Registry, going
from tui.widgets.frame import FooterLine, TopLine, Where, fitting, key_labels, top_pieces
from tui.widgets.help import GoTo, HelpScreen, HelpText, Places, help_lines
from tui.widgets.palette import ActionCommands, Palette

PLACES = (Place("home", "Home", 1), Place("results", "Results 结果", 6, ("heatmap",)))
REGISTRY = Registry((*shell_keys.ACTIONS, *RUNS, *RESULTS, *going(PLACES)), PLACES)
WHERE = Where("Results", ("zh-finance v3", "抽取类问答", "商业银行"), "r1", 20931, "2 jobs running")


class ResultsScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("results", REGISTRY.actions)]

    def compose(self) -> ComposeResult:
        yield TopLine(WHERE)
        footer = FooterLine()
        footer.show(key_labels(REGISTRY.footer("results")))
        yield footer

    def action_metric(self) -> None:
        self.app.done.append("metric")


class Framed(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE, REGISTRY.actions)]
    COMMANDS: ClassVar[set[type[ActionCommands]]] = {ActionCommands}

    def __init__(self) -> None:
        super().__init__()
        self.registry = REGISTRY
        self.place = "results"
        self.done: list[str | None] = []

    def get_default_screen(self) -> ResultsScreen:
        return ResultsScreen()

    def action_show_keys(self) -> None:
        self.push_screen(HelpScreen(REGISTRY.help(self.place)))

    def action_go_to(self) -> None:
        self.push_screen(GoTo(PLACES), self.done.append)


def text_of(pieces: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in pieces)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 140])
def test_the_top_line_has_exactly_the_width(width: int) -> None:
    assert cell_width(text_of(top_pieces(WHERE, width))) == width


def test_the_context_gives_way_first() -> None:
    line = text_of(top_pieces(WHERE, 64))
    assert line.startswith("Results   zh-")
    assert line.endswith("2 jobs running   rater r1   label 20931 saved")
    assert "商业银行" in text_of(top_pieces(WHERE, 120))


def test_the_item_outlasts_the_names_of_its_cell() -> None:
    context = ("sample", "Contrast QA x Anti-Money Laundering", "anti_money_laundering-contrast-1")
    line = text_of(top_pieces(Where("Inspect", context, "ann", 60), 110))
    assert "sample ∙ Contrast QA x" in line
    assert "⋯ ∙ anti_money_laundering-contrast-1 " in line
    assert cell_width(line) == 110


def test_one_label_more_moves_nothing_else() -> None:
    nine, ten = (text_of(top_pieces(WHERE._replace(saved=count), 80)) for count in (9, 10))
    assert nine.index("rater r1") == ten.index("rater r1")


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (140, "Enter m r b c E T B L y g ctrl+p ?"),
        (80, "Enter m r b c E T ?"),
        (40, "Enter m r ?"),
        (10, "?"),
    ],
)
def test_the_footer_shows_what_fits_and_where_the_rest_is(width: int, expected: str) -> None:
    shown = fitting(key_labels(REGISTRY.footer("results")), width)
    assert " ".join(one.shown for one in shown) == expected
    widths = (cell_width(one.shown) + 1 + cell_width(one.label) + 2 for one in shown)
    assert sum(widths) - 2 <= width


async def test_a_click_on_a_key_of_the_footer_presses_it() -> None:
    app = Framed()
    async with app.run_test(size=(80, 10)) as pilot:
        footer = app.screen.query_one(FooterLine)
        at = footer.lines_as_text()[0].index("m metric")
        await pilot.click(FooterLine, offset=(at + 3, 0))
        assert app.done == ["metric"]
        at = footer.lines_as_text()[0].index("? keys")
        await pilot.click(FooterLine, offset=(at + 1, 0))
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)


async def test_a_click_on_the_top_line_offers_the_places() -> None:
    app = Framed()
    async with app.run_test(size=(80, 10)) as pilot:
        await pilot.click(TopLine, offset=(3, 0))
        await pilot.pause()
        places = app.screen.query_one(Places)
        await pilot.click(Places, offset=(places.lines_as_text()[0].index("Results"), 0))
        await pilot.pause()
        assert app.done == ["results"]


async def test_every_place_is_offered_at_80_columns() -> None:
    app = Framed()
    async with app.run_test(size=(80, 10)) as pilot:
        app.push_screen(GoTo(ALL.numbered), app.done.append)
        await pilot.pause()
        places = app.screen.query_one(Places)
        shown = places.lines_as_text()[0]
        assert [place.title for place in ALL.numbered if place.title not in shown] == []
        await pilot.click(Places, offset=(shown.index("Export"), 0))
        await pilot.pause()
        assert app.done == ["export"]


async def test_a_message_takes_the_footers_place_until_taken_back() -> None:
    async with Framed().run_test(size=(80, 10)) as pilot:
        footer = pilot.app.screen.query_one(FooterLine)
        footer.say("Exported. 已导出。", "good")
        assert footer.lines_as_text() == ["Exported. 已导出。"]
        footer.say("")
        assert footer.lines_as_text()[0].endswith("? keys")


async def test_the_help_lists_the_live_keys_and_scrolls() -> None:
    app = Framed()
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press("question_mark")
        text = app.screen.query_one(HelpText)
        assert "Results 结果" in text.lines_as_text()[0]
        assert any("metric" in line for line in text.lines_as_text())
        await pilot.press("end")
        assert "of " in text.lines_as_text()[-1]
        assert "F6" in text.lines_as_text()[-3]
        await pilot.press("question_mark")
        assert not isinstance(app.screen, HelpScreen)


@pytest.mark.parametrize("width", [40, 76, 120])
def test_help_lines_fit(width: int) -> None:
    for line in help_lines(REGISTRY.help("results"), width):
        assert cell_width(text_of(line)) <= width


@pytest.mark.parametrize(("key", "place"), [("6", "results"), ("9", None), ("escape", None)])
async def test_g_and_a_digit_go_to_a_place(key: str, place: str | None) -> None:
    app = Framed()
    async with app.run_test() as pilot:
        await pilot.press("g", key)
        await pilot.pause()
        assert app.done == [place]
        assert not isinstance(app.screen, GoTo)


async def test_nothing_of_the_palette_is_of_ambiguous_width() -> None:
    app = Framed()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Palette())
        await pilot.pause(0.3)
        shown = {
            character
            for strip in app.screen._compositor.render_strips()
            for character in strip.text
        }
        assert "e" in shown
        assert not {one for one in shown if east_asian_width(one) == "A" or ord(one) > 0xFFFF}


async def test_the_palette_runs_an_action_of_the_place() -> None:
    app = Framed()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        await pilot.press(*"metric")
        await pilot.pause(0.5)
        await pilot.press("down", "enter", "enter")
        await pilot.pause()
        assert app.done == ["metric"]


@pytest.mark.parametrize("action", ["page_down", "page_up"])
async def test_a_page_key_before_the_palette_is_laid_out_does_nothing(action: str) -> None:
    app = Framed()
    async with app.run_test() as pilot:
        palette = Palette()
        await app.push_screen(palette)
        commands = palette.query_one(CommandList)
        while commands.option_count < 2:
            await pilot.pause(0.02)
        commands.highlighted = 0
        # as it is between a new list and its layout
        commands._lines.clear()
        commands._index_to_line.clear()
        palette._action_command_list(action)
        assert commands.highlighted == 0
