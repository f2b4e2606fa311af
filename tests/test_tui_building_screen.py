"""Build: topics and targets are chosen, estimated and launched; the cells fill while one looks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest
from desks import SIZES, desk, screen_text, seen, until
from endpoint_workspaces import provider_table, write_settings
from news_reports import make_news
from sample_workspaces import copy_workspace
from terminal import open_app
from textual.pilot import Pilot
from worker_here import work_here

from engine.corpus.ingest import ingest
from engine.corpus.readers import read_paths
from engine.generate.filling.generate_job import Generate
from engine.jobs.operation import queue
from engine.taxonomy.definitions import load_taxonomy
from engine.text.wrapping import cell_width
from sample_corpus import ROOT
from store.corpora import corpora, taxonomies
from store.datasets import datasets, generations
from store.jobs import jobs
from store.records import JobState
from store.verify import verify
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.building.cell_sheet import CellSheet
from tui.building.screen import BuildScreen
from tui.language import tr
from tui.screens.confirm import Confirm
from tui.screens.destinations import AtDataset
from tui.screens.form import Form
from tui.screens.model_form import ModelForm

TOPICS = ("fund", "retail_banking")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus on two topics, not yet classified."""
    folder = tmp_path_factory.mktemp("build") / "ws"
    paths = [ROOT / "documents" / topic for topic in TOPICS]
    with open_workspace(folder, create=True) as workspace:
        ingest(workspace, "finance", read_paths(paths))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return copy_workspace(made, tmp_path / "workspace")


async def build(app: Ragdesk, pilot: Pilot[int]) -> BuildScreen:
    """Go to Build, and wait until it has looked at the workspace."""
    await pilot.press("f3")
    screen = app.screen
    assert isinstance(screen, BuildScreen)
    await until(
        pilot, lambda: screen.plan is not None and screen.view.quotas.matrix.rows, "the plan"
    )
    await until(pilot, lambda: not screen.is_reading, "the figures")
    return screen


