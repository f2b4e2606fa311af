"""Fitting a light judge to human labels: grouped cross-validation, then the model on all cases."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from engine.judge.light.model import MetricModel, softmax
from store.labels.forms import NA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.judge.light.features import Matrix

FOLDS = 5
STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Inverse regularisation strengths that cross-validation chooses from."""
_LEAST_CHANCE = 1e-6
_TEMPERATURES = (0.2, 10.0)
_SEED = 0


class Fitted(Struct, frozen=True):
    """A metric's model and what cross-validation saw of it."""

    model: MetricModel
    strength: float
    folds: int
    """0 where there were too few groups, or one class only."""
    held_out: tuple[str, ...]
    """For every case, the class that a model said which had not seen the case's group."""
    log_loss: float | None
    """Of the chosen strength on cases held out, in nats, before the temperature."""


def fit_metric(
    metric: str, features: Matrix, labels: Sequence[str], groups: Sequence[str]
) -> Fitted:
    """The model of a metric.

    `features` is cases x features; `labels` are values as text or `na`, `groups` the question that
    a case belongs to: cases of one group are never on both sides of a fold. The strength of the
    regularisation is the one with the least log loss on cases held out; on those the temperature
    is fitted too (Guo et al. 2017).
    """
    import numpy as np

    classes = _in_order(labels)
    mean, scale = features.mean(axis=0), features.std(axis=0)
    # a feature that never varied says nothing, and must not explode where it first does
    scale = np.where(scale > 1e-9, scale, np.inf)
    if len(classes) == 1:
        alone = _model(metric, classes, mean, scale, np.empty((0, 0)), np.zeros(1), 1.0)
        return Fitted(alone, 0.0, 0, tuple(labels), None)
    truths = np.array([classes.index(label) for label in labels])
    folds = _folds(truths, groups)
    tried = [_held_out(features, truths, len(classes), folds, strength) for strength in STRENGTHS]
    losses = [_loss(logits, truths) for logits in tried]
    at = int(np.argmin(losses)) if folds else len(STRENGTHS) // 2
    temperature = _temperature(tried[at], truths) if folds else 1.0
    weights, bias = _fit(features, truths, len(classes), STRENGTHS[at])
    said = tried[at] if folds else (features - mean) / scale @ weights.T + bias
    return Fitted(
        _model(metric, classes, mean, scale, weights, bias, temperature),
        STRENGTHS[at],
        len(folds),
        tuple(classes[number] for number in said.argmax(axis=1)),
        losses[at] if folds else None,
    )


def _in_order(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(labels), key=lambda label: (label == NA, label)))


def _model(
    metric: str,
    classes: tuple[str, ...],
    mean: Any,
    scale: Any,
    weights: Any,
    bias: Any,
    temperature: float,
) -> MetricModel:
    import numpy as np

    # infinity has no place in JSON: a feature that never varied keeps weight 0 at scale 1
    finite = np.where(np.isfinite(scale), scale, 1.0)
    return MetricModel(
        metric,
        classes,
        tuple(mean.tolist()),
        tuple(finite.tolist()),
        tuple(tuple(row) for row in weights.tolist()),
        tuple(bias.tolist()),
        temperature,
    )


def _folds(truths: NDArray[np.int64], groups: Sequence[str]) -> list[tuple[Any, Any]]:
    from sklearn.model_selection import StratifiedGroupKFold

    count = min(FOLDS, len(set(groups)))
    if count < 2:
        return []
    splitter = StratifiedGroupKFold(count, shuffle=True, random_state=_SEED)
    with warnings.catch_warnings():
        # of classes rarer than folds: `_fit` does without them
        warnings.simplefilter("ignore")
        parts = list(splitter.split(truths, truths, list(groups)))
    return [(seen, unseen) for seen, unseen in parts if len(seen) and len(unseen)]


def _held_out(
    features: Matrix, truths: NDArray[np.int64], classes: int, folds: Sequence[Any], strength: float
) -> Matrix:
    """Cases x classes: logits by models that had not seen the case."""
    import numpy as np

    logits = np.zeros((len(truths), classes))
    for seen, unseen in folds:
        mean, scale = features[seen].mean(axis=0), features[seen].std(axis=0)
        scale = np.where(scale > 1e-9, scale, np.inf)
        weights, bias = _fit(features[seen], truths[seen], classes, strength)
        logits[unseen] = (features[unseen] - mean) / scale @ weights.T + bias
    return logits


def _fit(
    features: Matrix, truths: NDArray[np.int64], classes: int, strength: float
) -> tuple[Matrix, Matrix]:
    """Weights, classes x features, and biases, on standardised features.

    A class that these cases lack gets a small chance and no weights.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    weights = np.zeros((classes, features.shape[1]))
    bias = np.full(classes, np.log(_LEAST_CHANCE))
    present = np.unique(truths)
    if len(present) == 1:
        bias[present] = 0.0
        return weights, bias
    mean, scale = features.mean(axis=0), features.std(axis=0)
    standard = (features - mean) / np.where(scale > 1e-9, scale, np.inf)
    model = LogisticRegression(C=strength, max_iter=2000)
    # one thread: sums are rounded differently by every number of threads
    with threadpool_limits(1):
        model.fit(standard, truths)
    if len(present) == 2:
        # one row of logits for two classes: half of it for and half against
        half = np.vstack([-model.coef_, model.coef_]) / 2
        weights[present] = half
        bias[present] = np.concatenate([-model.intercept_, model.intercept_]) / 2
    else:
        weights[present] = model.coef_
        bias[present] = model.intercept_
    return weights, bias


def _loss(logits: Matrix, truths: NDArray[np.int64]) -> float:
    import numpy as np

    chance = softmax(logits)[np.arange(len(truths)), truths]
    return float(-np.log(np.maximum(chance, _LEAST_CHANCE)).mean())


def _temperature(logits: Matrix, truths: NDArray[np.int64]) -> float:
    from scipy.optimize import minimize_scalar

    def loss(temperature: float) -> float:
        return _loss(logits / temperature, truths)

    minimum = minimize_scalar(loss, bounds=_TEMPERATURES, method="bounded")
    return round(float(minimum.x), 6)
