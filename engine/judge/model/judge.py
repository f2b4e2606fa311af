"""A model as a judge: one prompt a metric, and once more when its reply cannot be used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from engine.judge.applies import known_scores
from engine.judge.asking import ask_twice
from engine.judge.base import Case, Judgement, JudgeSpec, specs_of
from engine.judge.model.asking import JudgePrompts, judge_request, mending_words
from engine.judge.model.replies import read_judgement
from engine.metrics.spec import resolve
from engine.models.chat import Ask
from store.records import MetricScore, ScoreState


class ModelJudge:
    """Metrics that do not apply are not asked about, and a failed one does not stop the others."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = specs_of(spec.metrics)
        self._prompts = JudgePrompts.of_config(spec.config)
        self._temperature = spec.config["temperature"]
        self._max_tokens = spec.config["max_tokens"]

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
        request = judge_request(
            self._prompts,
            case,
            metric,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
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
            return Judgement(score, prompt, asked.replies)
        return Judgement(asked.read.score, prompt, asked.replies, asked.read.repaired)