async def opened(app: Ragdesk, pilot: Pilot[int], key: str, kind: type) -> object:
    """Press a key that asks something."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, kind), kind.__name__)
    return app.screen


async def start(pilot: Pilot[int], form: Form) -> None:
    form.start.focus()
    await pilot.press("enter")


def done(app: Ragdesk, *kinds: str) -> bool:
    """Whether the worker is through with a job of each kind."""
    return set(kinds) <= {
        fact.job.kind for fact in app.facts.work if fact.job and fact.status == "done"
    }


def go(screen: BuildScreen, row: str, column: str | None) -> None:
    rows = [heading.key for heading in screen.view.quotas.matrix.rows]
    columns = [heading.key for heading in screen.view.quotas.matrix.columns]
    at = len(columns) if column is None else columns.index(column)
    screen.view.quotas.move_to(rows.index(row), at)


async def test_an_empty_workspace_says_how_to_fill_it(tmp_path: Path) -> None:
    async with desk(tmp_path / "none") as (_, pilot):
        await pilot.press("f3")
        assert "No corpus yet. F2 Corpus reads your files into one" in await seen(pilot, "F2")
        await pilot.press("plus")
        await seen(pilot, "Esc closes this")


@pytest.mark.parametrize("size", SIZES)
async def test_topics_stand_with_their_documents_and_targets(
    folder: Path, size: tuple[int, int]
) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await build(app, pilot)
        text = screen_text(app)
        assert "dataset finance-drafts  new" in text
        assert "0 of 1,600 items   0 of 80 cells full" in text
        assert "8 documents to classify" in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert len(screen.view.quotas.matrix.columns) == 6
        assert "Retail" in text


async def test_digits_are_targets_of_a_cell_a_group_and_all_and_can_be_undone(
    folder: Path,
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        before = screen.plan
        assert before is not None
        go(screen, "fund", "contrast")
        await pilot.press("1", "2")
        assert screen.plan is not None
        assert screen.plan.target("fund", "contrast") == 12
        await pilot.press("backspace")
        assert screen.plan.target("fund", "contrast") == 1
        await pilot.press("u", "u")
        assert screen.plan == before
        await pilot.press("U")
        assert screen.plan.target("fund", "contrast") in (1, 12)
        group = next(row for row in screen.view.rows if row.is_group)
        go(screen, group.key, "extractive")
        await pilot.press("3")
        assert {screen.plan.target(topic, "extractive") for topic in group.topics} == {3}
        screen.view.quotas.move_to(99, 99)
        assert screen.view.quotas.cursor == (None, None)
        await pilot.press("2")
        assert {items for _, _, items in screen.plan.wanted} == {2}
        assert len(screen.plan.wanted) == 80
        go(screen, "fund", "documents")
        await pilot.press("5")
        await seen(pilot, "Documents are counted")


@pytest.mark.parametrize("away", [("up", "down"), ("enter",), ("escape",), ("f1", "f3")])
async def test_a_number_ends_when_one_goes_away_and_undo_takes_it_back_whole(
    folder: Path, away: tuple[str, ...]
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        before = screen.plan
        screen.view.quotas.move_to(99, 99)
        await pilot.press("3")
        assert "typing 3" in screen_text(app)
        await pilot.press(*away)
        await until(pilot, lambda: app.screen is screen and not screen.edits.typed, "the end")
        await pilot.press("3")
        assert screen.plan is not None
        assert {items for _, _, items in screen.plan.wanted} == {3}
        await pilot.press("u", "u")
        assert screen.plan == before


async def test_a_number_ends_with_its_dataset(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        screen.view.quotas.move_to(99, 99)
        await pilot.press("2")
        screen.choose("finance", "another", "omnieval")
        await until(pilot, lambda: screen.plan and screen.plan.dataset == "another", "the other")
        screen.view.quotas.move_to(99, 99)
        before = screen.plan
        await pilot.press("1")
        assert screen.plan is not None
        assert {items for _, _, items in screen.plan.wanted} == {1}
        await pilot.press("u")
        assert screen.plan == before


async def test_topics_and_tasks_are_left_out_and_groups_fold(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        go(screen, "fund", "contrast")
        await pilot.press("x", "t")
        assert screen.plan is not None
        assert len(screen.plan.wanted) == 15 * 4
        count = len(screen.view.quotas.matrix.rows)
        await pilot.press("less_than_sign")
        assert len(screen.view.quotas.matrix.rows) < count
        row = screen.view.row
        assert row is not None
        assert row.is_group
        go(screen, row.key, None)
        await pilot.press("enter")
        assert len(screen.view.quotas.matrix.rows) == count
        await pilot.press("greater_than_sign")
        assert all(one.is_group or one.key == "unassigned" for one in screen.view.rows)


async def test_no_target_no_generation(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        screen.view.quotas.move_to(99, 99)
        await pilot.press("0", "plus")
        await seen(pilot, "No cell has a target")


async def test_cells_fill_by_the_real_worker_and_what_was_drafted_is_inspected(
    folder: Path,
) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        screen.view.quotas.move_to(99, 99)
        await pilot.press("0")
        go(screen, "fund", None)
        await pilot.press("2")
        form = await opened(app, pilot, "plus", ModelForm)
        assert isinstance(form, ModelForm)
        await seen(pilot, "10 items missing in 5 cells.")
        await seen(pilot, "no model is asked")
        await start(pilot, form)
        await until(pilot, lambda: isinstance(app.screen, BuildScreen), "the matrix")
        await until(pilot, lambda: done(app, "generate", "inspect"), "the end of both")
        await until(
            pilot, lambda: not screen.is_reading and screen.figures.unclassified == 0, "its figures"
        )
        text = await seen(pilot, "cells full")
        assert "dataset finance-drafts   " in text
        assert " new " not in text
        go(screen, "fund", "extractive")
        await pilot.pause()
        assert screen.view.quotas.cell.text == "2/2"
        assert screen.view.quotas.cell.shade == 1.0
        sheet = await opened(app, pilot, "enter", CellSheet)
        assert isinstance(sheet, CellSheet)
        said = sheet.sheet.text
        assert "2 of 2 wanted" in said
        assert "by offline" in said
        assert "kept" in said
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, BuildScreen), "the matrix")
    with open_workspace(folder) as workspace:
        db = workspace.db
        (job,) = (one for one in jobs.listing(db) if one.kind == "generate")
        assert set(generations.targets(db, job.id)) == {
            ("fund", task.key)
            for task in taxonomies.get(db, datasets.get(db, "finance-drafts").taxonomy_id).tasks
        }
        assert all(check.ok for check in verify(db).checks)


@pytest.fixture
def short(folder: Path) -> Path:
    """A generation into two cells, one of which has no documents."""
    with open_workspace(folder) as workspace:
        queue(
            workspace,
            Generate("finance", "drafts", 1, ("fund", "blockchain"), ("extractive",)),
        )
    work_here(folder)
    return folder


async def test_a_cell_that_stays_short_says_why_and_home_leads_there(short: Path) -> None:
    async with desk(short) as (app, pilot):
        await seen(pilot, "1 cell of drafts short of target")
        await seen(pilot, "1 draft of drafts to inspect")
        await app.open(AtDataset("drafts"))
        screen = app.screen
        assert isinstance(screen, BuildScreen)
        await until(pilot, lambda: screen.figures.cells, "the figures")
        assert screen.plan is not None
        assert screen.plan.dataset == "drafts"
        go(screen, "blockchain", "extractive")
        await pilot.pause()
        assert screen.view.quotas.cell.mark == "!"
        assert "no document has this topic" in await seen(pilot, "short:")


async def test_a_shipped_taxonomy_is_pruned_as_a_copy_and_then_itself(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        await pilot.press("exclamation_mark")
        await seen(pilot, "Leave out with x")
        await pilot.press("escape")
        go(screen, "fund", None)
        await pilot.press("x")
        form = await opened(app, pilot, "exclamation_mark", Form)
        assert isinstance(form, Form)
        form.lines["copy"].value = "mine"
        await start(pilot, form)
        await until(pilot, lambda: screen.plan and screen.plan.taxonomy.key == "mine", "the copy")
        assert screen.plan is not None
        assert "fund" not in screen.plan.topics
        go(screen, "blockchain", None)
        await pilot.press("x")
        await opened(app, pilot, "exclamation_mark", Confirm)
        await pilot.press("y")
        await until(
            pilot, lambda: screen.plan and "blockchain" not in screen.plan.topics, "the pruning"
        )
    with open_workspace(folder) as workspace:
        (own,) = taxonomies.listing(workspace.db)
        assert len(own.taxonomy.topics) == 14


async def test_a_topic_is_renamed_in_the_language_that_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", "zh")
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        go(screen, "fund", None)
        form = await opened(app, pilot, "e", Form)
        assert isinstance(form, Form)
        form.lines["to"].value = "公募基金"
        form.lines["copy"].value = ""
        await start(pilot, form)
        await seen(pilot, tr("Name the copy."))
        form.lines["copy"].value = "我的主题"
        await start(pilot, form)
        await until(
            pilot, lambda: screen.plan and screen.plan.taxonomy.key == "我的主题", "the copy"
        )
        assert screen.plan is not None
        topic = next(one for one in screen.plan.taxonomy.topics if one.key == "fund")
        assert topic.zh == "公募基金"
        assert topic.en.isascii()


async def test_a_tree_from_a_file_becomes_the_plans_taxonomy(folder: Path, tmp_path: Path) -> None:
    tree = {
        "topic_name": "finance",
        "sub_topics": [{"topic_name": "Banking", "sub_topics": [{"topic_name": "Cards"}]}],
    }
    file = tmp_path / "topic_tree.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        form = await opened(app, pilot, "asterisk", Form)
        assert isinstance(form, Form)
        form.lists["model"].move_to(form.lists["model"].count - 1)
        form.lines["name"].value = "cards"
        await start(pilot, form)
        await seen(pilot, "Name the file.")
        form.lines["path"].value = str(file)
        await start(pilot, form)
        await until(
            pilot, lambda: screen.plan and screen.plan.taxonomy.key == "cards", "the taxonomy"
        )
        assert screen.plan is not None
        assert len(screen.plan.wanted) == 5


async def test_a_taxonomy_that_comes_while_the_plan_is_read_is_the_plans(folder: Path) -> None:
    mine = msgspec.structs.replace(load_taxonomy("omnieval"), key="mine")
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        await until(pilot, lambda: not screen.is_reading, "the figures")
        with open_workspace(folder) as workspace, workspace.write() as db:
            taxonomies.save(db, mine, "mine")
        screen.read_again()
        screen._proposed("mine")
        await until(pilot, lambda: screen.plan and screen.plan.taxonomy.key == "mine", "its name")


async def test_topics_are_proposed_by_words_and_documents_classified(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        form = await opened(app, pilot, "asterisk", Form)
        assert isinstance(form, Form)
        form.lines["name"].value = "found"
        form.lines["count"].value = "1"
        await start(pilot, form)
        await seen(pilot, "Propose 2 to 200 topics.")
        form.lines["count"].value = "3"
        await start(pilot, form)
        await until(pilot, lambda: done(app, "topics"), "the proposal")
        await until(
            pilot, lambda: screen.plan and screen.plan.taxonomy.key == "found", "its taxonomy"
        )
        await until(pilot, lambda: not screen.is_reading, "the figures")
        assert screen.figures.unclassified == 8
        form = await opened(app, pilot, "C", ModelForm)
        assert isinstance(form, ModelForm)
        await seen(pilot, "No model is asked.")
        await start(pilot, form)
        await until(pilot, lambda: screen.figures.unclassified == 0, "the topics")
        assert sum(screen.figures.documents.values()) == 8


async def test_a_model_is_estimated_with_its_cost_and_refused_without_its_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BUILD_TEST_KEY", raising=False)
    table = provider_table(
        "paid",
        "http://127.0.0.1:9",
        api_key_env="BUILD_TEST_KEY",
        **{"prices.input": 2.0, "prices.output": 8.0, "prices.currency": "CNY"},
    )
    write_settings(folder, table)
    assert "BUILD_TEST_KEY" not in os.environ
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        screen.view.quotas.move_to(99, 99)
        await pilot.press("1")
        form = await opened(app, pilot, "plus", ModelForm)
        assert isinstance(form, ModelForm)
        form.lists["model"].move_to(1)
        await until(pilot, lambda: form.values["model"] == "paid", "the model")
        text = await seen(pilot, "CNY.")
        assert "80 cells" in text
        form.lines["max_cost"].value = "-1"
        await start(pilot, form)
        await seen(pilot, "a number above 0, or nothing")
        form.lines["max_cost"].value = "5"
        await start(pilot, form)
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        assert "Ask paid?" in screen_text(app)
        await pilot.press("enter", "escape")
        await until(pilot, lambda: app.screen is form, "the form")
        await start(pilot, form)
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.press("y")
        await seen(pilot, "BUILD_TEST_KEY")
    with open_workspace(folder) as workspace:
        assert jobs.listing(workspace.db) == []


async def test_a_plan_that_grew_tenfold_asks_before_it_starts(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        screen.view.quotas.move_to(99, 99)
        await pilot.press("2", "0", "0")
        form = await opened(app, pilot, "plus", ModelForm)
        assert isinstance(form, ModelForm)
        await start(pilot, form)
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        text = " ".join(screen_text(app).split())
        assert "Fill finance-drafts with 16,000 items?" in text
        assert "The plan asked for 1,600 before" in text
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is form, "the form")
    with open_workspace(folder) as workspace:
        assert jobs.listing(workspace.db) == []


async def test_another_corpus_brings_its_own_dataset_name(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann, the roof of the mill is new.")
    with open_workspace(folder) as workspace:
        ingest(workspace, "letters", read_paths([tmp_path / "letter.txt"]))
    async with desk(folder) as (app, pilot):
        await build(app, pilot)
        form = await opened(app, pilot, "i", Form)
        assert isinstance(form, Form)
        assert form.values["dataset"] == "finance-drafts"
        names = [name for name, _ in form.parts["corpus"].options]
        for corpus in ("letters", "finance", "letters"):
            form.lists["corpus"].move_to(names.index(corpus))
            await until(
                pilot, lambda name=f"{corpus}-drafts": form.values["dataset"] == name, corpus
            )
        form.lines["dataset"].value = "mine"
        form.lists["corpus"].move_to(names.index("finance"))
        await pilot.pause(0.1)
        assert form.values["dataset"] == "mine"


async def test_a_job_is_paused_resumed_and_cancelled_with_the_keys_of_runs(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        job = queue(workspace, Generate("finance", "drafts", 1, ("fund",)))
        with workspace.write() as db:
            jobs.ask(db, job.id, "pause")
    async with desk(folder) as (app, pilot):
        await build(app, pilot)
        await seen(pilot, "paused by hand")
        await opened(app, pilot, "X", Confirm)
        await pilot.press("y")
        await until(
            pilot,
            lambda: [fact.job.state for fact in app.facts.work if fact.job] == [JobState.CANCELLED],
            "the end of it",
        )
        await pilot.press("z")
        await until(pilot, lambda: done(app, "generate"), "its being done")
        screen = app.screen
        assert isinstance(screen, BuildScreen)
        await until(pilot, lambda: screen.figures.filled.get(("fund", "extractive")), "the item")


async def test_another_dataset_is_chosen_and_of_another_corpus_refused(folder: Path) -> None:
    with open_workspace(folder) as workspace, workspace.write() as db:
        other = corpora.create(db, "letters", corpora.get(db, "finance").chunking)
        taxonomy = taxonomies.put(db, load_taxonomy("omnieval"))
        datasets.create(db, "old", other.id, taxonomy)
    async with desk(folder) as (app, pilot):
        screen = await build(app, pilot)
        form = await opened(app, pilot, "i", Form)
        assert isinstance(form, Form)
        form.lines["dataset"].value = "old"
        await start(pilot, form)
        await seen(pilot, "old is about corpus letters.")
        form.lists["corpus"].move_to(1)
        await start(pilot, form)
        await until(pilot, lambda: screen.plan and screen.plan.dataset == "old", "the dataset")
        assert screen.plan is not None
        assert (screen.plan.corpus, screen.plan.is_new) == ("letters", False)


def test_in_a_terminal_numbers_are_typed_and_the_cells_fill(folder: Path) -> None:
    with open_app(folder, columns=80, lines=24) as terminal:
        terminal.wait_for("What next")
        terminal.press("g")
        terminal.wait_for("3 Build")
        terminal.press("3")
        terminal.wait_for("0 of 1,600 items")
        terminal.press("end")
        terminal.wait_for("Banking / all")
        terminal.press("pagedown", "pagedown", "０")
        terminal.wait_for("0 of 0 items")
        terminal.press("pageup", "pageup", "down", "1")
        terminal.wait_for("0 of 5 items   0 of 5 cells full")
        terminal.press("+")
        terminal.wait_for("5 items missing in 5 cells")
        for _ in range(6):
            terminal.press("enter")
            terminal.settle()
        # its documents hold nothing that a rule could set beside each other
        terminal.wait_for("4 of 5 cells full")
        terminal.wait_for("0/1!")
        terminal.press("ctrl+q")
        assert terminal.wait() == 0


@pytest.fixture
def crud(tmp_path: Path) -> Path:
    """A dataset of CRUD-RAG's taxonomy, begun by rule."""
    folder = make_news(tmp_path)
    with open_workspace(folder) as workspace:
        tasks = ("qa_1doc", "summarization")
        queue(workspace, Generate("news", "made", 1, ("unassigned",), tasks, "crud"))
    work_here(folder)
    return folder


async def test_tasks_for_models_are_named_and_what_chooses_reports_is_asked(crud: Path) -> None:
    async with desk(crud, (140, 40)) as (app, pilot):
        await pilot.press("f3")
        await seen(pilot, "taxonomy crud")
        await opened(app, pilot, "plus", ModelForm)
        await seen(pilot, "Other reports by")
        await seen(pilot, "Only a model writes items of summarization.")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, BuildScreen), "the matrix")
        screen = app.screen
        assert isinstance(screen, BuildScreen)
        go(screen, "unassigned", "summarization")
        await pilot.pause()
        sheet = await opened(app, pilot, "enter", CellSheet)
        assert isinstance(sheet, CellSheet)
        assert "a model only" in sheet.sheet.text
