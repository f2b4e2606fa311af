"""A light judge: for each metric a multinomial logistic regression with a temperature.

Its numbers are plain JSON, so that a judge from elsewhere runs no code when it is opened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from engine.judge.applies import known_scores
from engine.judge.base import Case, Judgement, specs_of
from engine.judge.light.features import NAMES, feature_matrix
from engine.models.chat import Ask
from store.labels.forms import NA
from store.records import MetricScore, ScoreState

if TYPE_CHECKING:
    from engine.judge.light.features import Matrix
    from engine.retrieve.index.lsa import Projector

_SHOWN = 3
"""Features that a reason names."""


class MetricModel(Struct, frozen=True):
    """One metric. A class is a value of its scale as text, or `na`."""

    metric: str
    classes: tuple[str, ...]
    """In the order of the scale, `na` last. A single one is what all training labels said."""
    mean: tuple[float, ...]
    """By feature: what is subtracted, and below what the rest is divided by."""
    scale: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    """Classes x features; empty for a single class."""
    bias: tuple[float, ...]
    temperature: float
    """Logits are divided by it: fitted on cases that the weights had not seen, so that a
    probability of .8 is right eight times in ten."""

    def logits(self, features: Matrix) -> Matrix:
        """Cases x classes."""
        import numpy as np

        standard = (features - np.array(self.mean)) / np.array(self.scale)
        logits: Matrix = standard @ np.array(self.weights).T + np.array(self.bias)
        return logits / self.temperature

    def probabilities(self, features: Matrix) -> Matrix:
        """Cases x classes; rows sum to 1."""
        import numpy as np

        if len(self.classes) == 1:
            return np.ones((len(features), 1))
        return softmax(self.logits(features))


def softmax(logits: Matrix) -> Matrix:
    """Rows of probabilities."""
    import numpy as np

    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


class LightJudge:
    """Judges by its models; what applies to no answer is said without them."""

    def __init__(self, models: Sequence[MetricModel], projector: Projector | None) -> None:
        self.metrics = specs_of([model.metric for model in models])
        self._models = models
        self._projector = projector

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        """Gives each score with its probability and what spoke for it."""
        known = known_scores(case, metrics)
        features = feature_matrix([case], self._projector)
        for model in self._models:
            if model.metric in metrics:
                if model.metric in known:
                    yield Judgement(known[model.metric])
                else:
                    yield _judgement(model, features)


def _judgement(model: MetricModel, features: Matrix) -> Judgement:
    """The likeliest class and its probability; `features` is one row."""
    chance = model.probabilities(features)[0]
    best = int(chance.argmax())
    reason = f"p = {chance[best]:.2f}"
    if len(model.classes) > 1:
        reason += f"; for it: {_grounds(model, features[0], best)}"
    value = model.classes[best]
    score = MetricScore(model.metric, "standard", None, ScoreState.NA, reason)
    if value != NA:
        score = MetricScore(model.metric, "standard", float(value), reason=reason)
    return Judgement(score, details={"probability": round(float(chance[best]), 4)})


def _grounds(model: MetricModel, features: Matrix, best: int) -> str:
    """The features that raised the chosen class most above the average of the others."""
    import numpy as np

    standard = (features - np.array(model.mean)) / np.array(model.scale)
    weights = np.array(model.weights)
    against = np.delete(weights, best, axis=0).mean(axis=0)
    pull = standard * (weights[best] - against)
    shown = [number for number in np.argsort(-pull, kind="stable")[:_SHOWN] if pull[number] > 0]
    return ", ".join(f"{NAMES[number]} {features[number]:.2f}" for number in shown) or "its base"
