"""EKRAG by embedding (cosine) and by reranker (sigmoid of the logit): judges that compute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

import msgspec

from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.ekrag.known import known_score
from engine.judge.ekrag.metrics import CORRECTNESS, METRICS, RELEVANCE
from engine.judge.embedding import TextVectors
from engine.models.chat import Ask
from engine.retrieve.neural.cross_encoder import CrossEncoderReranker
from engine.retrieve.neural.weights import require_neural
from engine.retrieve.settings import check_weights
from store.records import MetricScore, ScoreState
from store.systems import RerankerConfig


class _Computing(ABC):
    """Each metric compares the answer with other texts."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = tuple(metric for metric in METRICS if metric.name in spec.metrics)

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        asked = [spec for spec in self.metrics if spec.name in metrics]
        known = {spec.name: known_score(case, spec) for spec in asked}
        compared = [name for name, score in known.items() if score is None]
        if compared:
            self._prepare(case, compared)
        for name, score in known.items():
            if score is None:
                value, remark = self._compare(case, name)
                score = MetricScore(name, "standard", value, ScoreState.OK, remark)
            yield Judgement(score)

    @abstractmethod
    def _prepare(self, case: Case, metrics: Sequence[str]) -> None:
        """Gets ready at once what `_compare` needs for these metrics."""

    @abstractmethod
    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        """The value of a metric, and what a reader must know of it."""


class EmbeddingJudge(_Computing):
    """The cosine of the answer's vector with that of the other text."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        super().__init__(spec)
        self._vectors = TextVectors(folder, spec.config)

    def _prepare(self, case: Case, metrics: Sequence[str]) -> None:
        # one request to an endpoint for all metrics of an answer
        others = (text for metric in metrics for text in self._others(case, metric))
        self._vectors.of([case.answer, *others])

    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        others = self._others(case, metric)
        if metric == CORRECTNESS:
            return self._vectors.cosine(case.answer, others), self._vectors.remark
        value = float(self._vectors.of([case.answer])[0] @ self._vectors.mean(others))
        mean = f"with the mean of {len(others)} passages, too long to be read together"
        remarks = (self._vectors.remark, mean if len(others) > 1 else "")
        return value, "; ".join(filter(None, remarks))

    def _others(self, case: Case, metric: str) -> list[str]:
        if metric == CORRECTNESS:
            return golden_answers(case)
        return self._vectors.read_as(context(case, metric))


class RerankerJudge(_Computing):
    """The sigmoid of what a cross-encoder gives for the answer, read before the other text."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        super().__init__(spec)
        require_neural()
        config = msgspec.convert(spec.config["reranker"], RerankerConfig)
        check_weights(folder, config)
        self._reranker = CrossEncoderReranker(config)

    def _prepare(self, case: Case, metrics: Sequence[str]) -> None:
        """Each pair is read by itself."""

    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        if metric == CORRECTNESS:
            others = golden_answers(case)
        else:
            others = ["\n\n".join(context(case, metric))]
        return max(self._reranker.probabilities(case.answer, others)), ""


def golden_answers(case: Case) -> list[str]:
    """Those that are not blank."""
    return [text for text in case.golden_answers if text.strip()]


def context(case: Case, metric: str) -> list[str]:
    """The texts that relevance or faithfulness compares an answer with."""
    passages = case.evidence if metric == RELEVANCE else case.passages
    return [passage.text for passage in passages]
