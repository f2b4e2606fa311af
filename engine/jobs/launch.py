"""Starting the detached worker, and putting runs into its queue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from engine.order import stratified_order
from store import corpora, datasets, jobs, runs
from store.datasets import Release
from store.jobs import Job
from store.records import SystemConfig
from store.runs import Run, RunSettings
from store.workspace import Workspace

WORKER_LOG = "worker.log"


def queue_run(
    workspace: Workspace,
    release: Release,
    system: SystemConfig,
    *,
    name: str | None = None,
    seed: int = 0,
    repeats: int = 1,
) -> tuple[Run, Job]:
    """A new run of `system` over `release` with its job in the queue; no worker is started."""
    with workspace.write() as db:
        dataset = datasets.get_by_id(db, release.dataset_id)
        corpus = corpora.get_by_id(db, dataset.corpus_id)
        order = stratified_order(
            (
                (
                    (item.revision_id, len(item.content.turns)),
                    (item.content.topic, item.content.task),
                )
                for item in datasets.released_items(db, release.id)
            ),
            seed,
        )
        settings = RunSettings(
            seed=seed,
            repeats=repeats,
            corpus_fingerprint=corpora.fingerprint(db, corpus) if system.retriever else "",
        )
        wanted = name or runs.free_name(db, f"{system.name}-{release.label}")
        run = runs.create(db, wanted, release.id, system, settings, order)
        job = jobs.enqueue(db, "run", f"{system.name} on {release.label}", run_id=run.id)
    return run, job


def ensure_worker(workspace: Workspace) -> None:
    """Starts the workspace's worker unless one is alive.

    It gets a session of its own, so that closing the app or losing the SSH connection leaves it
    running. Two that start at once are harmless: the second finds the seat taken and ends.
    """
    held = jobs.worker(workspace.db)
    if held is not None and held.alive:
        return
    with (workspace.folder / WORKER_LOG).open("ab") as log:
        # -P: a folder called `store` or `engine` where the operator stands is never imported
        subprocess.Popen(
            [sys.executable, "-P", "-m", "engine.jobs.worker", str(workspace.folder.resolve())],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=Path("/") if sys.platform != "win32" else None,
        )
