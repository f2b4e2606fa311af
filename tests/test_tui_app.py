"""The app as a whole: its places, what works everywhere, how it opens and what it imports."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, sample_workspace, screen_text, seen, until
from sample_workspaces import copy_workspace
from terminal import RAGDESK, Terminal
from textual import events
from textual.command import CommandPalette

from store.workspace import FILE_NAME, open_workspace
from tui.app import Ragdesk
from tui.cli import main
from tui.home.screen import HomeScreen
from tui.live.watcher import Watcher
from tui.results.screen import ResultsScreen
from tui.runs.screen import RunsScreen
from tui.screens.destinations import AtWork
from tui.screens.form import Form
from tui.shell.theme import DARK, LIGHT
from tui.widgets.help import HelpScreen


@pytest.fixture
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_workspace(tmp_path_factory.getbasetemp())


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


# What is imported


def test_the_app_imports_no_computing() -> None:
    code = (
        "import sys, tui.shell.terminal; tui.shell.terminal.prepare(); import tui.app\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'faiss', 'bm25s', 'rank_bm25', 'jieba', 'rjieba',"
        " 'openai', 'sacrebleu', 'sqlite_utils', 'httpx', 'aiohttp'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


def test_a_desk_imports_no_judges_and_nothing_large_that_it_does_not_use() -> None:
    code = (
        "import sys, tui.app, tui.label.inspect_screen, tui.label.label_screen\n"
        "large = {'engine.judge.registry', 'html.entities', 'textual.widgets._text_area'}\n"
        "print(sorted(large & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


async def test_looking_at_results_brings_no_computing_into_the_apps_process(
    evaluated: Path,
) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
from tui.app import Ragdesk
from tui.live.watcher import Watcher
async def look():
    watcher = Watcher(Path({str(evaluated)!r}))
    watcher.start()
    watcher.first_look.wait()
    app = Ragdesk(watcher)
    async with app.run_test() as pilot:
        await pilot.press("f6")
        while app.screen.view is None:
            await pilot.pause(0.02)
asyncio.run(look())
print("numpy" in sys.modules)
"""
    assert run_python(code) == "False"


# Opening


async def test_news_that_come_while_the_app_ends_are_not_shown(tmp_path: Path) -> None:
    async with desk(tmp_path / "none") as (app, _):
        await app.screen.query_children().remove()
        app._running = False  # as Textual has it from then on
        app.on_ragdesk_news(Ragdesk.News(replace(app.facts, is_known=True)))
        app._running = True


def test_a_file_that_is_no_workspace_is_refused_before_the_app_opens(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("nothing of ours")
    with Terminal([*RAGDESK, "--workspace", str(tmp_path)]) as terminal:
        assert terminal.wait() == 1
        assert "is not a SQLite file; it was left untouched." in terminal.text.replace("\n", " ")


def test_without_a_terminal_the_app_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--workspace", str(tmp_path)]) == 2
    assert "needs a terminal" in capsys.readouterr().err


@pytest.mark.parametrize("size", SIZES)
async def test_without_a_workspace_the_app_says_how_to_fill_one(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with desk(tmp_path / "new", size) as (_, pilot):
        text = await seen(pilot, "No workspace in")
        for step in ("your own documents", "Import a benchmark", "Look around in a sample"):
            assert step in text


async def test_a_workspace_that_is_made_meanwhile_shows_by_itself(
    tmp_path: Path, sample: Path
) -> None:
    async with desk(tmp_path / "new") as (_, pilot):
        await seen(pilot, "No workspace in")
        copy_workspace(sample, tmp_path / "new")
        await seen(pilot, "sample@1 is not evaluated yet")


async def test_what_the_first_look_learns_while_the_app_is_made_is_shown(sample: Path) -> None:
    watcher = Watcher(sample)
    app = Ragdesk(watcher)
    watcher.start()
    watcher.first_look.wait()
    async with app.run_test() as pilot:
        await seen(pilot, "What next")


@pytest.mark.parametrize("place", ["home", "corpus", "build", "runs", "results", "export", "label"])
async def test_before_the_first_look_no_place_says_that_there_is_nothing(
    sample: Path, place: str
) -> None:
    app = Ragdesk(Watcher(sample), place=place)  # which does not look yet
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.screen_stack, "the place")
        text = await seen(pilot, app.registry.place(place).title)
        for claim in ("No ", "Nothing", "There is no"):
            assert claim not in text
        app.watcher.start()
        await until(pilot, lambda: app.facts.is_known, "the first look")


def test_on_a_real_terminal_it_opens_survives_resizes_and_leaves(evaluated: Path) -> None:
    with Terminal([*RAGDESK, "--workspace", str(evaluated)]) as terminal:
        terminal.wait_for("What next")
        terminal.press("f6")
        terminal.wait_for("coverage 100 %")
        for columns, lines in ((140, 40), (40, 12), (20, 6), (100, 30), (80, 24)):
            terminal.resize(columns, lines)
        terminal.wait_for("coverage 100 %")
        terminal.press("ctrl+q")
        assert terminal.wait() == 0


def test_the_size_is_the_terminals_own_whatever_a_shell_exports(evaluated: Path) -> None:
    exported = {"COLUMNS": "80", "LINES": "24"}
    argv = [*RAGDESK, "--workspace", str(evaluated)]
    with Terminal(argv, columns=100, lines=30, environ=exported) as terminal:
        for lines in (30, 36):
            terminal.resize(100, lines)
            terminal.wait_for(lambda text, last=lines - 1: "? keys" in text.split("\n")[last])


def test_with_ascii_signs_nothing_else_is_drawn_around_the_texts(evaluated: Path) -> None:
    argv = [*RAGDESK, "--ascii", "--no-mouse", "--workspace", str(evaluated)]
    with Terminal(argv, columns=100) as terminal:
        terminal.wait_for("What next")
        terminal.press("f5")
        terminal.wait_for(lambda text: "* done" in text and text.isascii())


# Everywhere


@pytest.mark.parametrize("size", SIZES)
async def test_every_place_is_reached_by_its_key_and_by_g(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (app, pilot):
        assert isinstance(app.screen, HomeScreen)
        for keys, kind in (
            (("f5",), RunsScreen),
            (("g", "6"), ResultsScreen),
            (("f1",), HomeScreen),
            (("g", "5"), RunsScreen),
        ):
            await pilot.press(*keys)
            await pilot.pause()
            assert isinstance(app.screen, kind)


async def test_the_help_and_the_palette_know_the_place(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("f5", "?")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        assert "Cancel the job; finished work stays." in screen_text(app)
        await pilot.press("escape", "ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)
        await pilot.press(*"results")
        await until(pilot, lambda: "Go to Results" in screen_text(app), "the command")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "Results")


@pytest.mark.parametrize("keys", [("f6", "m"), ("f5", "X"), ("plus",), ("question_mark",)])
async def test_places_and_the_way_out_work_over_an_open_question(
    evaluated: Path, keys: tuple[str, ...]
) -> None:
    async with desk(evaluated) as (app, pilot):
        await seen(pilot, "sample@1")
        await pilot.press(*keys)
        await pilot.pause()
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app._place_screen(), HomeScreen), "Home")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running, "the end")


