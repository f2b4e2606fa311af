"""What a model says of each retrieved passage, and the score that comes of it: the mean."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.judge.base import Judgement
from engine.judge.model.replies import Judged
from engine.metrics.spec import MetricSpec, resolve
from engine.models.asking import Asked
from engine.prompts.templates import PromptText
from store.records import MetricScore, Passage, ScoreState

OF_PASSAGES = ("passage_relevance", "passage_necessity")


def asked_spec(metric: str) -> MetricSpec:
    """The spec of what a reply gives: for metrics of passages the steps of a single passage."""
    spec = resolve(metric)
    return replace(spec, values=(0.0, 1.0, 2.0)) if metric in OF_PASSAGES else spec


def joined(
    metric: str, prompt: PromptText, passages: Sequence[Passage], asked: Sequence[Asked[Judged]]
) -> Judgement:
    """The mean of the passages' values, with each of them in the details.

    A passage without a value leaves the metric without one, in the state of the first such one.
    """
    scores = [
        MetricScore(metric, "standard", None, ScoreState.ERROR, one.error)
        if one.read is None
        else one.read.score
        for one in asked
    ]
    values = [score.value for score in scores if score.value is not None]
    failed = [rank for rank, score in enumerate(scores, 1) if score.value is None]
    if failed:
        first = scores[failed[0] - 1]
        reason = f"passage {failed[0]} of {len(scores)}: {first.reason}"
        score = replace(first, reason=reason)
    else:
        said = ", ".join(f"{value:g}" for value in values)
        score = MetricScore(
            metric, "standard", sum(values) / len(values), ScoreState.OK, f"mean of {said}"
        )
    told = [
        {
            "text": f"{passage.title or passage.document_id[:8]}: {_shown(one)}",
            "value": one.value,
            "state": one.state.value,
            **({"reason": one.reason} if one.reason else {}),
        }
        for passage, one in zip(passages, scores, strict=True)
    ]
    return Judgement(
        score,
        prompt,
        tuple(reply for one in asked for reply in one.replies),
        any(one.read is not None and one.read.repaired for one in asked),
        {"passages": told},
    )


def _shown(score: MetricScore) -> str:
    return score.state.value if score.value is None else f"{score.value:g}"
