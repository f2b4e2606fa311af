"""The judge of claims: metrics of one answer, counted from claims and their verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection

from engine.judge.applies import not_applicable
from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.claims.asked import AskedChecker
from engine.judge.claims.computed import ComputedChecker, by_words
from engine.judge.claims.metrics import METRICS, ClaimMetric, NoValue, Part
from engine.judge.claims.steps import Checked, Checker, Step, Steps, details_of, verdicts_of
from engine.judge.templates import Templates
from engine.models.chat import Ask
from store.records import MetricScore, ScoreState


class ClaimsJudge:
    """Each metric asks only for the claims and verdicts that it is counted from; those that several
    metrics share are asked for once."""

    def __init__(self, metrics: Collection[str], checker: Callable[[Ask], Checker]) -> None:
        self.metrics = tuple(METRICS[name].spec for name in metrics)
        self._checker = checker

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        checker = self._checker(ask)
        steps = Steps(case, checker)
        for name in metrics:
            outside = not_applicable(case, METRICS[name].spec)
            if outside is not None:
                yield Judgement(outside)
            else:
                yield await _judgement(METRICS[name], steps, checker.made_by)
        if isinstance(checker, AskedChecker) and checker.not_asked is not None:
            raise checker.not_asked


def open_claims_judge(spec: JudgeSpec) -> ClaimsJudge:
    """The judge, from its stored configuration."""
    config = spec.config
    if spec.provider is None:
        return ClaimsJudge(spec.metrics, lambda ask: ComputedChecker(by_words))
    templates = Templates.of_config(config)
    return ClaimsJudge(
        spec.metrics,
        lambda ask: AskedChecker(
            ask,
            templates,
            config["claims_per_request"],
            config["temperature"],
            config["max_tokens"],
        ),
    )


async def _judgement(metric: ClaimMetric, steps: Steps, made_by: str) -> Judgement:
    done: list[Step[Checked]] = []
    parts: dict[Part, Checked] = {}
    for part in metric.parts:
        done.append(await steps.part(part))
        if (checked := done[-1].value) is None:
            break
        parts[part] = checked
    last = done[-1].after(*done[:-1])
    return Judgement(
        _failed(metric, last) if last.value is None else _score(metric, parts),
        last.prompt,
        last.replies,
        last.repaired,
        details_of(parts) | ({"made_by": made_by} if made_by else {}) or None,
    )


def _score(metric: ClaimMetric, parts: dict[Part, Checked]) -> MetricScore:
    name = metric.spec.name
    try:
        value = metric.value(verdicts_of(parts))
    except NoValue as error:
        return MetricScore(name, "standard", None, ScoreState.NA, str(error))
    return MetricScore(name, "standard", value, reason=_counts(parts))


def _failed(metric: ClaimMetric, step: Step[Checked]) -> MetricScore:
    return MetricScore(metric.spec.name, "standard", None, step.state, step.reason)


def _counts(parts: dict[Part, Checked]) -> str:
    """How many claims hold by what, in words."""
    return "; ".join(
        f"{sum('entailed' in said for said in zip(*checked.by_text, strict=True))} of"
        f" {len(checked.claims)} {_SAID[part]}"
        for part, checked in parts.items()
    )


_SAID: dict[Part, str] = {
    "answer": "claims of the answer are in the golden answer",
    "golden": "claims of the golden answer are in the answer",
    "answer_in": "claims of the answer are in passages",
    "golden_in": "claims of the golden answer are in passages",
    "keypoints": "keypoints are in the answer",
}