async def test_a_question_stays_when_a_job_that_was_queued_before_it_is_shown(
    evaluated: Path,
) -> None:
    async with desk(evaluated) as (app, pilot):
        await seen(pilot, "sample@1")
        await pilot.press("plus")
        await until(pilot, lambda: isinstance(app.screen, Form), "the question for a run")
        question = app.screen
        await app.open(AtWork("job 1"))
        assert app.screen is question
        await pilot.press("escape")
        await app.open(AtWork("job 1"))
        assert app.place == "runs"


async def test_a_key_typed_with_the_input_method_on_is_the_same_key(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        app.post_message(events.Key("fullwidth_question_mark", "？"))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")


async def test_two_characters_at_once_answer_go_to_once(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("g")
        await pilot.pause()
        question = app.screen
        for character in "利率":
            question.post_message(events.Key(character, character))
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "Home")
        await pilot.pause()
        assert app.is_running
        assert app.screen_stack == [app.screen]


async def test_light_and_dark(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await pilot.press("ctrl+t")
        assert app.theme == LIGHT.name
        await pilot.press("ctrl+t")
        assert app.theme == DARK.name


async def test_a_problem_stays_until_it_is_read(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        app.show_problem("The disk is full. Free some space and try again.")
        await pilot.press("down", "f5", "f1")
        assert "Free some space" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "Free some space" not in screen_text(app)


async def test_a_workspace_that_vanishes_is_said_and_shown_again_when_it_returns(
    tmp_path: Path, sample: Path
) -> None:
    folder = copy_workspace(sample, tmp_path / "workspace")
    async with desk(folder) as (app, pilot):
        await seen(pilot, "sample@1")
        folder.rename(tmp_path / "elsewhere")
        await until(pilot, lambda: "is gone" in app.screen.problem.text, "the problem")
        assert "sample@1" in screen_text(app)
        await pilot.press("escape", "plus", "plus")
        await until(pilot, lambda: "There is no workspace" in screen_text(app), "the refusal")
        await pilot.press("escape")
        (tmp_path / "elsewhere").rename(folder)
        await until(pilot, lambda: app.facts.is_open, "the workspace")
        assert app.read(lambda db: db.execute("SELECT count(*) FROM item").fetchone()[0]) == 206


async def test_what_another_process_writes_shows_by_itself(tmp_path: Path, sample: Path) -> None:
    from store.datasets import datasets
    from store.records import ItemContent, ItemState, Turn

    folder = copy_workspace(sample, tmp_path / "workspace")
    async with desk(folder) as (_, pilot):
        await seen(pilot, "sample@1")
        with open_workspace(folder) as workspace, workspace.write() as db:
            found = datasets.get(db, "sample")
            content = ItemContent((Turn("真的吗？", ("是",)),), "fund", "extractive", "zh")
            datasets.add_item(
                db,
                found,
                "late",
                "late",
                content,
                author="test",
                reason="made",
                state=ItemState.ACCEPTED,
            )
            datasets.release(db, found)
        await seen(pilot, "sample@2")
