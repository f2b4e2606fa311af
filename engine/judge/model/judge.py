"""A model as a judge: one prompt a metric, and once more when its reply cannot be used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from engine.judge.applies import known_scores
from engine.judge.base import Case, Judgement, JudgeSpec, specs_of
from engine.judge.model.asking import JudgePrompts, ask_again, judge_request
from engine.judge.model.replies import read_judgement
from engine.models.chat import Ask, ChatReply
from engine.models.errors import ModelError
from store.records import MetricScore, ScoreState


class ModelJudge:
    """Metrics that do not apply are not asked about, and a failed one does not stop the others."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = specs_of(spec.metrics)
        self._prompts = JudgePrompts.frozen(spec.config)
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
        replies: list[ChatReply] = []
        try:
            replies.append(await ask(request))
            judged = read_judgement(metric, replies[-1].text, truncated=replies[-1].truncated)
            if judged.problem:
                again = ask_again(request, replies[-1].text, judged.problem, metric, prompt.lang)
                replies.append(await ask(again))
                judged = read_judgement(metric, replies[-1].text, truncated=replies[-1].truncated)
        except ModelError as error:
            reason = f"{error.kind}: {error}"
            score = MetricScore(metric, "standard", None, ScoreState.ERROR, reason)
            return Judgement(score, prompt, tuple(replies))
        return Judgement(judged.score, prompt, tuple(replies), judged.repaired)
