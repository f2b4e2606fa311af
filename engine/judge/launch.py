"""Putting judging jobs into the queue, and saying beforehand what they would take."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from engine.evaluate.estimate import NotAsked, RequestCount
from engine.jobs.launch import JobBudget, check_budget, check_key
from engine.judge.base import JudgeSpec
from engine.judge.cases import read_case, run_corpus
from engine.judge.judge_job import JudgeParams
from engine.judge.registry import find_judge, open_judge
from store.errors import Conflict, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.messages import choices
from store.records import NO_ANSWERS, JobState
from store.runs import judge_scores, runs, stages
from store.runs.judge_scores import Unjudged
from store.runs.runs import Run
from store.workspace import Workspace


class JudgeEstimate(msgspec.Struct, frozen=True):
    """What judging would take. Tokens and cost are those of the calls that the cache does not
    save; replies that cannot be used are asked for once more, which nobody can foresee."""

    answers: int
    """That lack a score of the judge."""
    scores: int
    """That would be given, those without a call included."""
    calls: int
    cached: int
    """Calls whose replies are there already."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    currency: str | None = None
    at_least: bool = False
    """Whether more will be asked that depends on replies which are not there yet."""


class JudgingAsked(msgspec.Struct, frozen=True):
    """What a judging was asked for, found in the workspace."""

    run: Run
    judge: JudgeSpec
    metrics: tuple[str, ...]


def queue_judging(
    workspace: Workspace,
    run_name: str,
    judge_name: str,
    *,
    metrics: Sequence[str] = (),
    budget: JobBudget | None = None,
) -> Job:
    """A job that gives every answer of a run the scores of a judge; no worker is started.

    The judge's settings, prompts and examples are frozen with it. Raises what `check_judging`
    raises.
    """
    budget = budget or JobBudget()
    asked = check_judging(workspace, run_name, judge_name, metrics=metrics, budget=budget)
    run, spec = asked.run, asked.judge
    with workspace.write() as db:
        judge_id = stages.put_judge(db, spec.name, spec.config)
        params = JudgeParams(
            run=run.id,
            judge_id=judge_id,
            kind=spec.kind,
            metrics=asked.metrics,
            repeats=spec.repeats,
            provider=spec.provider,
            max_tokens=budget.max_tokens,
            max_cost=budget.max_cost,
        )
        _refuse_at_work(db, run, spec)
        title = f"{spec.name} on {run.name}"
        return jobs.enqueue(db, "judge", title, params=msgspec.to_builtins(params))


def check_judging(
    workspace: Workspace,
    run_name: str,
    judge_name: str,
    *,
    metrics: Sequence[str] = (),
    budget: JobBudget,
) -> JudgingAsked:
    """What `queue_judging` would queue; changes nothing.

    Raises NotFound for an unknown run or judge, UsageError for a metric that the judge does not
    give, for a run without answers, and for a budget that cannot be kept, InputError when the
    model's key is not in the environment, Conflict when that judge is at work on that run.
    """
    asked = _find(workspace, run_name, judge_name, metrics)
    check_budget(budget, asked.judge.provider)
    if asked.judge.provider is not None:
        check_key(asked.judge.provider)
    _refuse_at_work(workspace.db, asked.run, asked.judge)
    return asked


