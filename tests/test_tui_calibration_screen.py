"""Judges against people, in the app: the figures of `ragdesk calibrate`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement_workspaces import labelled_desk
from desks import SIZES, desk, screen_text, seen, until
from judged_workspaces import Desk

from engine.calibration.audit.auditing import audited
from engine.calibration.audit.plan import AuditPlan
from engine.calibration.calibrate import calibrate_judges
from engine.report.agreement import figure_text, interval_text, short
from engine.text.wrapping import cell_width
from store.records import MetricScore, ScoreState
from store.runs import audits, stages
from store.runs.judge_coverage import JudgeCoverage, MetricCoverage
from store.runs.judge_scores import short_hash
from tui.calibration.screen import CalibrationScreen
from tui.calibration.tables import coverage_table, difference_table, judge_table, mean_table
from tui.language import tr
from tui.live.reader import Reader
from tui.screens.labels import cell_names, cell_text
from tui.widgets.row_source import Cell, fit_columns


@pytest.fixture
def labelled(tmp_path: Path) -> Iterator[Desk]:
    made = labelled_desk(tmp_path / "w")
    with made.workspace:
        yield made


def cells(row) -> list[str]:
    return [cell.text if isinstance(cell, Cell) else cell for cell in row.cells]


async def opened(app, pilot) -> CalibrationScreen:
    await pilot.press("f8")
    await seen(pilot, tr("all pooled"))
    await pilot.press("J")
    await until(
        pilot,
        lambda: isinstance(app.screen, CalibrationScreen) and app.screen.calibration,
        "the judges",
    )
    screen = app.screen
    assert isinstance(screen, CalibrationScreen)
    return screen


@pytest.mark.parametrize("size", [*SIZES, (100, 30)])
async def test_figures_are_those_of_the_command(labelled: Desk, size: tuple[int, int]) -> None:
    wanted = calibrate_judges(labelled.workspace)
    async with desk(labelled.folder, size) as (app, pilot):
        screen = await opened(app, pilot)
        assert screen.calibration == wanted
        rows = screen.list._source.rows(0, 9)
        for row, judge in zip(rows, wanted.judges, strict=True):
            one = judge.metrics[0]
            assert cells(row)[:3] == [judge.judge, judge.standing, "none"]
            assert cells(row)[5] == short(figure_text(one.accuracy))
            assert cells(row)[7:9] == [
                short(figure_text(one.kappa)),
                short(interval_text(one.kappa)),
            ]
        text = screen_text(app)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        assert f"{wanted.labels:,} labels on {wanted.answers:,} answers" in text
        assert f"{wanted.conflicts:,} labels in conflict left out" in text


async def test_confusion_tests_and_means_are_a_key_away(labelled: Desk) -> None:
    wanted = calibrate_judges(labelled.workspace)
    async with desk(labelled.folder, SIZES[1]) as (app, pilot):
        screen = await opened(app, pilot)
        for table in (judge_table(wanted, ""), difference_table(wanted), mean_table(wanted)):
            assert table.rows
            await pilot.press("b", "down", "enter")
            await until(
                pilot, lambda rows=table.rows: screen.list._source.rows(0, 99) == rows, "the table"
            )
        assert "PPI++" in screen.details.text
        await pilot.press("b", "up", "up", "enter")
        await until(pilot, lambda: "against the judge's" in screen.details.text, "the confusion")
        confusion = wanted.judges[0].metrics[1].confusion
        assert confusion is not None
        lines = screen.details.text.splitlines()
        head = next(at for at, line in enumerate(lines) if "against the judge's" in line)
        for line, counts in zip(lines[head + 2 :], confusion.counts, strict=False):
            assert [0 if one == "." else int(one) for one in line.split()[1:]] == list(counts)


@pytest.mark.parametrize(
    ("lang", "cells_shown"),
    [
        ("en", ("Funds x Extractive", "Rates x ")),
        ("zh", ("基金 x 抽取", "利率 x ")),
    ],
)
async def test_cells_go_by_their_names_and_their_figures_stay_in_line(
    labelled: Desk, monkeypatch: pytest.MonkeyPatch, lang: str, cells_shown: tuple[str, str]
) -> None:
    monkeypatch.setattr("tui.language.choice._chosen", lang)
    wanted = calibrate_judges(labelled.workspace).judges[0].metrics[0].cells
    async with desk(labelled.folder, SIZES[1]) as (app, pilot):
        screen = await opened(app, pilot)
        lines = screen.details.text.splitlines()
        shown = [line for line in lines if any(name in line for name in cells_shown)]
        assert len(shown) == len(wanted) == 2
        assert [line.split()[-3] for line in shown] == [str(cell.n) for cell in wanted]
        heading = tr("      n  accuracy   kappa")
        (head,) = (line for line in lines if line.endswith(heading))
        assert {cell_width(line) for line in shown} == {cell_width(head)}


def test_what_has_no_topic_says_so(labelled: Desk) -> None:
    names = cell_names(Reader(labelled.workspace.db).read(labelled.folder, 0))
    assert cell_text(names, "unassigned", "extractive").startswith("unassigned x Extractive")


def test_two_judges_are_told_apart_by_name_or_else_by_hash(labelled: Desk) -> None:
    first, *_ = difference_table(calibrate_judges(labelled.workspace)).rows
    assert cells(first)[0] == "rules - gpt"
    labelled.judge("gpt", temperature=1)
    hashed = calibrate_judges(labelled.workspace, judges=["rules", *_both(labelled, "gpt")])
    shown = {cells(row)[0] for row in difference_table(hashed).rows}
    assert len(shown) == 3
    assert all("gpt@" in text for text in shown)


def _both(made: Desk, name: str) -> list[str]:
    rows = made.workspace.db.execute("SELECT config_hash FROM judge WHERE name = ?", (name,))
    return [f"{name}@{short_hash(digest)}" for (digest,) in rows.fetchall()]


def test_a_judges_long_name_leaves_room_for_its_figures(labelled: Desk) -> None:
    labelled.judge("一个名字很长的裁判模型-2025-11-qwen2.5-72b")
    for metric in (None, ""):
        table = judge_table(calibrate_judges(labelled.workspace), metric)
        kept = fit_columns(table.columns, 78)
        assert sum(width + 2 for _, width in kept) - 2 <= 78
        labels = [table.columns[at].label for at, _ in kept]
        assert {"judge", "n", "acc.", "kappa"} <= set(labels)


def test_long_names_leave_room_for_coverage_and_errors() -> None:
    one = MetricCoverage("accuracy", 1, {ScoreState.ERROR: 1})
    covered = JudgeCoverage("gpt-4.1-mini-2025@d7a19dc8", "bm25-omnieval-finance@12", 1, (one,))
    table = coverage_table([covered])
    kept = fit_columns(table.columns, 78)
    assert sum(width + 2 for _, width in kept) - 2 <= 78
    labels = [table.columns[at].label for at, _ in kept]
    assert {"run", "judge", "coverage", "error"} <= set(labels)


async def test_it_is_said_when_labels_have_changed(labelled: Desk) -> None:
    async with desk(labelled.folder) as (app, pilot):
        screen = await opened(app, pilot)
        before = screen.calibration
        labelled.label("li", 0, (labelled.truth(0) + 1) % 3)
        await seen(pilot, "labels have changed since: ctrl+r computes again")
        assert screen.calibration is before
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.calibration is not before, "new figures")
        assert "labels have changed" not in screen_text(app)


async def test_the_last_audit_is_beside_its_judge(labelled: Desk) -> None:
    audit = audited(labelled.workspace, AuditPlan(labelled.rules, (labelled.run.id,)))
    with labelled.workspace.write() as db:
        audits.add(db, labelled.rules, audit.verdict, audit)
    async with desk(labelled.folder, SIZES[1]) as (app, pilot):
        screen = await opened(app, pilot)
        rows = [cells(row) for row in screen.list._source.rows(0, 9)]
        shown = {row[0].partition("@")[0]: row[2] for row in rows}
        assert shown == {name: audit.verdict if name == "rules" else "none" for name in shown}
        await until(pilot, lambda: "Agreement with people" in screen.details.text, "the audit")


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[Desk]:
    """Nobody has labelled; a judge has scored ten of thirty answers, in every state."""
    made = Desk(tmp_path / "w")
    with made.workspace:
        with made.workspace.write() as db:
            judge = stages.put_judge(db, "gpt", {"judge": "gpt", "kind": "model"})
            states = [*ScoreState][1:5] + [ScoreState.OK] * 6
            for answer, state in zip(made.answers, states, strict=False):
                value = 1.0 if state is ScoreState.OK else None
                score = MetricScore("accuracy", "standard", value, state, "why")
                stages.put_scores(db, answer, [score], judge_id=judge)
        yield made


@pytest.mark.parametrize("size", SIZES)
async def test_coverage_and_failures_are_shown_where_nobody_has_labelled(
    failing: Desk, size: tuple[int, int]
) -> None:
    async with desk(failing.folder, size) as (app, pilot):
        await pilot.press("f8", "J")
        text = await seen(pilot, "2 judges on 1 run")
        assert isinstance(app.screen, CalibrationScreen)
        (line,) = (line for line in text.splitlines() if "gpt@" in line)
        assert line.split()[-8:] == ["10.0", "%"] * 4
        assert "33 %" in line
        (line,) = (line for line in text.splitlines() if "rules@" in line and "100 %" in line)
        assert line.split()[-4:] == ["0"] * 4
        assert all(cell_width(line) <= size[0] for line in text.splitlines())
        keys = [row.key for row in app.screen.list._source.rows(0, 9)]
        app.screen.list.move_to(next(at for at, key in enumerate(keys) if "gpt@" in key))
        text = await seen(pilot, "10/30")
        assert "' lets the judge score what is missing" in text
        assert app.screen.run_name == "r"
