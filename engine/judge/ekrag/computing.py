"""EKRAG by embedding (cosine) and by reranker (sigmoid of the logit): judges that compute."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path

import msgspec

from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.ekrag.known import known_score
from engine.judge.ekrag.metrics import CORRECTNESS, METRICS, RELEVANCE
from engine.judge.embedding import TextVectors
from engine.models.chat import Ask
from engine.retrieve.neural.cross_encoder import CrossEncoderReranker
from engine.retrieve.neural.weights import require_neural
from store.records import MetricScore, RerankerConfig, ScoreState


class _Computing:
    """Each metric compares the answer with other texts."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = tuple(metric for metric in METRICS if metric.name in spec.metrics)

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        for spec in self.metrics:
            if spec.name in metrics:
                score = known_score(case, spec)
                if score is None:
                    value, remark = self._compare(case, spec.name)
                    score = MetricScore(spec.name, "standard", value, ScoreState.OK, remark)
                yield Judgement(score)

    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        """The value of a metric, and what a reader must know of it."""
        raise NotImplementedError


class EmbeddingJudge(_Computing):
    """The cosine of the answer's vector with that of the other text."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        super().__init__(spec)
        self._vectors = TextVectors(folder, spec.config)

    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        if metric == CORRECTNESS:
            golden = [text for text in case.golden_answers if text.strip()]
            return self._vectors.cosine(case.answer, golden), self._vectors.remark
        passages = context(case, metric)
        vector, is_mean = self._vectors.of_passages(passages)
        value = float(self._vectors.of([case.answer])[0] @ vector)
        mean = f"with the mean of {len(passages)} passages, too long to be read together"
        return value, "; ".join(filter(None, (self._vectors.remark, mean if is_mean else "")))


class RerankerJudge(_Computing):
    """The sigmoid of what a cross-encoder gives for the answer, read before the other text."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        super().__init__(spec)
        require_neural()
        self._reranker = CrossEncoderReranker(
            msgspec.convert(spec.config["reranker"], RerankerConfig)
        )

    def _compare(self, case: Case, metric: str) -> tuple[float, str]:
        if metric == CORRECTNESS:
            others = [text for text in case.golden_answers if text.strip()]
        else:
            others = ["\n\n".join(context(case, metric))]
        return max(self._reranker.probabilities(case.answer, others)), ""


def context(case: Case, metric: str) -> list[str]:
    """The texts that relevance or faithfulness compares an answer with."""
    passages = case.evidence if metric == RELEVANCE else case.passages
    return [passage.text for passage in passages]
