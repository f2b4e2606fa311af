"""Importing in the app: every source that the command line knows, with the same outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desks import SIZES, desk, named, screen_text, seen, small_sample_workspace, until
from sample_workspaces import copy_workspace

from engine.importers.sources import SOURCES, Import
from engine.text.wrapping import cell_width
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.runs import runs
from store.workspace import open_workspace
from tui.cli.command import Group
from tui.cli.parser import COMMANDS
from tui.importing.form import import_trouble, named_files
from tui.screens.choose import Choose
from tui.screens.form import Form
from tui.screens.sheet import SheetScreen


async def chosen(app, pilot, source: str) -> Form:
    await named(app, pilot, "import")
    await until(pilot, lambda: isinstance(app.screen, Choose), "the sources")
    app.screen.rows.move_to(list(SOURCES).index(source))
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, Form), "the form")
    assert isinstance(app.screen, Form)
    return app.screen


async def started(app, pilot, form: Form, **values: object) -> str:
    for key, value in values.items():
        form.lines[key].value = str(value)
    form.start.focus()
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, SheetScreen), "what came in")
    return str(app.screen.sheet.text)


def beir(folder: Path) -> Path:
    folder.mkdir()
    lines = {
        "corpus.jsonl": [{"_id": "d1", "title": "Rates", "text": "The rate is 3 %."}],
        "queries.jsonl": [
            {"_id": "q1", "text": "What is the rate?"},
            {"_id": "q2", "text": "Who says so?"},
        ],
    }
    for name, rows in lines.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return folder


@pytest.mark.parametrize("size", SIZES)
async def test_a_benchmark_fills_an_empty_folder(tmp_path: Path, size: tuple[int, int]) -> None:
    source = beir(tmp_path / "scifact")
    async with desk(tmp_path / "w", size) as (app, pilot):
        form = await chosen(app, pilot, "beir")
        assert all(cell_width(line) <= size[0] for line in screen_text(app).splitlines())
        assert "Import it" in screen_text(app)
        text = await started(app, pilot, form, files=source, corpus="facts", dataset="facts")
        assert "released facts@1: 2 items" in text
        assert "! 1 query without a relevant document" in text
        await pilot.press("escape")
        await until(pilot, lambda: app.facts.datasets, "the dataset on Home")


async def test_answers_of_ones_own_system_become_a_run(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = copy_workspace(small_sample_workspace(tmp_path_factory.getbasetemp()), tmp_path / "w")
    with open_workspace(folder) as workspace:
        release = datasets.find_release(workspace.db, "sample")
        keys = [item.item_key for item in datasets.released_items(workspace.db, release.id)]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": key, "answer": "3 %"}) + "\n" for key in keys))
    async with desk(folder, (100, 30)) as (app, pilot):
        form = await chosen(app, pilot, "predictions")
        assert form.lines["dataset"].value == "sample@1"
        text = await started(app, pilot, form, files=answers, run="mine")
        assert "run mine:" in text
        assert "scored in the background" in text
    with open_workspace(folder) as workspace:
        assert runs.get(workspace.db, "mine").name == "mine"


async def test_what_is_wrong_with_a_file_is_said_and_nothing_is_kept(tmp_path: Path) -> None:
    source = beir(tmp_path / "broken")
    (source / "queries.jsonl").write_text("{")
    async with desk(tmp_path / "w", (140, 40)) as (app, pilot):
        form = await chosen(app, pilot, "beir")
        for key, value in (("files", str(source)), ("corpus", "c"), ("dataset", "d")):
            form.lines[key].value = value
        form.start.focus()
        await pilot.press("enter")
        await seen(pilot, "queries.jsonl, line 1")
        assert not app.facts.datasets


def test_every_source_of_the_command_line_is_there() -> None:
    group = next(entry for entry in COMMANDS if entry.name == "import")
    assert isinstance(group, Group)
    kinds = [command.name for command in group.commands]
    assert set(kinds) == set(SOURCES) - {"omnieval-run"}


def test_what_is_missing_is_named_as_in_the_form(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("")
    empty = dict.fromkeys(("files", "corpus", "dataset", "queries", "answers"), "")
    assert import_trouble("items", empty) == "Name the files."
    assert "There is no file" in import_trouble("items", {**empty, "files": str(tmp_path / "no")})
    some = {**empty, "files": str(file)}
    assert import_trouble("items", some) == "Corpus is missing."
    assert import_trouble("qrels", {**empty, "queries": "x"}) == "Corpus is missing."
    whole = {**empty, "corpus": "c", "dataset": "d", "queries": str(tmp_path / "no")}
    assert "Queries: there is no file" in import_trouble("qrels", whole)
    assert import_trouble("qrels", {**whole, "queries": str(file)}) == ""


def test_a_path_may_stand_for_several_files(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).write_text("")
    assert named_files(f"{tmp_path}/*.jsonl") == tuple(
        str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")
    )
    assert named_files("") == ()
    assert named_files(str(tmp_path)) == (str(tmp_path),)


def test_one_file_is_asked_for_where_one_is_read(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "w", create=True) as workspace:
        asked = Import("predictions", ("a", "b"), "ann", dataset="d", run="r")
        with pytest.raises(InputError, match="one file or folder"):
            asked.answer(workspace)
        pairs = Import("beir", ("a",), "ann", corpus="c", dataset="d", tasks=("single",))
        with pytest.raises(UsageError, match="TYPE=TASK"):
            pairs.answer(workspace)
