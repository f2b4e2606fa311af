"""The standard text metrics: exact match, F1, ROUGE and BLEU.

All work on `standard_tokens` and lie in [0, 1], higher is better. Each takes the best golden
answer, except BLEU, which takes them all as references. Texts whose tokens are equal score 1 in
every metric, two empty texts included; an empty text against any other scores 0. That settles
ROUGE-2 of two equal one-word texts, which libraries that find no bigram give 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from engine.metrics.ngrams import f_measure, lcs_length, ngram_counts, overlap
from engine.metrics.spec import without_value
from engine.metrics.tokens import standard_tokens
from store.records import MetricScore, ScoreState

Tokens = tuple[str, ...]

VARIANT = "standard"
_BLEU_ORDER = 4


def score_text(
    prediction: str, golden_answers: Sequence[str], metrics: Iterable[str]
) -> list[MetricScore]:
    """One score for each of `metrics` (`em f1 rouge1 rouge2 rougeL bleu`), in their order.

    Without golden answers the state is `na`.
    """
    if not golden_answers:
        return without_value(VARIANT, metrics, ScoreState.NA, "no golden answer to compare with")
    predicted = standard_tokens(prediction)
    golden = [standard_tokens(answer) for answer in golden_answers]
    if predicted in golden:
        return [MetricScore(name, VARIANT, 1.0) for name in metrics]
    return [MetricScore(name, VARIANT, _METRICS[name](predicted, golden)) for name in metrics]


def exact_match(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """1 if the token sequence equals that of a golden answer, else 0."""
    return float(predicted in golden)


def token_f1(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """max 2PR / (P + R) over golden answers, P and R on the token multisets."""
    return _best(_pair_f1, predicted, golden)


def rouge_1(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """ROUGE-1 F-measure, which equals `token_f1` because the unigrams are whole tokens."""
    return token_f1(predicted, golden)


def rouge_2(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """ROUGE-2 F-measure on the bigram multisets."""
    return _best(_pair_rouge_2, predicted, golden)


def rouge_l(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """ROUGE-L F-measure: P = LCS / predicted tokens, R = LCS / golden tokens."""
    return _best(_pair_rouge_l, predicted, golden)


def bleu(predicted: Tokens, golden: Sequence[Tokens]) -> float:
    """Sentence BLEU as sacrebleu computes it, divided by 100.

    BP * exp(mean of ln p_n over the orders n <= 4 that the prediction has); p_n is clipped by the
    golden answer with the most of an n-gram; the i-th order without a match counts
    1 / (2**i * n-grams) (exponential smoothing); BP = exp(1 - r / c) for a prediction of c tokens
    shorter than the golden answer closest in length, of r tokens (the shorter one of two).
    """
    if predicted in golden:
        return 1.0
    log_sum, orders, smoothing = 0.0, 0, 1.0
    for n in range(1, min(_BLEU_ORDER, len(predicted)) + 1):
        total = len(predicted) - n + 1
        matches = _clipped_matches(predicted, golden, n)
        if not matches:
            if n == 1:
                return 0.0
            smoothing *= 2
        log_sum += math.log(matches / total if matches else 1 / (smoothing * total))
        orders = n
    if not orders:
        return 0.0
    closest = min((abs(len(answer) - len(predicted)), len(answer)) for answer in golden)[1]
    brevity = min(0.0, 1 - closest / len(predicted))
    return math.exp(brevity + log_sum / orders)


def _clipped_matches(predicted: Tokens, golden: Sequence[Tokens], n: int) -> int:
    counts = ngram_counts(predicted, n)
    most: dict[Tokens, int] = {}
    for answer in golden:
        reference = ngram_counts(answer, n)
        for ngram in counts.keys() & reference.keys():
            most[ngram] = max(most.get(ngram, 0), reference[ngram])
    return sum(min(counts[ngram], count) for ngram, count in most.items())


def _best(
    pair: Callable[[Tokens, Tokens], float], predicted: Tokens, golden: Sequence[Tokens]
) -> float:
    return max(1.0 if answer == predicted else pair(predicted, answer) for answer in golden)


def _pair_f1(predicted: Tokens, answer: Tokens) -> float:
    shared = overlap(Counter(predicted), Counter(answer))
    return f_measure(shared, len(predicted), len(answer))


def _pair_rouge_2(predicted: Tokens, answer: Tokens) -> float:
    shared = overlap(ngram_counts(predicted, 2), ngram_counts(answer, 2))
    return f_measure(shared, len(predicted) - 1, len(answer) - 1)


def _pair_rouge_l(predicted: Tokens, answer: Tokens) -> float:
    return f_measure(lcs_length(predicted, answer), len(predicted), len(answer))


_METRICS: dict[str, Callable[[Tokens, Sequence[Tokens]], float]] = {
    "em": exact_match,
    "f1": token_f1,
    "rouge1": rouge_1,
    "rouge2": rouge_2,
    "rougeL": rouge_l,
    "bleu": bleu,
}
