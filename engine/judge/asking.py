"""A judge's judgements with the failure of a request among them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from engine.judge.base import Case, Judge, Judgement
from engine.models.chat import Ask, ChatReply, ChatRequest
from engine.models.errors import ModelError
from store.records import MetricScore, ScoreState


async def judgements(
    judge: Judge, case: Case, metrics: Collection[str], ask: Ask
) -> AsyncIterator[Judgement]:
    """Yields a judgement of each of the metrics; the failure of a request that the judge lets
    through becomes the state `error` of those that it has not given yet."""
    replies: list[ChatReply] = []

    async def keep(request: ChatRequest) -> ChatReply:
        replies.append(await ask(request))
        return replies[-1]

    left = dict.fromkeys(metrics)
    try:
        async for made in judge.judge(case, metrics, keep):
            del left[made.score.metric]
            yield made
    except ModelError as error:
        variants = {spec.name: spec.variant for spec in judge.metrics}
        for metric in left:
            reason = f"{error.kind}: {error}"
            score = MetricScore(metric, variants[metric], None, ScoreState.ERROR, reason)
            yield Judgement(score, replies=tuple(replies))
        return
    if left:
        raise RuntimeError(f"the judge gives no {', '.join(left)}, which it says that it gives")
