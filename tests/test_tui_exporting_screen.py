"""Exporting in the app: seen before it is written, the command's bytes, nothing lost by a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement_workspaces import labelled_desk
from compared_workspaces import compared_workspace
from desks import SIZES, desk, screen_text, seen, until
from judged_workspaces import Desk

from engine.exporters.layouts import RUN_LAYOUTS
from engine.text.wrapping import cell_width
from store.datasets import datasets
from store.runs import runs
from store.runs.runs import RunSettings
from store.workspace import open_workspace
from tui.cli import main
from tui.cli.parser import parse
from tui.exporting.choices import KINDS, NOTE, REPLIES, Choices, choice_rows
from tui.exporting.screen import ExportsScreen
from tui.screens.choose import Choose, ChooseMany
from tui.screens.confirm import Confirm
from tui.screens.form import Form
from tui.widgets.row_source import Cell


@pytest.fixture
def labelled(tmp_path: Path) -> Iterator[Desk]:
    made = labelled_desk(tmp_path / "w")
    with made.workspace:
        yield made


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def holds(folder: Path, wanted: dict[str, bytes]) -> bool:
    """Whether these are the contents of a folder; not in the moment in which it is replaced."""
    try:
        return contents(folder) == wanted
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("chosen", "asked"),
    [
        (
            Choices("items", "mine@1", ("accepted",), ("funds",), ("contrast",), "first:test"),
            {"dataset": "mine@1", "state": ["accepted"], "topic": ["funds"], "split": "first:test"},
        ),
        (Choices("beir", "mine", anonymous=True), {"dataset": "mine", "anonymous": True}),
        (
            Choices("run", runs=("bm25", "lsa"), layout="trec"),
            {"run_names": ["bm25", "lsa"], "layout": "trec"},
        ),
        (
            Choices("judge", sample="s", metrics=("accuracy",), prompts="accuracy='a b.txt'"),
            {"sample": "s", "metrics": ["accuracy"], "prompt_file": ["accuracy=a b.txt"]},
        ),
        (
            Choices("judge", soft=True, rationale=True, raters="2", reply="omnieval"),
            {"soft_labels": True, "rationale": True, "min_raters": 2, "reply": "omnieval"},
        ),
        (
            Choices("preference", runs=("bm25",), shapes=("trl",)),
            {"form": "preference", "metrics": ["overall"], "shapes": ["trl"], "reply": None},
        ),
    ],
)
def test_the_command_of_an_export_asks_for_the_same(
    chosen: Choices, asked: dict[str, object]
) -> None:
    arguments = vars(parse(chosen.command("out")))
    assert {name: arguments[name] for name in asked} == asked
    assert arguments["out"] == Path("out")


async def opened(app, pilot) -> ExportsScreen:
    await pilot.press("f9")
    await until(
        pilot, lambda: isinstance(app.screen, ExportsScreen) and app.screen.previewed, "a preview"
    )
    screen = app.screen
    assert isinstance(screen, ExportsScreen)
    return screen


async def write(pilot, screen: ExportsScreen) -> None:
    screen.write.focus()
    await pilot.press("enter")


@pytest.mark.parametrize("size", [*SIZES, (100, 30)])
async def test_judge_data_are_the_commands_to_the_byte(
    labelled: Desk, size: tuple[int, int], tmp_path: Path
) -> None:
    async with desk(labelled.folder, size) as (app, pilot):
        screen = await opened(app, pilot)
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert "in conflict" in text
        assert "F8, then D" in text
        screen.list.move_to(3)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChooseMany), "the metrics")
        await pilot.press("enter", "escape")
        await until(pilot, lambda: screen.chosen.metrics == ("accuracy",), "the choice")
        await until(pilot, lambda: screen.previewed, "a preview")
        out = Path(screen.path.value)
        assert out == labelled.folder.resolve() / "exports" / "judge-data-accuracy"
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
        labels = screen.written.manifest.counts["labels"]
        assert f"{labels:,} labels" in screen.preview.text
        assert "rows that follow" not in screen.preview.text
    beside = tmp_path / "beside"
    command = ["export", "judge", "--metrics", "accuracy", "--out", str(beside)]
    assert main([*command, "--workspace", str(labelled.folder)]) == 0
    assert contents(out) == contents(beside)


async def test_prompts_and_split_of_judge_data_are_the_commands(
    labelled: Desk, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("[system]\nJudge.\n[user]\n{question}\n{golden_answers}\n{answer}\n")
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        for name, text in (("prompts", f"accuracy={mine}"), ("split", "own")):
            keys = [row.key for row in choice_rows(screen.chosen)]
            screen.list.move_to(keys.index(name))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, Form), "the line")
            app.screen.lines[name].value = text
            await pilot.press("enter", "enter")
            await until(pilot, lambda: app.screen is screen and screen.previewed, "a preview")
        export = screen.chosen.export
        out = Path(screen.path.value)
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
    assert export.prompt_files == (f"accuracy={mine}",)
    beside = tmp_path / "beside"
    command = ["export", "judge", "--prompt-file", f"accuracy={mine}", "--split", "own"]
    assert main([*command, "--out", str(beside), "--workspace", str(labelled.folder)]) == 0
    assert contents(out) == contents(beside)


async def test_an_export_is_replaced_only_after_a_question_and_other_files_never(
    labelled: Desk,
) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        out = Path(screen.path.value)
        out.mkdir(parents=True)
        (out / "mine.txt").write_text("mine")
        await write(pilot, screen)
        await seen(pilot, "holds files that ragdesk did not export")
        assert contents(out) == {"mine.txt": b"mine"}
        await pilot.press("escape")
        (out / "mine.txt").unlink()
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
        first = contents(out)
        (out / "README.md").write_text("changed")
        for key in ("enter", "escape"):
            await write(pilot, screen)
            await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
            await pilot.press(key)
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, ExportsScreen), "the way back")
        assert contents(out) != first
        await write(pilot, screen)
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("y")
        await until(pilot, lambda: holds(out, first), "the new export")


def test_what_is_said_of_a_choice_fits_beside_it_at_80_columns() -> None:
    for kind in KINDS:
        for row in choice_rows(Choices(kind=kind)):
            note = row.cells[2]
            assert cell_width(note.text if isinstance(note, Cell) else note) <= NOTE
    for note in REPLIES.values():
        assert cell_width(note) <= NOTE


async def test_items_of_a_release_in_another_layout(labelled: Desk, tmp_path: Path) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("enter")
        await seen(pilot, "complete; can be imported again")
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: screen.chosen.kind == "beir" and screen.previewed, "the kind")
        assert "30 items" in screen.preview.text
        assert screen.path.value.endswith("gold@1-beir")
        screen.path.value = str(tmp_path / "mine")
        await pilot.press("end", "enter")
        await until(pilot, lambda: screen.chosen.anonymous and screen.previewed, "pseudonyms")
        assert screen.path.value == str(tmp_path / "mine")
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
    beside = tmp_path / "beside"
    command = ["export", "beir", "--dataset", "gold@1", "--anonymous", "--out", str(beside)]
    assert main([*command, "--workspace", str(labelled.folder)]) == 0
    assert contents(tmp_path / "mine") == contents(beside)


@pytest.mark.parametrize("size", SIZES)
async def test_runs_leave_as_by_the_command(
    labelled: Desk, size: tuple[int, int], tmp_path: Path
) -> None:
    with labelled.workspace.write() as db:
        answered = runs.listing(db)[0]
        order = [(item.revision_id, 1) for item in datasets.released_items(db, answered.release_id)]
        runs.create(db, "unanswered", answered.release_id, answered.system, RunSettings(), order)
    async with desk(labelled.folder, size) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("enter", "end", "enter")
        await until(pilot, lambda: screen.chosen.kind == "run" and screen.previewed, "the kind")
        assert [row.key for row in choice_rows(screen.chosen)] == ["kind", "layout", "runs"]
        assert "still to be answered" in screen.preview.text
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the layouts")
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert all(one.label in text for one in RUN_LAYOUTS.values())
        await pilot.press("down", "enter")
        await until(pilot, lambda: screen.chosen.layout == "csv", "the layout")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChooseMany), "the runs")
        await pilot.press("end", "enter", "escape")
        await until(
            pilot, lambda: screen.chosen.runs == (answered.name,) and screen.previewed, "the run"
        )
        foreseen = screen.previewed.counts
        out = Path(screen.path.value)
        await pilot.press("tab", "tab", "enter")
        await seen(pilot, "every hash and count holds")
        assert screen.written.manifest.counts == foreseen
    command = ["export", "run", answered.name, "--as", "csv", "--out", str(tmp_path / "beside")]
    assert main([*command, "--workspace", str(labelled.folder)]) == 0
    assert contents(out) == contents(tmp_path / "beside")


@pytest.mark.parametrize("size", SIZES)
async def test_preferences_leave_as_by_the_command(size: tuple[int, int], tmp_path: Path) -> None:
    folder = compared_workspace(tmp_path / "w")
    async with desk(folder, size) as (app, pilot):
        # the only labels are preferences
        screen = await opened(app, pilot)
        assert screen.chosen.kind == "preference"
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert "8 pairs, 8 questions" in text
        assert "in conflict" in text
        screen.list.move_to(3)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the fields")
        await pilot.press("home", "enter")
        await until(pilot, lambda: screen.chosen.field == "correctness", "the field")
        await until(pilot, lambda: screen.previewed, "a preview")
        out = Path(screen.path.value)
        assert out.name == "preference-data-correctness"
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
    command = ["export", "judge", "--form", "preference", "--metrics", "correctness"]
    beside = tmp_path / "beside"
    assert main([*command, "--out", str(beside), "--workspace", str(folder)]) == 0
    assert contents(out) == contents(beside)


async def test_a_folder_that_cannot_be_written_is_said_and_stays(labelled: Desk) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        screen.path.value = "/proc/nowhere/out"
        await write(pilot, screen)
        await seen(pilot, "/proc/nowhere/out cannot be written")
        await pilot.pause(0.3)
        assert "cannot be written" in screen_text(app)
        await pilot.press("escape")
        screen.path.value = ""
        await seen(pilot, "Name a folder.")


async def test_an_empty_screen_says_where_things_come_from(tmp_path: Path) -> None:
    open_workspace(tmp_path / "empty", create=True).close()
    async with desk(tmp_path / "empty") as (_app, pilot):
        await pilot.press("f9")
        await seen(pilot, "There is nothing to export yet.")


async def test_labels_of_two_raters_at_least_are_the_commands_to_the_byte(
    labelled: Desk, tmp_path: Path
) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        screen.list.move_to(4)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose), "the raters")
        await pilot.press("down", "enter")
        await until(pilot, lambda: screen.chosen.raters == "2" and screen.previewed, "the choice")
        assert "at least two, or a ruling" in screen_text(app)
        out = Path(screen.path.value)
        await write(pilot, screen)
        await seen(pilot, "every hash and count holds")
    beside = tmp_path / "beside"
    command = ["export", "judge", "--min-raters", "2", "--out", str(beside)]
    assert main([*command, "--workspace", str(labelled.folder)]) == 0
    assert contents(out) == contents(beside)


async def test_up_and_down_reach_every_field(labelled: Desk) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("end", "down")
        assert screen.path.has_focus
        await pilot.press("down")
        assert screen.write.has_focus
        await pilot.press("down")
        assert screen.write.has_focus
        await pilot.press("up", "up")
        assert screen.list.has_focus
        assert screen.list.cursor == screen.list.count - 1
