"""Home: what to do next is drafted from the store, and Enter does it."""

from __future__ import annotations

from pathlib import Path

import pytest
from desks import SIZES, desk, evaluated_workspace, sample_workspace, screen_text, seen, until
from inspection_workspaces import inspection_workspace
from sample_workspaces import copy_workspace

from store.coverage import CellCount
from store.datasets import Dataset, Release
from store.jobs import Job
from store.records import JobState, SystemConfig, Task, Taxonomy, Topic
from store.runs import Run, RunProgress, RunSettings
from tui.home.coverage_map import coverage_matrix, empty_parts
from tui.home.next_steps import next_steps
from tui.live.facts import DatasetFact, Facts, WorkFact
from tui.live.words import state_text, status_line
from tui.results.screen import ResultsScreen
from tui.runs.launch import LaunchScreen
from tui.wrap import cell_width

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
        lease_until=None,
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


def test_what_has_not_been_done_yet_is_named_with_what_does_it() -> None:
    steps = next_steps(facts(datasets=(dataset(),), sources=(("papers", 3), ("letters", 1200))))
    assert [(step.key, step.what) for step in steps] == [
        ("launch gold@1", "gold@1 is not evaluated yet"),
        ("corpus letters", "Corpus letters has 1,200 documents and no dataset"),
    ]
    (step,) = next_steps(facts(datasets=(dataset(is_released=False),)))
    assert step.hint == "ragdesk release --dataset gold"


def test_coverage_leaves_out_what_is_empty_and_says_so() -> None:
    cells = (CellCount("rates", "extractive", 4, 4), CellCount("unassigned", "extractive", 2, 2))
    fact = dataset(*cells)
    shown = coverage_matrix(fact)
    assert [heading.label for heading in shown.rows] == ["利率", "unassigned"]
    assert [heading.label for heading in shown.columns] == ["抽取"]
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
    assert cell_width(state_text(status)) == cell_width(status) + 2


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
