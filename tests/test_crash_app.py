"""The app killed at any moment harms nothing: what it launched is worked to its end without it."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

import pytest
from desks import evaluated_workspace, small_sample_workspace
from sample_workspaces import all_scores, copy_workspace
from scripted_rater import wait_until
from terminal import RAGDESK, Terminal

from engine.jobs.start import ensure_worker
from store.jobs import jobs
from store.records import JobState
from store.runs import runs
from store.verify import verify
from store.workspace import open_workspace

LAUNCHES = {"bm25": ("+",), "closed-book": ("down", "down", "down", "+")}
"""What to press in the dialog to start a run of the system."""


def opened(folder: Path) -> Terminal:
    """The app over the workspace. It stands in the folder, and with it what computes for it, but
    not the worker."""
    return Terminal([*RAGDESK, "--workspace", "."], folder=folder, columns=120, lines=40)


def launch_and_be_killed(
    folder: Path, system: str, draw: random.Random, *, once_stored: bool = False
) -> None:
    """At any moment from the key that starts the run on, or from the run on that it has stored."""
    with opened(folder) as terminal:
        terminal.wait_for("What next")
        assert standing_in(folder)
        terminal.press("+")
        terminal.wait_for("Released dataset")
        terminal.press(*LAUNCHES[system])
        if once_stored:
            with open_workspace(folder) as workspace:
                wait_until(lambda: runs.listing(workspace.db), "the run")
        time.sleep(draw.uniform(0, 0.5))
        terminal.kill()


def watch_and_be_killed(folder: Path, draw: random.Random) -> None:
    """At any moment from the opening on, while going from place to place."""
    with opened(folder) as terminal:
        time.sleep(draw.uniform(0, 0.6))
        for key in draw.sample(["f1", "f5", "f6", "m", "enter", "escape"], 4):
            terminal.press(key)
            time.sleep(draw.uniform(0, 0.15))
        terminal.kill()


def assert_in_order(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        report = verify(workspace.db)
        assert report.ok, report
        for run in runs.listing(workspace.db):
            progress = runs.progress(workspace.db, run.id)
            assert progress.total == 59
            assert progress.scored <= progress.ok + progress.refused
            assert jobs.of_run(workspace.db, run.id) is not None


def standing_in(folder: Path) -> list[str]:
    """The processes whose working directory the folder is."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if entry.readlink() == folder:
                found.append(entry.parent.name)
    return found


@pytest.mark.parametrize("kills", [pytest.param(3), pytest.param(20, marks=pytest.mark.slow)])
def test_kills_at_random_moments_harm_nothing(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, kills: int
) -> None:
    base = tmp_path_factory.getbasetemp()
    undisturbed = evaluated_workspace(base)
    folder = copy_workspace(small_sample_workspace(base), tmp_path / "workspace")
    draw = random.Random(11)
    for kill in range(kills):
        if kill % 2 == 0:
            launch_and_be_killed(folder, draw.choice([*LAUNCHES]), draw, once_stored=kill == 0)
        else:
            watch_and_be_killed(folder, draw)
        assert_in_order(folder)
    finish(folder)
    assert_in_order(folder)
    found = all_scores(folder)
    asked = {row[1] for row in found}
    expected = {
        name: [
            row[1:]
            for row in all_scores(undisturbed)
            if row[0] == f"{name}-sample@1" and row[1] in asked
        ]
        for name in LAUNCHES
    }
    with open_workspace(folder) as workspace:
        launched = runs.listing(workspace.db)
    assert launched
    for run in launched:
        assert [row[1:] for row in found if row[0] == run.name] == expected[run.system.name]
    print(f"\n{kills} kills of the app: {len(launched)} runs launched, all with their scores")
    wait_until(lambda: not standing_in(folder), "the end of all that computed for the app")


def finish(folder: Path) -> None:
    """Wait for the worker that the killed apps have left behind.

    An app that was killed after it queued a run and before it started a worker leaves the run in
    the queue; only then is one started here, as `ragdesk jobs resume` does.
    """
    with open_workspace(folder) as workspace:
        deadline = time.monotonic() + 120
        while any(job.state is not JobState.DONE for job in jobs.listing(workspace.db)):
            assert time.monotonic() < deadline, [job.status for job in jobs.listing(workspace.db)]
            held = jobs.worker(workspace.db)
            if held is None or not held.alive:
                time.sleep(2.0)
                ensure_worker(workspace)
            time.sleep(0.1)
