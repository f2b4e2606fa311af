"""EKRAG by a model: each metric one prompt, a whole number from 1 to L divided by L."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from msgspec.structs import replace

from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.ekrag.known import known_score
from engine.judge.ekrag.metrics import CORRECTNESS, METRICS, RELEVANCE
from engine.judge.model.asking import mending_words
from engine.judge.model.replies import read_judgement
from engine.judge.templates import Templates, documents_text
from engine.metrics.spec import MetricSpec
from engine.models.asking import ask_twice
from engine.models.chat import Ask, ChatRequest
from engine.prompts.history import history_text
from engine.prompts.templates import PromptText
from store.records import MetricScore, ScoreState

SLOTS = {
    "correctness": ("question", "answer", "levels", "golden_answers"),
    "relevance": ("question", "answer", "levels", "evidence"),
    "faithfulness": ("question", "answer", "levels", "documents"),
}
"""Of the template of each metric."""


class AskingJudge:
    """A failed metric does not stop the others."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.metrics = tuple(metric for metric in METRICS if metric.name in spec.metrics)
        self._templates = Templates.of_config(spec.config)
        self._levels = spec.config["levels"]
        self._sampling = {name: spec.config[name] for name in ("temperature", "max_tokens")}

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        for spec in self.metrics:
            if spec.name in metrics:
                score = known_score(case, spec)
                yield await self._ask(case, spec, ask) if score is None else Judgement(score)

    async def _ask(self, case: Case, spec: MetricSpec, ask: Ask) -> Judgement:
        stepped = replace(spec, values=tuple(float(step + 1) for step in range(self._levels)))
        prompt = self._templates.find(template_name(spec.name), case.lang)
        asked = await ask_twice(
            ask,
            self._request(prompt, case, spec.name),
            lambda reply: read_judgement(stepped, reply.text, truncated=reply.truncated),
            lambda problem: mending_words(problem, stepped, prompt.lang),
        )
        if asked.read is None:
            score = MetricScore(spec.name, "standard", None, ScoreState.ERROR, asked.error)
            return Judgement(score, prompt, asked.replies)
        score = asked.read.score
        if score.value is not None:
            said = f"{score.value:g} of {self._levels}"
            reason = f"{said}: {score.reason}" if score.reason else said
            score = replace(score, value=score.value / self._levels, reason=reason)
        return Judgement(score, prompt, asked.replies, asked.read.repaired)

    def _request(self, prompt: PromptText, case: Case, metric: str) -> ChatRequest:
        values = {
            "question": case.question,
            "answer": case.answer,
            "levels": str(self._levels),
        }
        if metric == CORRECTNESS:
            values["golden_answers"] = "\n".join(case.golden_answers)
        elif metric == RELEVANCE:
            values["evidence"] = "\n\n".join(passage.text for passage in case.evidence)
        else:
            values["documents"] = documents_text(case.passages, prompt.lang)
        optional = {"history": history_text(case.history, prompt.lang)}
        return ChatRequest(prompt.fill(values, optional), **self._sampling)


def template_name(metric: str) -> str:
    """`correctness` of `ekrag_correctness`."""
    return metric.partition("_")[2]
