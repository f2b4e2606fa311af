"""Similarity of an answer to the nearest golden answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path

from engine.judge.applies import not_applicable
from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.embedding import TextVectors, embedding_of
from engine.judge.similarity.bertscore import bert_score
from engine.judge.similarity.metrics import METRICS, SENTENCE
from engine.models.chat import Ask
from engine.retrieve.settings import check_weights
from store.records import MetricScore, ScoreState

_CUT = "the model did not read the texts to their end"


class SimilarityJudge:
    """Computes; of several golden answers each metric takes the best."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        self.metrics = tuple(metric for metric in METRICS if metric.name in spec.metrics)
        self._vectors = TextVectors(folder, spec.config)
        self._embedding = embedding_of(spec.config)
        if self._embedding is not None and not self._embedding.provider:
            check_weights(folder, self._embedding)
        self._layer = spec.config["layer"]

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        outside = not_applicable(case, self.metrics[0])
        golden = [text for text in case.golden_answers if text.strip()]
        asked_of_tokens = [metric for metric in metrics if metric != SENTENCE]
        tokens: dict[str, float] = {}
        remark = ""
        if outside is None and case.answer.strip() and asked_of_tokens:
            tokens, remark = self._bert_scores(case.answer, golden)
        for metric in metrics:
            if outside is not None:
                score = MetricScore(metric, "standard", None, outside.state, outside.reason)
            elif not case.answer.strip():
                score = MetricScore(metric, "standard", 0.0, ScoreState.OK, "the answer is empty")
            elif metric == SENTENCE:
                value = self._vectors.cosine(case.answer, golden)
                score = MetricScore(metric, "standard", value, ScoreState.OK, self._vectors.remark)
            else:
                score = MetricScore(metric, "standard", tokens[metric], ScoreState.OK, remark)
            yield Judgement(score)

    def _bert_scores(self, answer: str, golden: list[str]) -> tuple[dict[str, float], str]:
        """The values by metric, and what a reader must know of them."""
        from engine.retrieve.neural.token_model import token_vectors

        assert self._embedding is not None, "the settings refuse BERTScore by the stand-in"
        first, *others = token_vectors(self._embedding, [answer, *golden], self._layer)
        scores = [bert_score(first, other) for other in others]
        values = {
            "bertscore_precision": max(score.precision for score in scores),
            "bertscore_recall": max(score.recall for score in scores),
            "bertscore_f1": max(score.f1 for score in scores),
        }
        return values, _CUT if any(text.is_cut for text in (first, *others)) else ""
