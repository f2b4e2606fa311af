"""The app over a real workspace, for tests: evaluated once, copied for each that changes it."""

from __future__ import annotations

import fcntl
import functools
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sample_workspaces import ITEMS, copy_workspace, make_sample_workspace
from terminal import PATIENCE
from textual.command import CommandList
from textual.pilot import Pilot

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from store.workspace import open_workspace
from tui.app import Ragdesk
from tui.live.watcher import Watcher
from tui.widgets.palette import Palette

SIZES = ((80, 24), (140, 40))
NARROW_THEN_WIDE = (SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.slow))
"""For what takes seconds: wide by name only."""
SYSTEMS = ("bm25", "closed-book")


@functools.cache
def sample_workspace(base: Path) -> Path:
    """The sample, released as `sample@1`; nothing evaluated. Made once, copied below `base`."""
    return _copy_of(base, "desk-sample", make_sample_workspace)


@functools.cache
def small_sample_workspace(base: Path) -> Path:
    """The same with the items of three topics, which have 59 turns: enough for what a run does
    while it is evaluated."""
    make = functools.partial(make_sample_workspace, items=ITEMS[:3])
    return _copy_of(base, "desk-small-sample", make)


@functools.cache
def evaluated_workspace(base: Path) -> Path:
    """The sample with two systems evaluated over it by the real worker. Made once, copied."""

    def make(folder: Path) -> Path:
        copy_workspace(sample_workspace(base), folder)
        with open_workspace(folder) as workspace:
            for name in SYSTEMS:
                queue(workspace, Evaluate(NewRun(name, "sample")))
        argv = [sys.executable, "-P", "-m", "engine.jobs.worker", str(folder)]
        subprocess.run(argv, check=True, timeout=240)
        return folder

    return _copy_of(base, "desk-evaluated", make)


def _copy_of(base: Path, name: str, make: Callable[[Path], Path]) -> Path:
    """A copy below `base` of what the first process of a run of the tests has made for all."""
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = shared / f"{name}-made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            begun = shared / f"{name}-begun"
            shutil.rmtree(begun, ignore_errors=True)  # of a process that did not end it
            make(begun).rename(made)
    return copy_workspace(made, base / name)


@asynccontextmanager
async def desk(
    folder: Path,
    size: tuple[int, int] = SIZES[0],
    *,
    keymap: dict[str, str] | None = None,
    rater: str = "tester",
) -> AsyncIterator[tuple[Ragdesk, Pilot[int]]]:
    """The app over a workspace, after its first look."""
    watcher = Watcher(folder, rater)
    watcher.start()
    assert watcher.first_look.wait(PATIENCE)
    app = Ragdesk(watcher, rater=rater, keymap=keymap)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def until(
    pilot: Pilot[int], condition: Callable[[], object], what: str, patience: float = PATIENCE
) -> None:
    """Let the app go on until `condition` holds; AssertionError, with the screen, if not."""
    deadline, rest = time.monotonic() + patience, 0.01
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come\n{screen_text(pilot.app)}"
        await pilot.pause(rest)
        # to look at the screen takes the app's own time
        rest = min(1.5 * rest, 0.1)
    await pilot.pause()


async def named(app: Ragdesk, pilot: Pilot[int], phrase: str) -> None:
    """Does what the palette finds first by these words."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, Palette), "the palette")
    await pilot.press(*("space" if sign == " " else sign for sign in phrase))
    lines = app.screen.query_one(CommandList)
    await until(
        pilot,
        lambda: lines.option_count and not any(one.is_running for one in app.workers),
        "what it finds",
    )
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(app.screen, Palette), "the end of the palette")


async def in_sight(pilot: Pilot[int]) -> None:
    """Until what is to be labelled has been painted: a value that is typed earlier does not
    count."""
    await until(pilot, lambda: pilot.app.screen.key_guard._seen_at < math.inf, "the sight of it")


async def seen(pilot: Pilot[int], wanted: str) -> str:
    """The screen, as soon as `wanted` is on it."""
    await until(pilot, lambda: wanted in screen_text(pilot.app), repr(wanted))
    return screen_text(pilot.app)


def screen_text(app: object) -> str:
    """What is drawn, as lines of text."""
    compositor = app.screen._compositor  # type: ignore[attr-defined]
    strips = compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
