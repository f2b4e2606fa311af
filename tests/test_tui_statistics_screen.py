"""Statistics, progress and new samples in the app: the same figures as the commands, and blind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from desks import NARROW_THEN_WIDE, SIZES, desk, screen_text, seen, until
from inspection_workspaces import inspection_workspace
from labelling_workspaces import register, score
from textual.pilot import Pilot

from engine.labelling.drawing.drawing import SampleRequest, plan_sample
from engine.labelling.figures.work_report import work_report
from engine.report.work import render, report_as_json
from engine.text.wrapping import cell_width
from store.clock import local_day, now_text, start_of_day
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.records import ItemState
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.cli import main
from tui.label.inspect_screen import InspectScreen
from tui.screens.choose import ChooseMany
from tui.statistics.judged import JudgedScreen
from tui.statistics.new_sample import NewSample
from tui.statistics.progress import ProgressScreen
from tui.statistics.screen import StatisticsScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve Chinese items; the tester has judged four, li two of them and two more."""
    workspace = inspection_workspace(tmp_path / "ws", 12, documents=3, characters=600)
    with workspace.write(durable=True) as db:
        form = register(db)
        heads = [str(head) for (head,) in db.execute("SELECT head FROM item ORDER BY id")]
        for rater, at, value in (
            ("tester", 0, 5),
            ("tester", 1, 4),
            ("tester", 2, 1),
            ("tester", 3, 4),
            ("li", 0, 5),
            ("li", 2, 4),
            ("li", 4, 2),
            ("li", 5, 5),
        ):
            score(db, form, rater, Subject("revision", heads[at]), value)
    workspace.close()
    return tmp_path / "ws"


async def open_from_inspect(
    app: Ragdesk, pilot: Pilot[int], key: str, kind: type, ready: Callable[[Any], object]
) -> object:
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(app.screen, InspectScreen), "Inspect")
    desk_screen = app.screen
    assert isinstance(desk_screen, InspectScreen)
    await until(pilot, lambda: desk_screen.session is not None, "the desk")
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, kind) and ready(app.screen), kind.__name__)
    return app.screen


async def statistics(app: Ragdesk, pilot: Pilot[int]) -> StatisticsScreen:
    screen = await open_from_inspect(
        app, pilot, "percent_sign", StatisticsScreen, lambda one: one.report is not None
    )
    assert isinstance(screen, StatisticsScreen)
    return screen


async def by(app: Ragdesk, pilot: Pilot[int], screen: StatisticsScreen, wanted: str) -> None:
    await pilot.press("b")
    await until(pilot, lambda: app.screen is not screen, "the question")
    assert screen.report is not None
    for _ in range(screen.report.axes.index(wanted)):
        await pilot.press("down")
    await pilot.press("enter")
    await until(pilot, lambda: screen.report and screen.report.by == wanted, wanted)


