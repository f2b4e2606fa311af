"""Commands that evaluate: systems, run, runs."""

from __future__ import annotations

import argparse

from store.errors import UsageError
from store.workspace import Workspace, open_workspace
from tui.cli.follow import follow
from tui.cli.output import print_json, print_table, say


def list_systems(arguments: argparse.Namespace) -> int:
    from engine.systems import systems

    found = list(systems(arguments.workspace).values())
    if arguments.json:
        print_json({"systems": found})
        return 0
    print_table(
        ("system", "retriever", "generator", "top-k", "history", "description"),
        [
            (
                system.name,
                system.retriever or "none",
                system.generator,
                str(system.top_k),
                system.history,
                ("baseline: " if system.baseline else "") + system.description,
            )
            for system in found
        ],
    )
    return 0


def run(arguments: argparse.Namespace) -> int:
    from engine.jobs.launch import ensure_worker, queue_run
    from engine.systems import find_system
    from store import datasets

    if arguments.repeats < 1:
        raise UsageError(f"--repeats is {arguments.repeats}.", "Use 1 or more.")
    with open_workspace(arguments.workspace) as workspace:
        system = find_system(workspace.folder, arguments.system)
        release = datasets.find_release(workspace.db, arguments.dataset)
        made, job = queue_run(
            workspace,
            release,
            system,
            name=arguments.name,
            seed=arguments.seed,
            repeats=arguments.repeats,
        )
        ensure_worker(workspace)
        if arguments.detach:
            return _announce(arguments, workspace, made.name, job.id)
        code = follow(workspace, [job.id])
        if arguments.json:
            print_json(run_as_json(workspace, made.name))
        elif code == 0:
            print(f"run {made.name} is done")
            print(f"next: ragdesk matrix {made.name} --metric f1")
        return code


def _announce(arguments: argparse.Namespace, workspace: Workspace, name: str, job: int) -> int:
    if arguments.json:
        print_json(run_as_json(workspace, name))
    else:
        print(f"run {name} is job {job}; watch it with `ragdesk jobs show {job}`")
    return 0


def list_runs(arguments: argparse.Namespace) -> int:
    from store import runs

    with open_workspace(arguments.workspace) as workspace:
        found = [run_as_json(workspace, run.name) for run in runs.listing(workspace.db)]
    if arguments.json:
        print_json({"runs": found})
        return 0
    if not found:
        say("No run yet. Start one: ragdesk run --system bm25 --dataset NAME")
        return 0
    print_table(
        ("run", "name", "system", "dataset", "state", "done", "refused", "failed", "of"),
        [
            (
                str(run["id"]),
                run["name"],
                run["system"] + (" (baseline)" if run["baseline"] else ""),
                run["dataset"],
                run["state"],
                f"{run['finished']:,}",
                f"{run['refused']:,}",
                f"{run['failed']:,}",
                f"{run['total']:,}",
            )
            for run in found
        ],
    )
    return 0


def run_as_json(workspace: Workspace, name: str) -> dict[str, object]:
    """What is known of a run: what it ran, how far it is, the state of its latest job."""
    from store import datasets, jobs, runs

    run = runs.get(workspace.db, name)
    progress = runs.progress(workspace.db, run.id)
    job = jobs.of_run(workspace.db, run.id)
    return {
        "id": run.id,
        "name": run.name,
        "system": run.system.name,
        "baseline": run.system.baseline,
        "dataset": datasets.release_by_id(workspace.db, run.release_id).label,
        "job": job.id if job else None,
        "state": job.status if job else "imported",
        "total": progress.total,
        "finished": progress.finished,
        "pending": progress.pending,
        "ok": progress.ok,
        "refused": progress.refused,
        "failed": progress.failed,
        "created_at": run.created_at,
    }
