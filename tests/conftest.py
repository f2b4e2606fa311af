"""Fixtures for tests of the store: an empty workspace, a tiny corpus, a tiny released dataset."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage

import pytest
from hypothesis import settings
from process_template import SOCKET_VARIABLE, offer_template, use_template
from small_disk import SmallDisk, mounted
from tiny_workspaces import (
    Released,
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
)
from workspace_template import MADE_VARIABLE, use_made_workspace

from store.corpora.corpora import Corpus
from store.runs.runs import Run
from store.workspace import Workspace, open_workspace

# the tests start hundreds of processes, and none is to compile every module anew
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# the tests read what is said in English, whoever runs them; those of Chinese say so
os.environ["RAGDESK_LANG"] = "en"

# `nohup` has the tests ignore a lost line, which the programs on their terminals would inherit
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# a workspace waits for the disk at every commit, which memory does not make it do; a killed process
# loses neither
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and disk_usage(_MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# most of what a new process computes is imports, so the tests' processes are forks of one
if "PYTEST_XDIST_WORKER" not in os.environ:
    offer_template()
    os.environ[MADE_VARIABLE] = str(Path(os.environ[SOCKET_VARIABLE]).parent / "workspace")
use_template()

# making a workspace applies every migration, which takes longer than most tests
use_made_workspace()

_LONG = ("test_tui_", "test_team", "test_stored_work", "test_wheel")

# no test is timed: how long an example takes says more of the machine than of what is tested
settings.register_profile("ragdesk", max_examples=40, deadline=None)
settings.load_profile("ragdesk")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collects tests, which stay to the end: no collector need look through them for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begins with the files that take longest, so that short ones are left for the end, which waits
    for the last file alone."""
    items.sort(key=lambda item: not item.path.name.startswith(_LONG))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A new, empty workspace in a folder of its own."""
    with open_workspace(tmp_path / "workspace", create=True) as opened:
        yield opened


@pytest.fixture
def made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """New workspaces are made by all migrations, as on a person's machine."""
    monkeypatch.delenv(MADE_VARIABLE)


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interface speaks Chinese, where it chooses the language as it shows something."""
    monkeypatch.setattr("tui.language.choice._chosen", "zh")


@pytest.fixture
def corpus(workspace: Workspace) -> Corpus:
    """Four short texts, English and Chinese, cut into chunks of twelve characters."""
    with workspace.write() as db:
        return make_corpus(db)


@pytest.fixture
def released(workspace: Workspace, corpus: Corpus) -> Released:
    """Two single questions and a dialogue of three turns, released as `gold@1`."""
    with workspace.write() as db:
        return make_release(db, corpus)


@pytest.fixture
def run(workspace: Workspace, released: Released) -> Run:
    """A run over the released dataset with all five predictions pending."""
    with workspace.write() as db:
        return make_run(db, released)


@pytest.fixture
def scored(workspace: Workspace, run: Run) -> Workspace:
    """Its predictions are answered, and scored by F1."""
    with workspace.write() as db:
        for number in prediction_ids(db, run):
            answer_and_score(db, number, [f1(0.5)])
    return workspace


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """An empty file system of eight megabytes."""
    yield from mounted(tmp_path / "disk")
