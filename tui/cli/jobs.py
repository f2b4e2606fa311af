"""Commands on background work: jobs list, show, pause, cancel, resume."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui.cli.command import Group, command, option
from tui.cli.options import ALL, BUDGET, budget_of, detach_option, workspace_of
from tui.cli.output import print_json, print_line, show, show_table
from tui.language import read, tr

if TYPE_CHECKING:
    from store.jobs.jobs import Job
    from store.workspace import Workspace


@command("list", "list the jobs, newest first", ALL)
def list_jobs(arguments: argparse.Namespace) -> int:
    from store.jobs import jobs
    from tui.live.titles import job_title

    with workspace_of(arguments) as workspace:
        listed = jobs.listing(workspace.db, archived=arguments.all)
        return show_table(
            arguments,
            {"jobs": [_as_json(workspace, job) for job in listed]},
            ("job", "what", "state", "done", "created", "by", "error"),
            [
                (
                    str(job.id),
                    f"{tr(job.kind)}: {job_title(job.title)}",
                    read(job.status),
                    _done(workspace, job),
                    job.created_at[:19].replace("T", " "),
                    job.account or "",
                    read(job.error or ""),
                )
                for job in listed
            ],
            empty=tr("No job yet."),
        )


_JOB_ARGUMENT = (option("JOB", "number of a job that `jobs list` lists"),)


@command("show", "show one job with what happened to it", *_JOB_ARGUMENT, example="3")
def show_job(arguments: argparse.Namespace) -> int:
    from store.jobs import jobs
    from tui.live.titles import job_title

    with workspace_of(arguments) as workspace:
        job = jobs.get(workspace.db, arguments.job)
        events = jobs.events(workspace.db, job.id)
        if arguments.json:
            print_json({**_as_json(workspace, job), "events": events})
            return 0
        what = f"{tr(job.kind)}: {job_title(job.title)}"
        print_line("job {id}  {what}", id=job.id, what=what)
        status = read(job.status)
        print_line("state {status}  {done}", status=status, done=_done(workspace, job))
        if job.account:
            print_line(
                "asked for by {account}{worked_by}",
                account=job.account,
                worked_by=_worked_by(workspace, job),
            )
        if job.error:
            reason = f"{job.error} {job.remedy or ''}".rstrip()
            print_line("error {reason}", reason=read(reason))
        for event in events:
            print(f"{event.at}  {tr(event.kind)}: {read(event.text)}")
    return 0


def _worked_by(workspace: Workspace, job: Job) -> str:
    """Says whose worker has the job, by whose keys it asks models."""
    from store.jobs import jobs

    worker = jobs.worker(workspace.db)
    if worker is None or job.claimed_by != worker.token or not worker.account:
        return ""
    return tr(", at work in a worker of {account}", account=worker.account)


@command("pause", "stop a job; resume goes on from there", *_JOB_ARGUMENT, example="3")
def pause_job(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "pause")


@command("cancel", "end a job; what it has done stays", *_JOB_ARGUMENT, example="3")
def cancel_job(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "cancel")


@command(
    "resume",
    "go on with a paused, failed, cancelled or interrupted job",
    *_JOB_ARGUMENT,
    *BUDGET,
    option("--retry-failed", "also repeat what failed"),
    detach_option(),
    example="3 --max-cost 5",
)
def resume_job(arguments: argparse.Namespace) -> int:
    from engine.jobs.operation import change_budget, retry_failed
    from engine.jobs.start import ensure_worker
    from store.jobs import jobs
    from store.records import JobState
    from tui.cli.follow import follow

    budget = budget_of(arguments)
    budget.check(None)
    with workspace_of(arguments) as workspace:
        number = arguments.job
        if arguments.retry_failed:
            number = retry_failed(workspace, number).id
        with workspace.write() as db:
            job = jobs.resume(db, number)
            change_budget(db, job, budget)
        if job.state in (JobState.QUEUED, JobState.RUNNING):
            ensure_worker(workspace)
        code = 0 if arguments.detach else follow(workspace, [job.id])
        _show_state(arguments, workspace, job.id)
        return code


def _ask(arguments: argparse.Namespace, request: str) -> int:
    from store.jobs import jobs

    with workspace_of(arguments) as workspace:
        with workspace.write() as db:
            jobs.ask(db, arguments.job, request)
        _show_state(arguments, workspace, arguments.job)
    return 0


def _show_state(arguments: argparse.Namespace, workspace: Workspace, job_id: int) -> None:
    from store.jobs import jobs

    job = jobs.get(workspace.db, job_id)
    show(
        arguments,
        _as_json(workspace, job),
        tr("job {id} is {status}", id=job.id, status=read(job.status)),
    )


def _done(workspace: Workspace, job: Job) -> str:
    from store.runs import runs

    if job.run_id is None:
        return "" if job.total is None else f"{job.done:,}/{job.total:,}"
    progress = runs.progress(workspace.db, job.run_id)
    return f"{progress.finished:,}/{progress.total:,}"


def _as_json(workspace: Workspace, job: Job) -> dict[str, object]:
    from store.runs import runs

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
        "account": job.account,
        "total": progress.total if progress else None,
        "finished": progress.finished if progress else None,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }


COMMANDS = (
    Group(
        "jobs",
        "look at background work and steer it",
        "COMMAND",
        (list_jobs, show_job, pause_job, cancel_job, resume_job),
    ),
)
