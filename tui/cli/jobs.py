"""Commands on background work: jobs list, show, pause, cancel, resume."""

from __future__ import annotations

import argparse

from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState
from store.runs import runs
from store.workspace import Workspace, open_workspace
from tui.cli.follow import follow
from tui.cli.output import print_json, print_table, say


def list_jobs(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        found = jobs.listing(workspace.db, archived=arguments.all)
        if arguments.json:
            print_json({"jobs": [_as_json(workspace, job) for job in found]})
            return 0
        if not found:
            say("No job yet.")
            return 0
        print_table(
            ("job", "what", "state", "done", "created", "error"),
            [
                (
                    str(job.id),
                    f"{job.kind}: {job.title}",
                    job.status,
                    _done(workspace, job),
                    job.created_at[:19].replace("T", " "),
                    job.error or "",
                )
                for job in found
            ],
        )
    return 0


def show_job(arguments: argparse.Namespace) -> int:
    with open_workspace(arguments.workspace) as workspace:
        job = jobs.get(workspace.db, arguments.job)
        happened = jobs.events(workspace.db, job.id)
        if arguments.json:
            print_json({**_as_json(workspace, job), "events": happened})
            return 0
        print(f"job {job.id}  {job.kind}: {job.title}")
        print(f"state {job.status}  {_done(workspace, job)}")
        if job.error:
            print(f"error {job.error} {job.remedy or ''}".rstrip())
        for event in happened:
            print(f"{event.at}  {event.kind}: {event.text}")
    return 0


def pause_job(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "pause")


def cancel_job(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "cancel")


def resume_job(arguments: argparse.Namespace) -> int:
    from engine.jobs.launch import JobBudget, check_budget, ensure_worker, retry_failed
    from engine.judge.launch import retry_judging

    check_budget(JobBudget(arguments.max_tokens, arguments.max_cost), None)
    with open_workspace(arguments.workspace) as workspace:
        number = arguments.job
        if arguments.retry_failed:
            is_judging = jobs.get(workspace.db, number).kind == "judge"
            retry = retry_judging if is_judging else retry_failed
            number = retry(workspace, number).id
        with workspace.write() as db:
            job = jobs.get(db, number)
            bounds = {"max_tokens": arguments.max_tokens, "max_cost": arguments.max_cost}
            given = {name: value for name, value in bounds.items() if value is not None}
            if given:
                jobs.set_params(db, job.id, {**job.params, **given})
            job = jobs.resume(db, job.id)
        if job.state in (JobState.QUEUED, JobState.RUNNING):
            ensure_worker(workspace)
        code = 0 if arguments.detach else follow(workspace, [job.id])
        _show_state(arguments, workspace, job.id)
        return code


def _ask(arguments: argparse.Namespace, request: str) -> int:
    with open_workspace(arguments.workspace) as workspace:
        with workspace.write() as db:
            jobs.ask(db, arguments.job, request)
        _show_state(arguments, workspace, arguments.job)
    return 0


def _show_state(arguments: argparse.Namespace, workspace: Workspace, job_id: int) -> None:
    job = jobs.get(workspace.db, job_id)
    if arguments.json:
        print_json(_as_json(workspace, job))
    else:
        print(f"job {job.id} is {job.status}")


def _done(workspace: Workspace, job: Job) -> str:
    if job.run_id is None:
        return "" if job.total is None else f"{job.done:,}/{job.total:,}"
    progress = runs.progress(workspace.db, job.run_id)
    return f"{progress.finished:,}/{progress.total:,}"


def _as_json(workspace: Workspace, job: Job) -> dict[str, object]:
    progress = runs.progress(workspace.db, job.run_id) if job.run_id is not None else None
    return {
        "id": job.id,
        "kind": job.kind,
        "title": job.title,
        "run": runs.get(workspace.db, job.run_id).name if job.run_id is not None else None,
        "state": job.state,
        "status": job.status,
        "pause_reason": job.pause_reason,
        "error": job.error,
        "remedy": job.remedy,
        "total": progress.total if progress else None,
        "finished": progress.finished if progress else None,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }
