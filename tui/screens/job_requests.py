"""The actions on jobs: queue, pause, resume, cancel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from engine.jobs.operation import Operation, retry_failed
from engine.jobs.start import QueueQuery, ensure_worker
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState
from store.workspace import Workspace
from tui.language import tr
from tui.live.facts import WorkFact
from tui.screens.confirm import confirm
from tui.screens.host import Host

ENDED = (JobState.DONE, JobState.CANCELLED, JobState.FAILED)


def queue_job(
    host: Host, what: str, operation: Operation, done: Callable[[Job], Awaitable[None] | None]
) -> None:
    """Has the operation checked and queued beside the app, since checking one may import what does
    it; `done` gets its job. `what` names it while that is waited for."""
    host.ask(tr("queueing {what}", what=what), QueueQuery.of(operation), done)


def pause_or_resume(host: Host, fact: WorkFact) -> None:
    """Pauses or resumes the job, or tries again what failed in it; says so when none of these is
    possible."""
    if fact.job is None:
        return
    job_id = fact.job.id
    if fact.status in ("pausing", "cancelling") or fact.can_resume:
        _ask(host, "resuming", lambda workspace: _resume(workspace, job_id))
    elif fact.failed:
        _ask(host, "resuming", lambda workspace: _retry(workspace, job_id))
    elif fact.is_active:
        _ask(host, "pausing", lambda workspace: _request(workspace, job_id, "pause"))
    else:
        host.advise(
            "{title} is {status}; there is nothing to pause or to resume.",
            title=fact.title,
            status=fact.status,
        )


def idle_keys(scope: str, fact: WorkFact | None) -> set[str]:
    """The ids of the actions of a place on a job that would do nothing to this one."""
    idle = set()
    can_stop = fact is not None and fact.job is not None and fact.job.state not in ENDED
    if fact is None or not (fact.is_active or fact.can_resume or fact.failed):
        idle.add(f"{scope}.pause")
    if not can_stop:
        idle.add(f"{scope}.cancel")
    return idle


def cancel(host: Host, fact: WorkFact) -> None:
    """Cancels the job after a confirmation."""
    if fact.job is None:
        return
    job_id = fact.job.id
    if fact.job.state in ENDED:
        host.advise(
            "{title} is {status}; there is nothing to cancel.", title=fact.title, status=fact.status
        )
        return
    confirm(
        host,
        tr("Cancel {title}?", title=fact.title),
        tr("{kept} The rest is not done; z can resume it later.", kept=_kept(fact)),
        tr("cancel it"),
        lambda: _ask(host, "cancelling", lambda workspace: _request(workspace, job_id, "cancel")),
    )


def _ask(host: Host, what: str, task: Callable[[Workspace], Job]) -> None:
    host.in_thread(what, task, lambda job: None)


def _kept(fact: WorkFact) -> str:
    """Describes the work that remains when the job is cancelled."""
    if fact.run is None:
        return tr("Finished work stays.")
    return tr("{done:,} of {total:,} answers are done and stay.", done=fact.done, total=fact.total)


def _request(workspace: Workspace, job_id: int, request: str) -> Job:
    with workspace.write() as db:
        return jobs.ask(db, job_id, request)


def _retry(workspace: Workspace, job_id: int) -> Job:
    return _resume(workspace, retry_failed(workspace, job_id).id)


def _resume(workspace: Workspace, job_id: int) -> Job:
    with workspace.write() as db:
        job = jobs.resume(db, job_id)
    ensure_worker(workspace)
    return job
