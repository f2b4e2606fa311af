"""Starting the detached worker, and putting runs into its queue."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec

from engine.answer_prompt import load_answer_prompts
from engine.models.settings import Provider, providers
from engine.order import stratified_order
from store import corpora, datasets, jobs, runs
from store.datasets import Release
from store.jobs import Job
from store.records import SystemConfig
from store.runs import Run, RunSettings
from store.workspace import Workspace

WORKER_LOG = "worker.log"


class JobBudget(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a job may spend before it pauses; null means no bound. Cached replies are free."""

    max_tokens: int | None = None
    max_cost: float | None = None
    """In the currency of the provider's prices."""


def queue_run(
    workspace: Workspace,
    release: Release,
    system: SystemConfig,
    *,
    name: str | None = None,
    seed: int = 0,
    repeats: int = 1,
    budget: JobBudget | None = None,
) -> tuple[Run, Job]:
    """A new run of `system` over `release` with its job in the queue; no worker is started.

    The provider's settings and the prompt texts are frozen with it. Raises InputError when the
    provider's key is not in the environment.
    """
    provider = answering_provider(workspace, system)
    with workspace.write() as db:
        dataset = datasets.get_by_id(db, release.dataset_id)
        corpus = corpora.get_by_id(db, dataset.corpus_id)
        order = release_order(db, release, seed)
        settings = RunSettings(
            seed=seed,
            repeats=repeats,
            corpus_fingerprint=corpora.fingerprint(db, corpus) if system.retriever else "",
            provider=msgspec.to_builtins(provider) if provider else None,
            prompts=answer_prompts(workspace, system, release.id) if provider else {},
        )
        wanted = name or runs.free_name(db, f"{system.name}-{release.label}")
        run = runs.create(db, wanted, release.id, system, settings, order)
        job = jobs.enqueue(
            db,
            "run",
            f"{system.name} on {release.label}",
            params=msgspec.to_builtins(budget or JobBudget()),
            run_id=run.id,
        )
    return run, job


def release_order(db: sqlite3.Connection, release: Release, seed: int) -> list[tuple[int, int]]:
    """(revision number, turns) of a release's items in the order in which a run works them."""
    return stratified_order(
        (
            (
                (item.revision_id, len(item.content.turns)),
                (item.content.topic, item.content.task),
            )
            for item in datasets.released_items(db, release.id)
        ),
        seed,
    )


def answering_provider(workspace: Workspace, system: SystemConfig) -> Provider | None:
    """The provider that answers for `system`; None when an offline generator does."""
    found = providers(workspace.folder).get(system.generator)
    return None if found is None or found.kind == "offline" else found


def answer_prompts(workspace: Workspace, system: SystemConfig, release_id: int) -> dict[str, str]:
    tasks = {item.content.task for item in datasets.released_items(workspace.db, release_id)}
    return load_answer_prompts(workspace.folder, sorted(tasks), closed_book=not system.retriever)


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
