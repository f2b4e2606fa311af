"""The estimate of judging, found by letting the judge ask a counter in the place of its model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import asdict

from engine.jobs.operation import Estimate, Progress
from engine.jobs.request_count import NotAsked, RequestCount
from engine.judge.base import JudgeSpec
from engine.judge.cases import read_case, run_corpus
from engine.judge.registry import open_judge
from store.runs import judge_scores
from store.runs.judge_scores import Unjudged
from store.runs.runs import Run
from store.workspace import Workspace


class JudgeEstimate(Estimate, frozen=True, kw_only=True):
    """The cost of judging, without the second requests for replies that cannot be used."""

    answers: int
    """That lack a score of the judge."""
    scores: int
    """That would be given, those without a call included."""
    at_least: bool = False
    """Whether more will be asked that depends on replies which are not there yet."""


def estimate_judging(
    workspace: Workspace, run: Run, spec: JudgeSpec, progress: Progress
) -> JudgeEstimate:
    """Builds every prompt that is left to ask, as far as it is known, and counts it; asks no
    model, writes nothing. `progress` is given answers."""
    known = {judge.hash: judge.id for judge in judge_scores.of_run(workspace.db, run.id)}
    left = judge_scores.unjudged(
        workspace.db,
        run.id,
        known.get(spec.hash, -1),
        spec.metrics,
        spec.repeats,
        limit=judge_scores.total(workspace.db, run.id),
    )
    scores = sum(len(spec.metrics) * spec.repeats - len(answer.done) for answer in left)
    if spec.provider is None:
        return JudgeEstimate(answers=len(left), scores=scores)
    count = RequestCount(workspace, spec.provider)
    at_least = asyncio.run(_count_calls(workspace, run, spec, left, count, progress))
    return JudgeEstimate(
        **asdict(count.estimate), answers=len(left), scores=scores, at_least=at_least
    )


async def _count_calls(
    workspace: Workspace,
    run: Run,
    spec: JudgeSpec,
    left: Sequence[Unjudged],
    count: RequestCount,
    progress: Progress,
) -> bool:
    """Lets the judge ask a counter; returns whether some of its requests are not known yet."""
    judge = open_judge(workspace.folder, spec)
    corpus = run_corpus(workspace.db, run)
    at_least = False
    for number, answer in enumerate(left, 1):
        case = read_case(workspace.db, corpus, run.system, answer.prediction_id)
        for repeat in range(spec.repeats):
            lacking = [metric for metric in spec.metrics if (metric, repeat) not in answer.done]
            try:
                async for _ in judge.judge(case, lacking, partial(count.ask, repeat=repeat)):
                    pass
            except NotAsked:
                at_least = True
        progress(number, len(left))
    return at_least
