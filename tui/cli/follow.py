"""Watching jobs from the command line until they end, are paused, or Ctrl-C."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from engine.jobs.operation import stored_operation
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState
from store.runs import runs
from store.workspace import Workspace
from tui.cli.output import ProgressLine, say, show, tell
from tui.language import read, tr
from tui.live.reader import Pace

POLL_SECONDS = 0.1
START_SECONDS = 30.0
"""A worker that has not sat down by then did not start."""
EXIT_DONE, EXIT_FAILED, EXIT_PAUSED, EXIT_INTERRUPTED = 0, 1, 3, 130


def follow(workspace: Workspace, job_ids: Sequence[int]) -> int:
    """Shows the progress of jobs until none is at work; returns the exit code.

    The first Ctrl-C pauses them, so nothing is lost; a second leaves at
    once, and the worker finishes pausing by itself.
    """
    line = ProgressLine()
    rates = {job_id: Pace() for job_id in job_ids}
    watch = _WorkerWatch(workspace)
    try:
        while True:
            followed = [jobs.get(workspace.db, job_id) for job_id in job_ids]
            active = [job for job in followed if job.state in (JobState.QUEUED, JobState.RUNNING)]
            if not active:
                break
            line.show("   ".join(_line(workspace, job, rates[job.id]) for job in active))
            if watch.died():
                line.end()
                tell("The worker has ended; nothing that was done is lost.")
                tell("Go on with: ragdesk jobs resume {id}", id=active[0].id)
                return EXIT_FAILED
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return _pause(workspace, job_ids, line, watch)
    line.end()
    for job in followed:
        events = jobs.events(workspace.db, job.id)
        # each run of an experiment and each resumption says it anew
        for text in dict.fromkeys(event.text for event in events if event.kind == jobs.WARNING):
            tell("warning: {text}", text=text)
    return max(_verdict(workspace, job) for job in followed)


def show_queued(arguments: argparse.Namespace, job_id: int) -> int:
    """Prints the number of a job that nobody waits for; returns the exit code."""
    line = tr("job {job_id} is queued; see `ragdesk jobs show {job_id}`", job_id=job_id)
    return show(arguments, {"job": job_id}, line)


def _pause(
    workspace: Workspace, job_ids: Sequence[int], line: ProgressLine, watch: _WorkerWatch
) -> int:
    line.end(tr("Pausing; Ctrl-C again leaves at once."))
    paused = []
    with workspace.write() as db:
        for job_id in job_ids:
            if jobs.get(db, job_id).state in (JobState.QUEUED, JobState.RUNNING):
                paused.append(jobs.ask(db, job_id, "pause").id)
    try:
        while any(jobs.get(workspace.db, job_id).state is JobState.RUNNING for job_id in paused):
            if watch.died():
                break
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        pass
    for job_id in paused:
        tell("Go on with: ragdesk jobs resume {job_id}", job_id=job_id)
    return EXIT_INTERRUPTED


class _WorkerWatch:
    """Notices that a worker died which was seen at work; a seat that was dead before is not one,
    since the next worker takes a moment to sit down."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._seen: set[str] = set()
        self._since = time.monotonic()

    def died(self) -> bool:
        held = jobs.worker(self._workspace.db)
        if held is not None and held.alive:
            self._seen.add(held.token)
            self._since = time.monotonic()
            return False
        if held is not None and held.token in self._seen:
            return True
        return time.monotonic() - self._since > START_SECONDS


def _verdict(workspace: Workspace, job: Job) -> int:
    if job.state is JobState.DONE:
        return _done(workspace, job)
    if job.state is JobState.PAUSED:
        status = tr("Job {id} is {status}.", id=job.id, status=read(job.status))
        say(f"{status} {_why(job)}".rstrip())
        tell("Go on with: ragdesk jobs resume {id}", id=job.id)
        return EXIT_PAUSED
    status = tr(
        "Job {id} ({title}) is {status}.", id=job.id, title=read(job.title), status=read(job.status)
    )
    say(f"{status} {_why(job)}".rstrip())
    return EXIT_FAILED


def _why(job: Job) -> str:
    return read(f"{job.error} {job.remedy or ''}".rstrip()) if job.error else ""


def _done(workspace: Workspace, job: Job) -> int:
    """Returns the exit code of a job that is done: one that brought nothing has failed."""
    failure = stored_operation(job).failure(workspace.db, job.id)
    if not failure:
        return EXIT_DONE
    say(failure)
    return EXIT_FAILED


def _line(workspace: Workspace, job: Job, rate: Pace) -> str:
    title = read(job.title)
    if job.phase is not None and job.phase_total:
        return f"{title}: {tr(job.phase)} {job.phase_done:,}/{job.phase_total:,}"
    if job.run_id is not None:
        progress = runs.progress(workspace.db, job.run_id)
        done, total = progress.finished, progress.total
    else:
        done, total = job.done, job.total or 0
    if job.state is JobState.QUEUED or not total:
        return f"{title}: {read(job.status)}"
    pace = rate.per_second(done)
    text = f"{title}: {done:,}/{total:,}"
    if pace > 0:
        text += f", {pace:,.0f}/s, {tr('{seconds:,.0f} s left', seconds=(total - done) / pace)}"
    return text
