"""The judge of claims: metrics of one answer, counted from claims and their verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.judge.applies import not_applicable
from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.claims.asked import AskedChecker
from engine.judge.claims.computed import ComputedChecker, Support, by_similarity, by_words
from engine.judge.claims.metrics import METRICS, ClaimMetric, NoValue, Part
from engine.judge.claims.steps import Checked, Checker, Step, Steps, details_of, verdicts_of
from engine.judge.embedding import TextVectors, embedding_of
from engine.judge.templates import Templates
from engine.models.chat import Ask
from engine.prompts.languages import by_lang
from store.records import Lang, MetricScore, ScoreState


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
                yield await _judgement(METRICS[name], steps, checker.stand_in, case.lang)
        if isinstance(checker, AskedChecker) and checker.not_asked is not None:
            raise checker.not_asked


def open_claims_judge(folder: Path, spec: JudgeSpec) -> ClaimsJudge:
    """The judge, from its stored configuration."""
    config = spec.config
    if spec.provider is None:
        support, stand_in = _support(folder, config)
        return ClaimsJudge(spec.metrics, lambda ask: ComputedChecker(support, stand_in))
    templates = Templates.of_config(config)
    return ClaimsJudge(
        spec.metrics,
        lambda ask: AskedChecker(
            ask,
            templates,
            config["claims_per_request"],
            config["temperature"],
            config["max_tokens"],
            config.get("json_schema", False),
        ),
    )


def _support(folder: Path, config: Mapping[str, Any]) -> tuple[Support, str]:
    """What stands in for a model's verdicts, and what it is called."""
    if config["support"] == "words":
        return by_words, "rules"
    vectors = TextVectors(folder, config)
    embedding = embedding_of(config)
    name = embedding.name if embedding else f"LSA of corpus {config['corpus']}"
    return by_similarity(vectors.of, config["least_similarity"]), f"rules and the cosine by {name}"


async def _judgement(metric: ClaimMetric, steps: Steps, stand_in: str, lang: Lang) -> Judgement:
    done: list[Step[Checked]] = []
    parts: dict[Part, Checked] = {}
    for part in metric.parts:
        done.append(await steps.part(part))
        if (checked := done[-1].value) is None:
            break
        parts[part] = checked
    last = done[-1].after(*done[:-1])
    return Judgement(
        _failed(metric, last) if last.value is None else _score(metric, parts, lang),
        last.prompt,
        last.replies,
        last.repaired,
        details_of(parts) | ({"stand_in": stand_in} if stand_in else {}) or None,
    )


def _score(metric: ClaimMetric, parts: dict[Part, Checked], lang: Lang) -> MetricScore:
    name = metric.spec.name
    try:
        value = metric.value(verdicts_of(parts))
    except NoValue as error:
        return MetricScore(name, "standard", None, ScoreState.NA, str(error))
    return MetricScore(name, "standard", value, reason=_counts(parts, lang))


def _failed(metric: ClaimMetric, step: Step[Checked]) -> MetricScore:
    return MetricScore(metric.spec.name, "standard", None, step.state, step.reason)


def _counts(parts: dict[Part, Checked], lang: Lang) -> str:
    """How many claims hold by what, in the item's language."""
    words = by_lang(lang, _ZH, _EN)
    return words.between.join(
        words.of.format(
            held=sum("entailed" in said for said in zip(*checked.by_text, strict=True)),
            all=len(checked.claims),
            what=words.what[part],
        )
        for part, checked in parts.items()
    )


class _Words(NamedTuple):
    of: str
    between: str
    what: dict[Part, str]


_EN = _Words(
    "{held} of {all} {what}",
    "; ",
    {
        "answer": "claims of the answer are in the golden answer",
        "golden": "claims of the golden answer are in the answer",
        "answer_in": "claims of the answer are in passages",
        "golden_in": "claims of the golden answer are in passages",
        "keypoints": "keypoints are in the answer",
    },
)
_ZH = _Words(
    "{what}：{held}/{all}",
    "；",
    {
        "answer": "回答的断言见于标准答案",
        "golden": "标准答案的断言见于回答",
        "answer_in": "回答的断言见于检索文档",
        "golden_in": "标准答案的断言见于检索文档",
        "keypoints": "要点见于回答",
    },
)
