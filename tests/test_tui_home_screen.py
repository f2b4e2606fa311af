"""Home: what to do next is drafted from the store, and Enter does it."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import msgspec
import pytest
from desks import (
    SIZES,
    desk,
    evaluated_workspace,
    sample_workspace,
    screen_text,
    seen,
    small_sample_workspace,
    until,
)
from inspection_workspaces import inspection_workspace
from label_workspaces import label_workspace
from sample_workspaces import copy_workspace
from tiny_workspaces import make_corpus
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.session import LabelSession
from engine.taxonomy.classify_job import Classify
from engine.text.wrapping import cell_width
from store.datasets.coverage import CellCount
from store.datasets.datasets import Dataset, Release
from store.jobs import jobs
from store.jobs.jobs import Job
from store.labels.consensus import LabelCount
from store.labels.samples import samples
from store.labels.samples.quotas import FullQuota
from store.labels.samples.samples import Assignment, Candidate
from store.records import JobState, Task, Taxonomy, Topic
from store.runs.runs import Run, RunProgress, RunSettings
from store.systems import SystemConfig
from store.workspace import Workspace, open_workspace
from tui.app import Ragdesk
from tui.corpus.add_paths import AddPaths
from tui.home.coverage_map import coverage_matrix, empty_parts
from tui.home.next_steps import next_steps
from tui.label.inspect_screen import InspectScreen
from tui.label.label_screen import LabelScreen
from tui.label.timing import SETTLE_SECONDS
from tui.live.facts import DatasetFact, Facts, ToInspect, ToLabel, Waiting, WorkFact
from tui.live.labels import state_role, state_text, status_line
from tui.results.screen import ResultsScreen
from tui.runs.launch import LaunchScreen
from tui.widgets.bars import job_progress

TAXONOMY = Taxonomy(
    "tiny",
    "Tiny",
    (Topic("rates", "利率", "Rates"), Topic("funds", "基金", "Funds")),
    (Task("extractive", "抽取", "Extractive"), Task("dialogue", "对话", "Dialogue")),
)
RELEASE = Release(1, 1, "gold", 1, "2026-01-01T00:00:00.000Z", 9)


def dataset(*cells: CellCount, is_released: bool = True) -> DatasetFact:
    releases = (RELEASE,) if is_released else ()
    return DatasetFact(Dataset(1, "gold", 1, 1), "papers", TAXONOMY, releases, cells)


def work(number: int, status: str, state: JobState, error: str | None = None) -> WorkFact:
    run = Run(number, f"run-{number}", 1, SystemConfig("bm25"), RunSettings(), "")
    ended = "2026-01-01T00:00:00.000Z" if state is JobState.DONE else None
    job = Job(
        id=number,
        kind="run",
        title="bm25",
        run_id=number,
        params={},
        state=state,
        pause_reason=None,
        request=None,
        error=error,
        remedy=None,
        claimed_by=None,
        created_at="2026-01-01T00:00:00.000Z",
        started_at=None,
        finished_at=ended,
        done=0,
        total=None,
    )
    return WorkFact(run, "gold@1", job, RunProgress(ok=3, scored=3), 0.0, status)


def facts(*found: WorkFact, datasets: tuple[DatasetFact, ...] = (), **other: object) -> Facts:
    return Facts(Path("here"), True, 1, work=found, datasets=datasets, **other)  # type: ignore[arg-type]


def test_trouble_comes_first_then_what_has_finished() -> None:
    steps = next_steps(
        facts(
            work(3, "done", JobState.DONE),
            work(2, "interrupted", JobState.RUNNING),
            work(1, "failed", JobState.FAILED, "The corpus has changed."),
            datasets=(dataset(),),
        )
    )
    assert [step.key for step in steps] == ["runs run 2", "runs run 1", "results run 3"]
    assert steps[1].what == "run-1 is failed: The corpus has changed."


def items(waiting: int, done: int) -> Waiting:
    return Waiting("inspection", "revision", "", waiting, done)


def answers(sample: str, waiting: int, done: int = 0) -> Waiting:
    return Waiting("judge_labels", "prediction", sample, waiting, done)


def said(**known: object) -> list[tuple[str, str, str]]:
    return [(step.key, step.what, step.hint) for step in next_steps(facts(**known))]  # type: ignore[arg-type]


def test_what_waits_is_the_raters_own() -> None:
    assert said(
        inspection=ToInspect(900, 1000, 3),
        own=(items(1, 0), answers("first", 12, 1200), answers("done", 0, 5)),
    ) == [
        ("inspect", "1 item to inspect", "begin"),
        ("label first", "12 answers to label, first", "1,200 done by you; go on"),
    ]
    own = tuple(answers(name, 2) for name in "abcde")
    assert said(own=own)[-1] == ("label", "4 more to label in 2 samples", "S there chooses")


def test_a_rater_who_is_done_is_told_who_is_waited_for_and_what_to_do() -> None:
    own = (answers("first", 0, 8),)
    ((key, what, hint),) = said(own=own, to_label=(ToLabel("judge_labels", "prediction", 8, 11),))
    assert (key, what) == ("label", "You are done; 3 labels wait for others")
    assert hint == "+ there draws more"
    ((_, what, _),) = said(own=own, to_label=(ToLabel("judge_labels", "prediction", 8, 8),))
    assert what == "You are done, and so is everything that was drawn"


def test_a_rater_whose_quota_is_full_is_told_whom_to_ask() -> None:
    full = (FullQuota("judge_labels", "first", 8, ("chen",)),)
    assert said(own=(answers("first", 0, 8),), full=full) == [
        ("label first", "Your quota of 8 in first is full", "ask chen for more")
    ]
    assert said(own=(answers("first", 0),)) == [], "to someone who labels nothing it is no news"


def test_conflicts_are_offered_to_whom_they_are_open() -> None:
    def conflicts(total: int, to_rule: int) -> list[tuple[str, str, str]]:
        return said(labelled=(LabelCount("six_questions", 2, 9, 0, total, to_rule, 7),))

    assert conflicts(3, 1) == [
        ("conflicts six_questions", "1 label conflict, six_questions", "resolve them; 2 for others")
    ]
    assert conflicts(3, 0) == [
        (
            "differences six_questions",
            "3 conflicts for a third person, six_questions",
            "see what raters differ on",
        )
    ]


def test_own_work_comes_before_the_conflicts_of_others() -> None:
    steps = said(
        own=(answers("first", 12),),
        labelled=(LabelCount("six_questions", 2, 9, 0, 3, 1, 7),),
    )
    assert [key for key, *_ in steps] == ["label first", "conflicts six_questions"]


def test_who_is_named_nowhere_is_told_whose_the_samples_are() -> None:
    ((_, what, hint),) = said(others_named=("王芳", "li", "zhao", "a"))
    assert what == "The open samples are for 王芳, li, zhao and others"
    assert hint == "go on as one of them"


async def test_the_first_step_is_done_from_an_empty_folder(tmp_path: Path) -> None:
    async with desk(tmp_path / "new") as (app, pilot):
        await seen(pilot, "No workspace in")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AddPaths), "the question for files")
        await pilot.press("escape", "down", "enter")
        await seen(pilot, "Import what?")


@pytest.fixture
def topicless(workspace: Workspace) -> Path:
    """A corpus of which three documents of four have no topic."""
    with workspace.write() as db:
        corpus = make_corpus(db)
    queue(workspace, Classify(corpus.name, "omnieval"))
    work_here(workspace.folder)
    return workspace.folder


async def test_a_corpus_that_fits_no_topic_is_offered_some(topicless: Path) -> None:
    async with desk(topicless, (100, 30)) as (_, pilot):
        await seen(pilot, "3 of 4 documents of tiny fit no topic")
        await pilot.press("f2")
        await seen(pilot, "3 of 4 documents fit no topic of omnieval   * builds topics")
        await pilot.press("f1", "enter")
        await seen(pilot, "New topics for tiny")


def test_what_has_not_been_done_yet_is_named_with_what_does_it() -> None:
    steps = next_steps(facts(datasets=(dataset(),), sources=(("papers", 3), ("letters", 1200))))
    assert [(step.key, step.what) for step in steps] == [
        ("launch gold@1", "gold@1 is not evaluated yet"),
        ("corpus letters", "Corpus letters has 1,200 documents and no dataset"),
    ]
    (step,) = next_steps(facts(datasets=(dataset(is_released=False),)))
    assert (step.key, step.hint) == ("release gold", "release it")


def test_coverage_leaves_out_what_is_empty_and_says_so() -> None:
    cells = (CellCount("rates", "extractive", 4, 4), CellCount("unassigned", "extractive", 2, 2))
    fact = dataset(*cells)
    shown = coverage_matrix(fact)
    assert [heading.label for heading in shown.rows] == ["Rates", "unassigned"]
    assert [heading.label for heading in shown.columns] == ["Extractive"]
    assert (shown.total.value, shown.cells[0][0].value) == (6.0, 4.0)
    assert empty_parts(fact) == "1 topic and 1 task without items"
    assert (fact.filled_cells, fact.all_cells) == (1, 4)
    full = [CellCount(t, k, 1, 1) for t in ("rates", "funds") for k in ("extractive", "dialogue")]
    assert empty_parts(dataset(*full)) == ""


def test_the_top_line_counts_what_goes_on() -> None:
    line = status_line(
        facts(
            work(4, "running", JobState.RUNNING),
            work(3, "pausing", JobState.RUNNING),
            work(2, "no worker", JobState.QUEUED),
            work(1, "done", JobState.DONE),
        )
    )
    assert line.replace(" ∙ ", ", ").replace(" - ", ", ") == "2 running, 1 interrupted"
    assert status_line(facts()) == ""


@pytest.mark.parametrize("status", ["done", "failed", "interrupted", "no worker", "running"])
def test_states_align_whatever_their_sign(status: str) -> None:
    assert cell_width(state_text(work(1, status, JobState.DONE))) == cell_width(status) + 2


def test_what_is_done_and_lacks_something_is_marked() -> None:
    failed = work(1, "done", JobState.DONE)._replace(progress=RunProgress(ok=6, failed=3, scored=6))
    assert (failed.lack, state_text(failed), state_role(failed)) == (
        "3 failed",
        "! done, 3 failed",
        "warn",
    )
    job = failed.job
    assert job is not None
    short = failed._replace(
        run=None, job=msgspec.structs.replace(job, run_id=None, done=83, total=120)
    )
    assert state_text(short) == "! done, 37 short"
    assert job_progress(short).note == "! done, 37 short"
    assert short._replace(status="cancelled").lack == ""


async def test_the_job_of_a_line_is_paused_and_resumed_on_home(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = small_sample_workspace(tmp_path_factory.getbasetemp())
    folder = copy_workspace(made, tmp_path / "workspace")
    with open_workspace(folder) as workspace:
        job = queue(workspace, Evaluate(NewRun("bm25", "sample")))
        with workspace.write() as db:
            jobs.ask(db, job.id, "pause")
    async with desk(folder) as (app, pilot):
        await seen(pilot, "is paused by hand")
        await pilot.press("z")
        await until(pilot, lambda: app.facts.work[0].status == "done", "the end")
        await seen(pilot, "bm25-sample@1 finished")
        await pilot.press("z")
        await seen(pilot, "there is nothing to pause or to resume")


@pytest.fixture
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated_workspace(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("size", SIZES)
async def test_home_shows_next_steps_datasets_coverage_and_work(
    evaluated: Path, size: tuple[int, int]
) -> None:
    async with desk(evaluated, size) as (_, pilot):
        text = await seen(pilot, "Coverage of sample@1")
        assert "closed-book-sample@1 finished" in text
        assert "80/80" in text
        assert "272/272" in text
        assert "F2 Corpus  F3 Build  F4 Inspect" in text
        assert ("F9 Export" in text) == (size[0] > 120)
        assert all(cell_width(line) <= size[0] for line in text.splitlines())


async def test_enter_on_a_finished_run_shows_its_matrix(evaluated: Path) -> None:
    async with desk(evaluated) as (app, pilot):
        await seen(pilot, "bm25-sample@1 finished")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ResultsScreen), "Results")
        await seen(pilot, "bm25 (baseline) on sample@1")


async def test_enter_on_a_dataset_that_waits_opens_the_launch_dialog(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = sample_workspace(tmp_path_factory.getbasetemp())
    folder = copy_workspace(made, tmp_path / "workspace")
    async with desk(folder) as (app, pilot):
        await seen(pilot, "sample@1 is not evaluated yet")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LaunchScreen), "the dialog")
        assert "206 items" in screen_text(app)


async def test_enter_on_what_waits_for_inspection_opens_the_desk(tmp_path: Path) -> None:
    inspection_workspace(tmp_path / "ws", 8, documents=2, characters=300).close()
    async with desk(tmp_path / "ws") as (app, pilot):
        text = await seen(pilot, "8 items to inspect")
        assert "begin" in text
        await pilot.press("enter")
        await seen(pilot, "5 excellent")
        assert app.place == "inspect"


async def test_the_number_is_what_the_desk_hands_out_and_then_one_is_done(tmp_path: Path) -> None:
    """Two raters an item, of whom one has done three and holds a fourth; a hidden repeat."""
    with inspection_workspace(
        tmp_path / "ws", 4, documents=2, characters=300, raters_wanted=2
    ) as workspace:
        with workspace.write() as db:
            sample = samples.listing(db)[0]
            (first, _), *_ = samples.subjects(db, sample)
            cell = samples.taken(db, sample)[0]
            again = Candidate(f"{first}#1", cell.topic, cell.task)
            samples.add(db, sample, [Assignment(again, 2, repeats=first)])
        for rater in ("li", "王芳"):
            work = LabelSession(workspace, "inspection", rater)
            for at in range(3):
                queued = work.next()
                assert queued is not None
                if rater == "li" or at == 0:
                    work.set(queued.subject, "score", 4)
            work.next()
    async with desk(tmp_path / "ws") as (app, pilot):
        waiting = app.facts.own[0].waiting
        await seen(pilot, f"{waiting} items to inspect" if waiting > 1 else "1 item to inspect")
        await pilot.press("enter")
        await seen(pilot, "5 excellent")
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        handed = []
        await until(pilot, lambda: screen.opened is not None, "an item")
        while screen.opened is not None:
            handed.append(screen.opened.subject)
            # a value counts once what it is about has been seen
            await until(
                pilot,
                lambda: time.monotonic() > screen.key_guard._seen_at + SETTLE_SECONDS,
                "that it stands there",
            )
            await pilot.press("4")
            await until(
                pilot,
                lambda: screen.opened is None or screen.opened.subject != handed[-1],
                "the next",
            )
        assert len(handed) == waiting
        await seen(pilot, "No item waits for you")
        await pilot.press("f1")
        await seen(pilot, "You are done")
        assert app.facts.own[0] == ("inspection", "revision", "", 0, waiting)


async def test_home_opens_the_sample_that_it_names(tmp_path: Path) -> None:
    with label_workspace(tmp_path / "ws", 4, characters=200) as workspace:
        draw_sample(
            workspace, SampleRequest("第二批", "judge_labels", per_cell=1, runs=("rival-y-1",))
        )
    async with desk(tmp_path / "ws") as (app, pilot):
        await seen(pilot, "2 answers to label, 第二批")
        rows = app.screen.steps  # type: ignore[attr-defined]
        for name in ("第二批", "first"):
            await pilot.press("f1", "home")
            await until(pilot, lambda: app.place == "home", "Home")
            while rows.current.key != f"label {name}":
                await pilot.press("down")
            await pilot.press("enter")
            await until(pilot, functools.partial(at_sample, app, name), name)


def at_sample(app: Ragdesk, name: str) -> bool:
    return isinstance(app.screen, LabelScreen) and app.screen.sample.name == name
