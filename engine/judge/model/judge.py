"""A model as a judge: one prompt a metric, and once more when its reply cannot be used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.judge.applies import known_scores, not_applicable
from engine.judge.base import Case, Judgement, JudgeSpec, specs_of
from engine.judge.documents import fitted
from engine.judge.model import omnieval
from engine.judge.model.asking import JudgePrompts, judge_request, mending_words
from engine.judge.model.passages import OF_PASSAGES, asked_spec, joined
from engine.judge.model.replies import Judged, read_judgement
from engine.metrics.spec import resolve
from engine.models.asking import Asked, ask_twice
from engine.models.chat import Ask, ChatRequest
from engine.models.errors import ModelError
from engine.prompts.templates import PromptText
from store.records import MetricScore, ScoreState


def open_model_judge(folder: Path, spec: JudgeSpec) -> ModelJudge:
    """The judge, from its stored configuration, which holds all that it needs."""
    return ModelJudge(spec)


class ModelJudge:
    """Metrics that do not apply are not asked about, and a failed one does not stop the others."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._as_theirs = spec.config.get("variant") == omnieval.VARIANT
        specs = omnieval.METRICS if self._as_theirs else specs_of(spec.metrics)
        self.metrics = tuple(one for one in specs if one.name in spec.metrics)
        self._prompts = JudgePrompts.of_config(spec.config)
        self._temperature = spec.config["temperature"]
        self._max_tokens = spec.config["max_tokens"]
        self._with_schema = spec.config.get("json_schema", False)
        self._most_tokens: int | None = spec.config.get("max_document_tokens")

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        known = self._known(case, metrics)
        for metric in metrics:
            if metric in known:
                yield Judgement(known[metric])
            elif metric in OF_PASSAGES:
                yield await self._judge_passages(case, metric, ask)
            else:
                yield await self._judge_metric(case, metric, ask)

    def _known(self, case: Case, metrics: Collection[str]) -> dict[str, MetricScore]:
        """The scores that need no model."""
        if not self._as_theirs:
            return known_scores(case, metrics)
        scores = (not_applicable(case, spec) for spec in self.metrics)
        return {score.metric: score for score in scores if score is not None}

    async def _judge_metric(self, case: Case, metric: str, ask: Ask) -> Judgement:
        prompt = self._prompts.find(metric, case.lang)
        case, details = self._fitted(case, prompt)
        if self._as_theirs:
            return await self._read_as_theirs(case, metric, prompt, ask, details)
        asked = await self._ask_twice(case, metric, prompt, ask)
        if asked.read is None:
            score = MetricScore(metric, "standard", None, ScoreState.ERROR, asked.error)
            return Judgement(score, prompt, asked.replies, details=details)
        return Judgement(
            asked.read.score, prompt, asked.replies, asked.read.repaired, details=details
        )

    async def _ask_twice(
        self, case: Case, metric: str, prompt: PromptText, ask: Ask
    ) -> Asked[Judged]:
        spec = asked_spec(metric)
        return await ask_twice(
            ask,
            self._request(case, metric),
            lambda reply: read_judgement(spec, reply.text, truncated=reply.truncated),
            lambda problem: mending_words(problem, spec, prompt.lang),
        )

    def _request(self, case: Case, metric: str) -> ChatRequest:
        return judge_request(
            self._prompts,
            case,
            metric,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            with_schema=self._with_schema,
        )

    async def _judge_passages(self, case: Case, metric: str, ask: Ask) -> Judgement:
        lacking = not_applicable(case, resolve(metric))
        if lacking is None and not case.passages:
            reason = "nothing was retrieved"
            lacking = MetricScore(metric, "standard", None, ScoreState.NA, reason)
        if lacking is not None:
            return Judgement(lacking)
        prompt = self._prompts.find(metric, case.lang)
        # each is asked about, whatever came of the others, so that a second attempt asks for those
        # alone that failed
        asked = [
            await self._ask_twice(replace(case, passages=(passage,)), metric, prompt, ask)
            for passage in case.passages
        ]
        return joined(metric, prompt, case.passages, asked)

    async def _read_as_theirs(
        self,
        case: Case,
        metric: str,
        prompt: PromptText,
        ask: Ask,
        details: dict[str, Any] | None,
    ) -> Judgement:
        """By the first reply, whatever it is."""
        try:
            reply = await ask(self._request(case, metric))
        except ModelError as error:
            reason = f"{error.kind}: {error}"
            score = MetricScore(metric, omnieval.VARIANT, None, ScoreState.ERROR, reason)
            return Judgement(score, prompt, details=details)
        score = omnieval.read_as_theirs(metric, reply.text)
        return Judgement(score, prompt, (reply,), details=details)

    def _fitted(self, case: Case, prompt: PromptText) -> tuple[Case, dict[str, Any] | None]:
        """The case with as much of its passages as the prompt may show, and what was left out."""
        if self._most_tokens is None or "{documents}" not in prompt.text:
            return case, None
        shown = fitted(case.passages, self._most_tokens)
        return replace(case, passages=shown.passages), shown.told(self._most_tokens)
