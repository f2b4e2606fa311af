"""Authoring in the app: three people at terminals, from documents to a matrix."""

from __future__ import annotations

from pathlib import Path

import pytest
from author_terminals import Draft, answer, at_step, next_item, told, write
from authoring_workspaces import Team, begin, make_banks
from desks import NARROW_THEN_WIDE
from label_sessions import at_label
from terminal import Terminal
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from engine.splitting.dataset import release_dataset
from store.datasets import revisions
from store.labels.log import reading
from store.labels.log.authoring import QUESTION
from store.labels.log.events import Subject
from store.records import ItemState
from store.verify import verify
from store.workspace import open_workspace


def evaluate(folder: Path, system: str, run: str, *, unanswered: bool = False) -> None:
    """Releases what is there, and has a system answer it."""
    with open_workspace(folder) as workspace:
        release_dataset(workspace, "team", unanswered=unanswered)
        queue(workspace, Evaluate(NewRun(system, "team", name=run)))
    work_here(folder)


@pytest.mark.parametrize("size", NARROW_THEN_WIDE)
def test_a_team_authors_items_that_are_evaluated_by_modality_and_hops(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = tmp_path / "w"
    with make_banks(folder) as workspace:
        subjects = begin(workspace, items=2, writers=("ann",), answerers=("cy",))
    keys = ["r-001", "r-002"]
    with at_step(folder, "ann", "r/question", size) as terminal:
        left = [*keys]
        for asked, kind in (("净息差是多少", "extr"), ("What did it pay its auditors", "no")):
            key = next_item(terminal, left)
            found = "1.92%" if "净息差" in terminal.text else "1.92 percent"
            spans = (found,) if kind == "extr" else ()
            write(terminal, Draft(f"{asked}, {key}?", kind, spans), 1)
        told(terminal, "0 wait for a question, 2 for an answer")
    evaluate(folder, "bm25", "first", unanswered=True)
    with at_step(folder, "cy", "r/answer", size) as terminal:
        left = [*keys]
        while left:
            next_item(terminal, left)
            text = terminal.text
            if size == (80, 24) and len(left) == 1:  # the text alone: there is no room for both
                terminal.press("w")
                terminal.settle()
                terminal.press("tab")
            terminal.wait_for(lambda text: "system A" in text or "系统 A" in text)
            answer(terminal, "" if "auditors" in text else "1.92%")
        told(terminal, "0 for an answer and 2 for the lead")
    with at_step(folder, "lin", "r/vetting", size) as terminal:
        left = [*keys]
        while left:
            next_item(terminal, left)
            terminal.settle(0.3)
            terminal.press("3")
        told(terminal, "2 are accepted")
    evaluate(folder, "bm25", "second")
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert [one for one in verify(db).checks if not one.ok] == []
        for subject in subjects:
            now = reading.authored(db, Subject("revision", subject))
            assert now.standing.state is ItemState.ACCEPTED
            authors = [line.author for line in revisions.history(db, now.item)]
            assert authors == ["lin", "ann", "cy"]
        view = run_matrix(db, "second", MetricQuery("accuracy", rows="modality", cols="hops"))
        assert view.matrix.rows.keys == ("text", "unassigned")
        assert view.matrix.cols.keys == ("single", "unassigned")


def typed(terminal: Terminal) -> None:
    terminal.press("e")
    terminal.wait_for("Esc review")
    terminal.press("净息差为何下降")
    terminal.wait_for("draft kept")
    terminal.settle(0.6)


@pytest.mark.parametrize("how", ["kill", "hang_up"])
def test_a_half_written_question_is_there_again_after_the_terminal_died(
    tmp_path: Path, how: str
) -> None:
    folder = tmp_path / "w"
    with make_banks(folder) as workspace:
        begin(workspace, items=3)
    with at_step(folder, "ann", "r/question") as terminal:
        typed(terminal)
        getattr(terminal, how)()
    with at_label(folder, "ann", "净息差为何下降"):
        pass
    with open_workspace(folder) as workspace:
        assert len(Team(workspace).at("ann", QUESTION).upcoming(9)) == 3


def test_the_lead_sends_back_with_a_reason_that_the_writer_reads(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    with make_banks(folder) as workspace:
        begin(workspace, items=1)
        team = Team(workspace)
        subject = team.given("ann", QUESTION)
        assert subject is not None
        team.writes("ann", subject)
        team.answers("cy", subject)
    with at_step(folder, "lin", "r/vetting") as terminal:
        terminal.wait_for("r-001")
        terminal.settle(0.3)
        terminal.press("1")
        terminal.wait_for("Enter saves")
        terminal.press("哪一年？", "enter")
        told(terminal, "1 wait for a question")
    with at_step(folder, "ann", "r/question") as terminal:
        terminal.wait_for("哪一年？")


def test_skipping_takes_a_reason_and_can_be_undone(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    with make_banks(folder) as workspace:
        begin(workspace, items=1)
    with at_step(folder, "ann", "r/question") as terminal:
        terminal.wait_for("r-001")
        terminal.press("x")
        terminal.wait_for("It is skipped, because")
        terminal.press("2")
        told(terminal, "1 discarded")
        terminal.press("u")
        terminal.wait_for("r-001")
        terminal.press("?")
        terminal.wait_for("Of an item: write a corrected version of it, or the")


def test_questions_that_wait_for_their_answer_are_released_for_systems(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    with make_banks(folder) as workspace:
        begin(workspace, items=1)
        team = Team(workspace)
        subject = team.given("ann", QUESTION)
        assert subject is not None
        team.writes("ann", subject)
    with at_step(folder, "cy", "r/answer") as terminal:
        terminal.wait_for("r-001")
        terminal.press("@")
        terminal.wait_for("with what is to be answered")
        terminal.press("enter")
        told(terminal, "Released team@1 with 1 item")
