"""Copying: what the cursor is on, to the terminal's clipboard, through tmux, into a file."""

from __future__ import annotations

import base64
import shlex
from pathlib import Path

import pytest
from desks import desk, evaluated_workspace, screen_text, seen, until
from label_workspaces import label_workspace
from sample_workspaces import copy_workspace
from textual.pilot import Pilot

from tui.app import Ragdesk
from tui.cli.parser import parse
from tui.label.label_screen import LabelScreen
from tui.screens.copying import CopyScreen, offers
from tui.screens.place import PlaceScreen
from tui.shell.clipboard import LIMIT, cut, sequence, tsv


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


def offered(app: Ragdesk) -> dict[str, str]:
    screen = app.screen
    assert isinstance(screen, PlaceScreen)
    return {one.what: one.text() for one in reversed(offers(screen))}


async def ask(app: Ragdesk, pilot: Pilot[int]) -> None:
    await pilot.press("y")
    await until(pilot, lambda: isinstance(app.screen, CopyScreen), "what to copy")


def decoded(sent: str) -> str:
    return base64.b64decode(sent.split(";c;")[1].split("\x07")[0]).decode()


def test_a_text_goes_to_the_terminal_as_osc_52() -> None:
    assert sequence("问", {}) == "\x1b]52;c;6Zeu\x07"


def test_within_tmux_it_is_also_handed_through() -> None:
    plain, _, wrapped = sequence("a", {"TMUX": "/tmp/tmux"}).partition("\x1bPtmux;")
    assert decoded(plain) == "a"
    assert wrapped == "\x1b\x1b]52;c;YQ==\x07\x1b\\"


def test_what_is_too_long_is_cut_between_two_characters() -> None:
    assert cut("问" * 30_000) == "问" * (LIMIT // 3)
    assert cut("a" + "问" * 30_000) == "a" + "问" * ((LIMIT - 1) // 3)
    assert cut("short") == "short"


def test_tabs_and_breaks_of_a_cell_do_not_break_a_table() -> None:
    assert tsv([["a\tb", "c\nd"], ["1", ""]]) == "a b\tc d\n1\t\n"


async def test_y_twice_copies_the_row_of_the_cursor(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f5")
        await seen(pilot, "closed-book-sample@1")
        await ask(app, pilot)
        await pilot.press("y")
        assert "Sent to the terminal: row" in await seen(pilot, "Sent to the terminal")
        assert "closed-book-sample@1" in app.clipboard
        assert "\t" in app.clipboard
        await pilot.press("down")
        assert "Sent to the terminal" not in screen_text(app)


async def test_a_matrix_is_copied_as_a_table_into_a_file(evaluated: Path, tmp_path: Path) -> None:
    folder = copy_workspace(evaluated, tmp_path / "ws")
    async with desk(folder) as (app, pilot):
        await pilot.press("f6")
        await seen(pilot, "coverage 100 %")
        await ask(app, pilot)
        await pilot.press("down", "down", "F")
        await seen(pilot, "a line a row")
        await pilot.press("enter", "enter", "enter")
        await seen(pilot, "Wrote")
    lines = (folder / "exports" / "results-table.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 18
    assert {line.count("\t") for line in lines} == {6}
    assert lines[0].endswith("all")


async def test_what_was_cut_says_so(evaluated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.shell.clipboard.LIMIT", 8)
    monkeypatch.setattr("tui.screens.copying.LIMIT", 8)
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f5")
        await seen(pilot, "closed-book-sample@1")
        await ask(app, pilot)
        await pilot.press("enter")
        await seen(pilot, "Only the first 8 of")
        assert len(app.clipboard.encode()) <= 8


@pytest.mark.parametrize(
    ("keys", "sign", "command"),
    [
        (("f6",), "coverage 100 %", "matrix"),
        (("f2",), "Documents of", "corpora"),
        (("f5",), "closed-book-sample@1", "jobs"),
        (("f3",), "retail", "generate"),
        (("f1",), "Datasets", "jobs"),
        (("f7",), "Nothing to label", "sample"),
        (("f9",), "what it will hold", "export"),
        (("P",), "offline", "providers"),
        (("f6", "enter"), "worst first", "matrix"),
    ],
)
async def test_the_command_that_does_the_same_is_a_command(
    evaluated: Path, keys: tuple[str, ...], sign: str, command: str
) -> None:
    async with desk(evaluated, (140, 40)) as (app, pilot):
        await pilot.press(*keys)
        if command == "generate":
            await until(pilot, lambda: "command" in offered(app), "the plan")
        else:
            await seen(pilot, sign)
            await until(pilot, lambda: "command" in offered(app), "a command")
        words = shlex.split(offered(app)["command"])
        assert (words[:2], words[3]) == (["ragdesk", "--workspace"], command)
        parse(words[1:])


async def test_at_a_desk_nothing_hidden_can_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    label_workspace(tmp_path / "ws").close()
    async with desk(tmp_path / "ws") as (app, pilot):
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, LabelScreen), "Label")
        screen = app.screen
        assert isinstance(screen, LabelScreen)
        await until(pilot, lambda: screen.opened is not None, "an answer")
        copied = offered(app)
        assert {"answer", "question", "golden answer", "id", "command"} <= set(copied)
        assert screen.view.shown.detail.system_name not in " ".join(copied.values())
        parse(shlex.split(copied["command"])[1:])
