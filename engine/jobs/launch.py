"""Starting the detached worker, and putting runs into its queue."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec

from engine.answer.prompt import load_answer_prompts
from engine.evaluate.order import stratified_order
from engine.models.keys import read_key
from engine.models.settings import Provider, providers
from store.corpora import corpora
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import Conflict, InputError, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState, SystemConfig
from store.runs import runs
from store.runs.runs import Run, RunSettings
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

    The provider's settings and the prompt texts are frozen with it. Raises what `check_run` raises.
    """
    budget = budget or JobBudget()
    provider = check_run(workspace, release, system, name=name, budget=budget)
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
        wanted = name if name is not None else runs.free_name(db, f"{system.name}-{release.label}")
        run = runs.create(db, wanted, release.id, system, settings, order)
        job = jobs.enqueue(
            db,
            "run",
            f"{system.name} on {release.label}",
            params=msgspec.to_builtins(budget),
            run_id=run.id,
        )
    return run, job


def check_run(
    workspace: Workspace,
    release: Release,
    system: SystemConfig,
    *,
    name: str | None,
    budget: JobBudget,
) -> Provider | None:
    """The provider that will answer, none where an offline generator does; changes nothing.

    Raises UsageError for a name that a run cannot have and for a budget that cannot be kept,
    InputError when the provider's key is not in the environment and when there is nothing to
    retrieve from.
    """
    provider = answering_provider(workspace, system)
    check_budget(budget, provider)
    if provider is not None:
        check_key(provider)
    if name is not None:
        runs.check_name(workspace.db, name)
    if system.retriever:
        dataset = datasets.get_by_id(workspace.db, release.dataset_id)
        corpus = corpora.get_by_id(workspace.db, dataset.corpus_id)
        if corpora.is_empty(workspace.db, corpus):
            raise corpora.empty_corpus(corpus)
    return provider


def retry_failed(workspace: Workspace, job_id: int) -> Job:
    """The job that asks again for what failed in the run of job `job_id`, back in the queue.

    A job that is done stays as it is, and its run gets another. Raises Conflict when the job is
    still at work, is no run, nothing failed in it, or its run was imported.
    """
    with workspace.write() as db:
        job = jobs.get(db, job_id)
        if job.state is JobState.RUNNING and not job.interrupted:
            raise Conflict(f"Job {job_id} is at work.", "Wait until it is done, or pause it.")
        if job.run_id is not None and runs.get(db, job.run_id).system.is_imported:
            raise Conflict(
                f"What failed in job {job_id} was imported as failed.",
                "Ask the system itself again, and import its answers as a new run.",
            )
        kinds = {} if job.run_id is None else runs.reopen_failed(db, job.run_id)
        if not kinds:
            raise Conflict(f"Nothing failed in job {job_id}.")
        if job.state is JobState.DONE:
            job = jobs.enqueue(db, job.kind, job.title, params=job.params, run_id=job.run_id)
        else:
            job = jobs.resume(db, job_id)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        jobs.note(db, job.id, "retry", f"asks again for what had failed: {counts}")
    return job


def check_budget(budget: JobBudget, provider: Provider | None) -> None:
    """Raises UsageError for a bound that is not positive, or on money without any prices."""
    for name, bound in (("--max-tokens", budget.max_tokens), ("--max-cost", budget.max_cost)):
        if bound is not None and not bound > 0:
            raise UsageError(f"{name} is {bound:g}.", "Use a number above 0.")
    if budget.max_cost is not None and provider is not None and provider.prices is None:
        raise UsageError(
            f"--max-cost needs prices, and provider {provider.name} states none.",
            f"State them in ragdesk.toml under [providers.{provider.name}.prices], or use"
            " --max-tokens.",
        )


def check_key(provider: Provider) -> None:
    """Raises InputError when the provider's key is not in the environment."""
    if not provider.api_key_env:
        return
    try:
        read_key(provider.api_key_env, os.environ)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"Provider {provider.name}: {error.args[0]}.",
            f"Set it first: export {provider.api_key_env}=...",
        ) from None


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