def estimate_judging(
    workspace: Workspace,
    run_name: str,
    judge_name: str,
    *,
    metrics: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> JudgeEstimate:
    """Builds every prompt that is left to ask, as far as it is known, and counts it; asks no
    model, writes nothing."""
    asked = _find(workspace, run_name, judge_name, metrics)
    run, spec, wanted = asked.run, asked.judge, asked.metrics
    known = {judge.hash: judge.id for judge in judge_scores.of_run(workspace.db, run.id)}
    judge_id = known.get(spec.hash, -1)
    left = judge_scores.unjudged(
        workspace.db,
        run.id,
        judge_id,
        wanted,
        spec.repeats,
        limit=judge_scores.total(workspace.db, run.id),
    )
    scores = sum(len(wanted) * spec.repeats - len(one.done) for one in left)
    if spec.provider is None:
        return JudgeEstimate(len(left), scores, 0, 0)
    count = RequestCount(workspace, spec.provider)
    at_least = asyncio.run(_count_calls(workspace, asked, left, count, progress))
    prices = spec.provider.prices
    return JudgeEstimate(
        len(left),
        scores,
        count.calls,
        count.cached,
        count.tokens_in,
        count.tokens_out,
        count.cost if prices else None,
        prices.currency if prices else None,
        at_least,
    )


async def _count_calls(
    workspace: Workspace,
    asked: JudgingAsked,
    left: Sequence[Unjudged],
    count: RequestCount,
    progress: Callable[[int, int], None],
) -> bool:
    """Lets the judge ask a counter; returns whether some of its requests are not known yet."""
    judge = open_judge(workspace.folder, asked.judge)
    corpus = run_corpus(workspace.db, asked.run)
    at_least = False
    for number, answer in enumerate(left, 1):
        case = read_case(workspace.db, corpus, asked.run.system, answer.prediction_id)
        for repeat in range(asked.judge.repeats):
            lacking = [metric for metric in asked.metrics if (metric, repeat) not in answer.done]
            try:
                async for _ in judge.judge(case, lacking, partial(count.ask, repeat=repeat)):
                    pass
            except NotAsked:
                at_least = True
        progress(number, len(left))
    return at_least


def retry_judging(workspace: Workspace, job_id: int) -> Job:
    """Asks again for the scores of a judging job that failed for want of a reply.

    A job that is done stays as it is and gets a successor. Raises Conflict when the job is at
    work, is no judging, or nothing failed in it.
    """
    with workspace.write() as db:
        job = jobs.get(db, job_id)
        if job.state is JobState.RUNNING and not job.interrupted:
            raise Conflict(f"Job {job_id} is at work.", "Wait until it is done, or pause it.")
        params = msgspec.convert(job.params, JudgeParams)
        failed = judge_scores.reopen_failed(db, params.run, params.judge_id)
        if not failed:
            raise Conflict(f"Nothing failed in job {job_id}.")
        if job.state is JobState.DONE:
            job = jobs.enqueue(db, job.kind, job.title, params=job.params)
        else:
            job = jobs.resume(db, job_id)
        jobs.note(db, job.id, "retry", f"asks again for {failed} scores that had failed")
    return job


def _find(
    workspace: Workspace, run_name: str, judge_name: str, metrics: Sequence[str]
) -> JudgingAsked:
    run = runs.get(workspace.db, run_name)
    spec = find_judge(workspace.folder, judge_name)
    unknown = [metric for metric in metrics if metric not in spec.metrics]
    if unknown:
        raise UsageError(
            f"Judge {spec.name!r} does not give {unknown[0]!r}.",
            choices(unknown[0], spec.metrics, "It gives"),
        )
    if run.system.generator == NO_ANSWERS:
        raise UsageError(f"Run {run.name!r} only retrieves: there is no answer to judge.")
    wanted = tuple(one for one in spec.metrics if one in metrics or not metrics)
    return JudgingAsked(run, spec, wanted)


def _refuse_at_work(db: sqlite3.Connection, run: Run, spec: JudgeSpec) -> None:
    for job in jobs.listing(db):
        if job.kind == "judge" and job.state in (JobState.QUEUED, JobState.RUNNING):
            params = msgspec.convert(job.params, JudgeParams)
            at_work = judge_scores.get(db, params.judge_id).hash == spec.hash
            if params.run == run.id and at_work:
                raise Conflict(
                    f"Judge {spec.name!r} is at work on run {run.name!r} already, as job {job.id}.",
                    f"See `ragdesk jobs show {job.id}`.",
                )
