"""The estimate of judging, found by letting the judge ask a counter in the place of its model."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import asdict, replace

from engine.jobs.operation import Estimate, Progress
from engine.jobs.request_count import NotAsked, RequestCount
from engine.judge.base import Case, Judge, JudgeSpec
from engine.judge.cases import case_ahead, read_case
from engine.judge.family import shared_families
from engine.judge.registry import open_judge
from store.datasets import datasets
from store.datasets.datasets import Release
from store.records import ReleasedItem
from store.runs import judge_scores, results
from store.runs.judge_scores import Unjudged
from store.runs.runs import Run
from store.systems import SystemConfig
from store.workspace import Workspace


class JudgeEstimate(Estimate, frozen=True, kw_only=True):
    """The cost of judging, without the second requests for replies that cannot be used."""

    answers: int
    """That lack a score of the judge."""
    scores: int
    """That would be given, those without a call included."""
    at_least: bool = False
    """Whether more will be asked that depends on replies which are not there yet."""
    same_family: tuple[str, ...] = ()
    """The families of models that both judge and have answered."""
    embeds_at: str = ""
    """The provider that is asked for vectors beside that, a request an answer at the most; several
    with commas."""


def estimate_judging(
    workspace: Workspace, run: Run, spec: JudgeSpec, progress: Progress
) -> JudgeEstimate:
    """Builds every prompt that is left to ask, as far as it is known, and counts it; asks no
    model, writes nothing. `progress` is given answers. What a judge's members would take is part
    of what it would take."""
    judges = (*spec.members, spec)
    parts = [_estimate_one(workspace, run, one, progress) for one in judges]
    models = (one.provider.model for one in judges if one.provider is not None)
    return replace(
        total(parts), answers=parts[-1].answers, same_family=shared_families(models, run)
    )


def estimate_ahead(
    workspace: Workspace,
    system: SystemConfig,
    release: Release,
    items: Sequence[ReleasedItem],
    repeats: int,
    spec: JudgeSpec,
) -> JudgeEstimate:
    """The same of a run that is not there yet, with `repeats` answers to each turn of the items:
    golden answers and their evidence stand in for what the system will give."""
    corpus = datasets.corpus_of(workspace.db, release.id)
    cases = [
        case_ahead(workspace.db, corpus, system, item.content, turn)
        for item in items
        for turn in range(len(item.content.turns))
    ]
    judges = (*spec.members, spec)
    parts = [asyncio.run(_count_ahead(workspace, one, cases, repeats)) for one in judges]
    return replace(total(parts), answers=len(cases) * repeats)


async def _count_ahead(
    workspace: Workspace, spec: JudgeSpec, cases: Sequence[Case], repeats: int
) -> JudgeEstimate:
    times = repeats * spec.repeats
    scores = len(cases) * times * len(spec.metrics)
    if spec.provider is None:
        return JudgeEstimate(answers=len(cases), scores=scores, embeds_at=spec.embeds_at)
    count = RequestCount(workspace, spec.provider)
    judge = open_judge(workspace.folder, spec)
    at_least = False
    for case in cases:
        for repeat in range(times):
            at_least |= await count_case(judge, case, spec.metrics, count, repeat)
    return JudgeEstimate(
        **asdict(count.estimate), answers=len(cases), scores=scores, at_least=at_least
    )


def total(parts: Sequence[JudgeEstimate]) -> JudgeEstimate:
    """Returns the sum of several estimates; a cost in several currencies is unknown."""
    return JudgeEstimate(
        **asdict(Estimate.total([part for part in parts if part.calls])),
        answers=sum(part.answers for part in parts),
        scores=sum(part.scores for part in parts),
        at_least=any(part.at_least for part in parts),
        same_family=tuple(sorted({one for part in parts for one in part.same_family})),
        embeds_at=", ".join(dict.fromkeys(part.embeds_at for part in parts if part.embeds_at)),
    )


def _estimate_one(
    workspace: Workspace, run: Run, spec: JudgeSpec, progress: Progress
) -> JudgeEstimate:
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
        return JudgeEstimate(answers=len(left), scores=scores, embeds_at=spec.embeds_at)
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
    corpus = datasets.corpus_of(workspace.db, run.release_id)
    at_least = False
    for number, answer in enumerate(left, 1):
        case = read_case(workspace.db, corpus, run.system, answer.prediction_id)
        unused = results.unused_metrics(workspace.db, answer.prediction_id, spec.metrics)
        used = [metric for metric in spec.metrics if metric not in unused]
        for repeat in range(spec.repeats):
            lacking = [metric for metric in used if (metric, repeat) not in answer.done]
            at_least |= await count_case(judge, case, lacking, count, repeat)
        progress(number, len(left))
    return at_least


async def count_case(
    judge: Judge, case: Case, metrics: Collection[str], count: RequestCount, repeat: int
) -> bool:
    """Counts what is asked of one answer; whether some of it is not known yet."""
    try:
        async for _ in judge.judge(case, metrics, partial(count.ask, repeat=repeat)):
            pass
    except NotAsked:
        return True
    return False
