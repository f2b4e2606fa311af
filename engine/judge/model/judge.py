"""A model as a judge: one prompt a metric, and once more when its reply cannot be used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Any

from msgspec.structs import replace

from engine.judge.applies import known_scores
from engine.judge.asking import ask_twice
from engine.judge.base import Case, Judgement, JudgeSpec, specs_of
from engine.judge.documents import fitted
from engine.judge.model.asking import JudgePrompts, judge_request, mending_words
from engine.judge.model.replies import read_judgement
from engine.metrics.spec import resolve
from engine.models.chat import Ask
from engine.prompts.templates import PromptText
from store.records import MetricScore, ScoreState


class ModelJudge:
    """Metrics that do not apply are not asked about, and a failed one does not stop the others."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = specs_of(spec.metrics)
        self._prompts = JudgePrompts.of_config(spec.config)
        self._temperature = spec.config["temperature"]
        self._max_tokens = spec.config["max_tokens"]
        self._with_schema = spec.config.get("json_schema", False)
        self._most_tokens: int | None = spec.config.get("max_document_tokens")

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        known = known_scores(case, metrics)
        for metric in metrics:
            if metric in known:
                yield Judgement(known[metric])
            else:
                yield await self._judge_metric(case, metric, ask)

    async def _judge_metric(self, case: Case, metric: str, ask: Ask) -> Judgement:
        prompt = self._prompts.find(metric, case.lang)
        case, details = self._fitted(case, prompt)
        request = judge_request(
            self._prompts,
            case,
            metric,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            with_schema=self._with_schema,
        )
        spec = resolve(metric)
        asked = await ask_twice(
            ask,
            request,
            lambda reply: read_judgement(spec, reply.text, truncated=reply.truncated),
            lambda problem: mending_words(problem, spec, prompt.lang),
        )
        if asked.read is None:
            score = MetricScore(metric, "standard", None, ScoreState.ERROR, asked.error)
            return Judgement(score, prompt, asked.replies, details=details)
        return Judgement(
            asked.read.score, prompt, asked.replies, asked.read.repaired, details=details
        )

    def _fitted(self, case: Case, prompt: PromptText) -> tuple[Case, dict[str, Any] | None]:
        """The case with as much of its passages as the prompt may show, and what was left out."""
        if self._most_tokens is None or "{documents}" not in prompt.text:
            return case, None
        shown = fitted(case.passages, self._most_tokens)
        return replace(case, passages=shown.passages), shown.told(self._most_tokens)
