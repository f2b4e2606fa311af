"""The text metrics exactly as CRUD-RAG's released code computes them.

They follow `src/metric/common.py` and `src/metric/quest_eval.py` of IAAR-Shanghai/CRUD_RAG at
1aace38. Tokens are plain jieba's, white space and punctuation included, nothing normalised. Their
items have one reference; with several golden answers each metric here takes the best one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from engine.metrics.ngrams import f_measure, lcs_length, ngram_counts, overlap
from engine.text.segmentation import jieba_cut
from store.records import MetricScore, ScoreState

VARIANT = "crud"
_ORDER = 4


def score_text(
    prediction: str, golden_answers: Sequence[str], metrics: Iterable[str]
) -> list[MetricScore]:
    """One score for each of `metrics` (`bleu bleu1..bleu4 rougeL f1 length`), in their order.

    Without golden answers the state is `na`, except for `length`, which needs none. BLEU of an
    empty prediction or golden answer is `error`: their code divides by zero and drops the item.
    """
    return [_score(name, prediction, golden_answers) for name in metrics]


def _score(name: str, prediction: str, golden_answers: Sequence[str]) -> MetricScore:
    if name == "length":
        return MetricScore(name, VARIANT, float(len(prediction)))
    if not golden_answers:
        reason = "no golden answer to compare with"
        return MetricScore(name, VARIANT, None, ScoreState.NA, reason)
    pair = _METRICS[name]
    usable = [answer for answer in golden_answers if answer]
    if name.startswith("bleu") and not (prediction and usable):
        side = "prediction" if not prediction else "golden answer"
        return MetricScore(name, VARIANT, None, ScoreState.ERROR, f"BLEU of an empty {side}")
    compared = usable if name.startswith("bleu") else golden_answers
    return MetricScore(name, VARIANT, max(pair(prediction, answer) for answer in compared))


def bleu(prediction: str, reference: str, *, with_penalty: bool = False) -> float:
    """Geometric mean of the clipped precisions of orders 1-4; 0 if one of them is 0. In [0, 1].

    With the brevity penalty: times exp(1 - r / c) when the prediction's c tokens are not more
    than the reference's r. Raises ZeroDivisionError when a side is empty.
    """
    precisions = [ngram_precision(prediction, reference, n) for n in range(1, _ORDER + 1)]
    ratio = len(_tokens(prediction)) / len(_tokens(reference))
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    if min(precisions) == 0:
        return 0.0
    mean = math.exp(sum(math.log(precision) for precision in precisions) / _ORDER)
    if with_penalty:
        return mean * penalty
    # their code divides BLEU by the penalty, so a penalty that underflows to 0 leaves 0
    return mean if penalty else 0.0


def ngram_precision(prediction: str, reference: str, n: int) -> float:
    """Clipped n-gram matches / n-grams of the prediction, in [0, 1]; 0 if it has none."""
    predicted = _tokens(prediction)
    total = len(predicted) - n + 1
    if total <= 0:
        return 0.0
    return overlap(ngram_counts(predicted, n), ngram_counts(_tokens(reference), n)) / total


def rouge_l(prediction: str, reference: str) -> float:
    """2PR / (P + R), P = LCS / predicted tokens, R = LCS / reference tokens; 0 if one is empty."""
    predicted, golden = _tokens(prediction), _tokens(reference)
    return f_measure(lcs_length(predicted, golden), len(predicted), len(golden))


def token_f1(prediction: str, gold: str) -> float:
    """F1 of the token multisets in [0, 1]; of an empty side 1 if both are empty, else 0."""
    predicted, golden = _tokens(prediction), _tokens(gold)
    if not predicted or not golden:
        return float(predicted == golden)
    shared = overlap(Counter(predicted), Counter(golden))
    return f_measure(shared, len(predicted), len(golden))


@lru_cache(maxsize=8192)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(jieba_cut(text))


def _precision_of_order(n: int) -> Callable[[str, str], float]:
    return lambda prediction, reference: ngram_precision(prediction, reference, n)


_METRICS: dict[str, Callable[[str, str], float]] = {
    "bleu": bleu,
    "bleu1": _precision_of_order(1),
    "bleu2": _precision_of_order(2),
    "bleu3": _precision_of_order(3),
    "bleu4": _precision_of_order(4),
    "rougeL": rouge_l,
    "f1": token_f1,
}
