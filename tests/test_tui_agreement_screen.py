"""How far raters agree, in the app: the figures of the command, what they differ on, no jumps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement_workspaces import RATERS, labelled_desk
from desks import SIZES, desk, in_sight, sample_workspace, screen_text, seen, until
from judged_workspaces import Desk

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.figures.agreement import rater_agreement
from engine.labelling.figures.agreement_figures import agreement
from engine.labelling.forms import load_form
from engine.report.agreement import NAMED, figure_text, interval_text, shares, short
from engine.text.wrapping import cell_width
from store.labels import consensus, standing
from store.runs import runs
from store.workspace import open_workspace
from tui.agreement.conflict_rows import Part, parts
from tui.agreement.conflicts import ConflictsScreen
from tui.agreement.details import details
from tui.agreement.heat_map import heat_map
from tui.agreement.screen import AgreementScreen
from tui.label import timing
from tui.label.adjudication import AdjudicationScreen
from tui.widgets.row_source import Cell

SIZES_HERE = (*SIZES, (100, 30))


@pytest.fixture
def labelled(tmp_path: Path) -> Iterator[Desk]:
    made = labelled_desk(tmp_path / "w")
    with made.workspace:
        yield made


def cells(row) -> list[str]:
    return [cell.text if isinstance(cell, Cell) else cell for cell in row.cells]


async def choose(pilot, title: str, name: str) -> None:
    """Choose the line that begins so, in the question that is open."""
    await seen(pilot, title)
    rows = pilot.app.screen.rows
    names = [row.key for row in rows._source.rows(0, rows.count)]
    rows.move_to(names.index(name))
    await pilot.press("enter")


async def opened(app, pilot) -> AgreementScreen:
    await pilot.press("f8")
    await seen(pilot, "all pooled")
    screen = app.screen
    assert isinstance(screen, AgreementScreen)
    return screen


@pytest.mark.parametrize("size", SIZES_HERE)
async def test_figures_are_those_of_the_command(labelled: Desk, size: tuple[int, int]) -> None:
    form = load_form("judge_labels")
    wanted = [one for one in agreement(standing.rated(labelled.workspace.db, form), form) if one.n]
    async with desk(labelled.folder, size) as (app, pilot):
        screen = await opened(app, pilot)
        rows = screen.list._source.rows(0, 99)
        assert len(rows) == len(wanted)
        for row, one in zip(rows, wanted, strict=True):
            kappa = one.statistics["kappa_plain"]
            assert cells(row)[2:6] == [
                f"{one.n:,}",
                short(figure_text(one.statistics["raw"])),
                short(figure_text(kappa)),
                short(interval_text(kappa)),
            ]
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        (first,) = [one for one in wanted if (one.field, one.part) == ("accuracy", "value")]
        read = screen.details.text
        for name, key in NAMED.items():
            found = first.statistics[key]
            assert short(figure_text(found)) in read, name
        for rater in RATERS:
            assert "   ".join(shares(first, rater)) in " ".join(read.split(" ")).replace("\n", " ")
        for table in first.tables:
            assert f"{table.raters[0]} (rows) against {table.raters[1]} (columns)" in read
        conflicts = consensus.placed_conflicts(labelled.workspace.db, form)
        assert f"{len(conflicts)} conflicts" in text.splitlines()[0]


async def test_a_sample_is_counted_for_itself(labelled: Desk) -> None:
    form = load_form("judge_labels")
    with open_workspace(labelled.folder) as workspace:
        run = runs.listing(workspace.db)[0].name
        drawn = draw_sample(workspace, SampleRequest("few", form.key, per_cell=3, runs=(run,)))
        conflicts = len(consensus.placed_conflicts(workspace.db, form, sample="few"))
        every = len(consensus.placed_conflicts(workspace.db, form))
    assert conflicts < every
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        assert f"{every} conflicts" in screen_text(app)
        await pilot.press("S")
        await choose(pilot, "Form and sample", f"{form.key}\tfew")
        text = await seen(pilot, f"{drawn.subjects} of {drawn.subjects} by two raters or more")
        assert f"{conflicts} conflict" in text.splitlines()[0] or not conflicts
        assert screen.shown is not None
        assert screen.shown.sample == "few"


async def test_a_share_is_never_broken_between_lines(labelled: Desk) -> None:
    form = load_form("judge_labels")
    rows = agreement(standing.rated(labelled.workspace.db, form), form)
    for one in rows:
        for width in (30, 50, 76):
            lines = ["".join(text for text, _ in line) for line in details(one)(width)]
            for rater in one.raters:
                assert all(any(said in line for line in lines) for said in shares(one, rater))


async def test_what_is_undefined_is_said_in_words(labelled: Desk) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: screen.details.has_focus, "the figures")
        assert "all gave the value 0: chance would agree as well" in " ".join(
            screen.details.text.split()
        )
        await pilot.press("escape")
        assert screen.list.has_focus


async def test_by_pair_and_by_cell_and_another_statistic(labelled: Desk) -> None:
    async with desk(labelled.folder, SIZES[1]) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("b")
        await choose(pilot, "Agreement by", "pair")
        await seen(pilot, "wang / zhao")
        await pilot.press("b")
        await choose(pilot, "Agreement by", "cell")
        await until(pilot, lambda: screen.has_class("-map") and screen.map.matrix.rows, "the map")
        db = labelled.workspace.db
        found = {
            by: rater_agreement(db, "judge_labels", by=by, field="accuracy").rows
            for by in ("cell", "topic", "task", "metric")
        }
        wanted = heat_map(found, "accuracy", "value", "kappa", {})
        assert [row.key for row in screen.map.matrix.rows] == [row.key for row in wanted.rows]
        assert screen.map.matrix.cells == wanted.cells
        assert screen.map.matrix.total == wanted.total
        assert all(cell.is_small for row in wanted.cells for cell in row)
        await pilot.press("&")
        await choose(pilot, "Statistic", "ac1")
        await seen(pilot, "accuracy, value: ac1")
        assert screen.map.matrix.cells == heat_map(found, "accuracy", "value", "ac1", {}).cells
        await pilot.press("D")
        await until(pilot, lambda: isinstance(app.screen, ConflictsScreen), "the conflicts")
        topic = wanted.rows[0].key
        await until(pilot, lambda: app.screen.every, "the conflicts")
        assert app.screen.matching
        assert {conflict.topic for conflict in app.screen.matching} == {topic}


async def test_a_conflict_is_one_key_away_and_a_third_person_rules_on_it(
    labelled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "SETTLE_SECONDS", -60.0)  # keys come faster than from people
    form = load_form("judge_labels")
    before = consensus.placed_conflicts(labelled.workspace.db, form)
    async with desk(labelled.folder) as (app, pilot):
        await opened(app, pilot)
        await pilot.press("D")
        await seen(pilot, f"{len(before)} of {len(before)} conflicts")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, AdjudicationScreen), "the ruling")
        await until(pilot, lambda: app.screen.conflict is not None, "the conflict")
        assert app.screen.conflict == before[1].conflict
        await in_sight(pilot)
        await pilot.press("1")
        await until(pilot, lambda: len(app.screen.conflicts) == len(before) - 1, "the ruling")
        await pilot.press("escape")
        await seen(pilot, f"{len(before) - 1} of {len(before) - 1} conflicts")
        await pilot.press("escape")
        text = await seen(pilot, f"{len(before) - 1} conflicts")
        assert "labels have changed since" in text


def test_parts_of_conflicts_count_what_they_hold(labelled: Desk) -> None:
    found = consensus.placed_conflicts(labelled.workspace.db, load_form("judge_labels"))
    offered = parts(found)
    assert offered[0] == (Part(), len(found))
    assert len(offered) > 5
    for part, count in offered:
        assert sum(part.holds(one) for one in found) == count


async def test_figures_stay_until_they_are_asked_for_again(labelled: Desk) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        shown = screen.list._source.rows(0, 9)
        # one, since the app may look between two of them and rightly ask to compute once more
        labelled.label("wang", 0, (labelled.truth(0) + 1) % 3)
        await seen(pilot, "labels have changed since: ctrl+r computes again")
        assert screen.list._source.rows(0, 9) == shown
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.list._source.rows(0, 9) != shown, "new figures")
        await until(pilot, lambda: "labels have changed" not in screen_text(app), "the new state")


async def test_an_empty_screen_says_how_to_fill_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with desk(sample_workspace(tmp_path_factory.getbasetemp())) as (_app, pilot):
        await pilot.press("f8")
        text = " ".join((await seen(pilot, "No subject has been fully labelled")).split())
        assert "+ draws a sample: write 2 into Raters each" in text
        await pilot.press("g", "1")
        await pilot.press("g", "8")
        await seen(pilot, "No subject has been fully labelled")


async def test_one_rater_alone_is_told_to_find_a_second(tmp_path: Path) -> None:
    made = Desk(tmp_path)
    made.label_all("li", 3)
    async with desk(made.folder) as (_app, pilot):
        await pilot.press("f8")
        text = " ".join((await seen(pilot, "none of them by two raters")).split())
        assert "+ draws a sample for two raters each" in text
        made.label("wang", 0, 1)
        await seen(pilot, "all pooled")
    made.workspace.close()