@pytest.mark.parametrize("size", SIZES)
async def test_the_map_says_what_the_command_says(
    folder: Path, size: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await statistics(app, pilot)
        await seen(pilot, "accepted .67  95 % .30 to .90  n 6")
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert "Commercial" in text or "商业银行" in text
        assert "agreement   verdict: raw .50" in text
        assert screen.report is not None
        shown = report_as_json(screen.report)
    arguments = ["--workspace", str(folder), "--rater", "tester", "--json"]
    assert main([*arguments, "labels", "statistics", "--by", "cell"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(shown))
    assert shown["total"]["acceptance"] == pytest.approx(4 / 6)


async def test_other_raters_are_told_together_to_one_who_rates(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await statistics(app, pilot)
        await by(app, pilot, screen, "rater")
        text = await seen(pilot, "others")
        assert "tester" in text
        assert "li " not in text.replace("labels", "")
    with open_workspace(folder) as workspace:
        report = work_report(workspace.db, "inspection", "lead", by="rater")
        assert [row.group for row in report.rows] == ["li", "tester"]


@pytest.mark.parametrize("size", SIZES)
async def test_days_show_how_fast_and_how_alike_raters_label(
    folder: Path, size: tuple[int, int]
) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await statistics(app, pilot)
        await by(app, pilot, screen, "rater_day")
        text = await seen(pilot, "per h  agree")
        assert f"tester  {local_day(now_text())}" in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())


async def test_a_cell_lists_its_items_and_hides_what_one_has_not_judged(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await statistics(app, pilot)
        screen.map.move_to(99, 99)
        await pilot.press("enter")
        await until(
            pilot, lambda: isinstance(app.screen, JudgedScreen) and app.screen.subjects, "the items"
        )
        listed = app.screen
        assert isinstance(listed, JudgedScreen)
        assert len(listed.subjects) == 6
        hidden = [one for one in listed.subjects if not one.is_told]
        assert len(hidden) == 2
        assert all(one.values == () for one in hidden)
        text = screen_text(app)
        assert "hidden" in text
        assert "li 5" in text
        assert "li 2" not in text
        # a judged one is opened at the desk again
        wanted = listed.subjects[0].line.subject
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InspectScreen), "the desk")
        desk_screen = app.screen
        assert isinstance(desk_screen, InspectScreen)
        await until(
            pilot, lambda: desk_screen.opened and desk_screen.opened.subject == wanted, "the item"
        )


async def test_figures_are_exported_as_the_command_prints_them(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        screen = await statistics(app, pilot)
        await by(app, pilot, screen, "topic")
        await pilot.press("E")
        await seen(pilot, "Export the statistics")
        await pilot.press("down", "enter", "enter", "enter")
        await seen(pilot, "Wrote")
    written = (folder / "exports" / "statistics-inspection-topic.csv").read_text("utf-8")
    with open_workspace(folder) as workspace:
        report = work_report(workspace.db, "inspection", "tester", by="topic", since=start_of_day())
    assert written == render(report, "csv")
    assert written.splitlines()[0].startswith("form,topic,judged,accepted,acceptance,low,high")


async def test_nothing_judged_says_how_to_begin(tmp_path: Path) -> None:
    inspection_workspace(tmp_path / "ws", 2, documents=1, characters=300).close()
    async with desk(tmp_path / "ws") as (app, pilot):
        await statistics(app, pilot)
        await seen(pilot, "Nothing has been labelled yet.")


@pytest.mark.parametrize("size", SIZES)
async def test_progress_is_a_map_and_leads_to_a_cell(folder: Path, size: tuple[int, int]) -> None:
    async with desk(folder, size) as (app, pilot):
        screen = await open_from_inspect(
            app, pilot, "number_sign", ProgressScreen, lambda one: one.progress is not None
        )
        assert isinstance(screen, ProgressScreen)
        text = await seen(pilot, "6 of 12 labels")
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert screen.progress is not None
        with open_workspace(folder) as workspace:
            from store.labels.samples import progress

            cells = progress.cell_progress(workspace.db, "inspection", "tester")
        assert list(screen.progress.cells) == cells
        row, column = screen.map.cursor
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InspectScreen), "the desk")
        desk_screen = app.screen
        assert isinstance(desk_screen, InspectScreen)
        session = desk_screen.session
        assert session is not None
        await until(pilot, lambda: session.route.filter.topic == row, "the cell")
        assert session.route.filter.task == column


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
async def test_a_sample_is_planned_then_drawn_and_assigned(
    folder: Path, size: tuple[int, int]
) -> None:
    wanted = SampleRequest(
        "二审", "inspection", 2, dataset="zh-finance", raters_wanted=2, raters=("wang", "li")
    )
    with open_workspace(folder) as workspace:
        workspace.db.execute("UPDATE item SET state = 'drafted'")
        plan = plan_sample(workspace, wanted)
        assert (plan.added, plan.is_new) == (12, True)
    async with desk(folder, size) as (app, pilot):
        asked = await open_from_inspect(app, pilot, "plus", NewSample, lambda one: True)
        assert isinstance(asked, NewSample)
        asked.fields["name"].value = "二审"
        asked.fields["of"].value = "zh-finance"
        asked.fields["raters"].value = "wang"
        asked.fields["per_cell"].value = "2"
        asked.fields["raters_wanted"].value = "2"
        await seen(pilot, "2 raters a subject are wanted, but 1 named.")
        asked.fields["raters"].value = "wang, li"
        text = await seen(pilot, "12 would be drawn in 6 cells")
        assert "Insurance x Extractive 2" in text
        assert "bank x extractive" not in text
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert asked.plan == plan
        asked.draw.focus()
        await pilot.press("enter")
        await seen(pilot, "Sample 二审: 12 drawn")
    with open_workspace(folder) as workspace:
        sample = samples.get(workspace.db, "二审")
        assert sample.raters == ("wang", "li")
        assert len(samples.taken(workspace.db, sample)) == plan.added


async def test_items_that_were_inspected_already_are_drawn_and_states_are_chosen(
    folder: Path,
) -> None:
    with open_workspace(folder) as workspace:
        workspace.db.execute("UPDATE item SET state = 'accepted'")
        (count,) = workspace.db.execute("SELECT count(*) FROM item").fetchone()
    async with desk(folder) as (app, pilot):
        asked = await open_from_inspect(app, pilot, "plus", NewSample, lambda one: True)
        assert isinstance(asked, NewSample)
        asked.fields["name"].value = "x"
        asked.fields["of"].value = "zh-finance"
        text = await seen(pilot, "would be drawn")
        assert f"{count:,} accepted" in text
        asked.states.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChooseMany), "the states")
        assert "drafted" not in screen_text(app), "no item has that state"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is asked, "the question")
        assert asked.request().states == (ItemState.ACCEPTED,)


async def test_what_cannot_be_drawn_is_said_and_not_drawn(folder: Path) -> None:
    async with desk(folder) as (app, pilot):
        asked = await open_from_inspect(app, pilot, "plus", NewSample, lambda one: True)
        assert isinstance(asked, NewSample)
        asked.fields["name"].value = "x"
        asked.fields["of"].value = "missing"
        await seen(pilot, "missing")
        asked.fields["per_cell"].value = "many"
        await seen(pilot, "Per cell is 'many'.")
        asked.draw.focus()
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is asked
    with open_workspace(folder) as workspace:
        assert [one.name for one in samples.listing(workspace.db)] == ["first"]
