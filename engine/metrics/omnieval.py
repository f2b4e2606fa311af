"""The metrics exactly as OmniEval's released code computes them.

Text metrics follow `utils/evaluation.py`, retrieval metrics `evaluator/judgement/judger.py` of
RUC-NLPIR/OmniEval at b8385be; rouge-chinese 1.0.3 is part of the definition. Known oddities are
kept: EM is a mean over golden answers, F1 counts characters, `.`, `-` and `%` are deleted before
EM and F1, identical texts reach 0.999999995 in ROUGE, average precision divides by the relevant
documents found. Where that code gives NaN the state is `na`, where it raises it is `error`.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

from engine.metrics.ngrams import f_measure, lcs_length, ngram_counts, overlap
from engine.text.segmentation import jieba_cut
from store.records import MetricScore, ScoreState

VARIANT = "omnieval"

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_EPSILON = 1e-8

# rouge-chinese ends a line after a stop or six full stops that anything but a closing quote
# follows. Its rules for ellipses and closing quotes find nothing in text that jieba has spaced.
_AFTER_STOP = re.compile(r"([。！？?])([^”’])")
_AFTER_DOTS = re.compile(r"(\.{6})([^”’])")
_EMPTY_WORD = "\n"
"""Stands for the empty word of a blank line; no word of the library can equal it."""


def score_text(
    prediction: str, golden_answers: Sequence[str], metrics: Iterable[str]
) -> list[MetricScore]:
    """One score for each of `metrics` (`em f1 rouge1 rouge2 rougeL`), in their order.

    Without golden answers EM is `na` (their mean of nothing is NaN), F1 is `error` (their code
    raises ValueError) and ROUGE is 0.
    """
    return [_score(name, prediction, golden_answers) for name in metrics]


def _score(name: str, prediction: str, golden_answers: Sequence[str]) -> MetricScore:
    if not golden_answers and name == "em":
        reason = "the mean over no golden answers is not a number"
        return MetricScore(name, VARIANT, None, ScoreState.NA, reason)
    if not golden_answers and name == "f1":
        reason = "the maximum over no golden answers is an error"
        return MetricScore(name, VARIANT, None, ScoreState.ERROR, reason)
    return MetricScore(name, VARIANT, _METRICS[name](prediction, golden_answers))


def exact_match(prediction: str, golden_answers: Sequence[str]) -> float:
    """Share of golden answers that equal the prediction after normalisation, in [0, 1]."""
    normalised = _normalise(prediction)
    equal = sum(normalised == _normalise(answer) for answer in golden_answers)
    return equal / len(golden_answers)


def character_f1(prediction: str, golden_answers: Sequence[str]) -> float:
    """max F1 over golden answers of the character multisets of the space-joined jieba tokens."""
    predicted = _spaced(_normalise(prediction))
    return max(_pair_f1(predicted, _spaced(_normalise(answer))) for answer in golden_answers)


def rouge_1(prediction: str, golden_answers: Sequence[str]) -> float:
    """max over non-empty golden answers of 2PR / (P + R + 1e-8) on the unigram sets."""
    return _best_rouge(partial(_pair_rouge_n, 1), prediction, golden_answers)


def rouge_2(prediction: str, golden_answers: Sequence[str]) -> float:
    """max over non-empty golden answers of 2PR / (P + R + 1e-8) on the bigram sets."""
    return _best_rouge(partial(_pair_rouge_n, 2), prediction, golden_answers)


def rouge_l(prediction: str, golden_answers: Sequence[str]) -> float:
    """max over non-empty golden answers of 2PR / (P + R + 1e-8), P and R = LCS / length."""
    return _best_rouge(_pair_rouge_l, prediction, golden_answers)


def average_precision(
    retrieved_ids: Sequence[str], relevant_ids: Collection[str], k: int | None = None
) -> float:
    """Sum over hits in the first k of (hit number / rank), divided by the number of hits.

    An id retrieved twice is two hits. 0 without a hit.
    """
    relevant = frozenset(relevant_ids)
    hits, total = 0, 0.0
    for rank, document_id in enumerate(retrieved_ids[:k], start=1):
        if document_id in relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def reciprocal_rank(
    retrieved_ids: Sequence[str], relevant_ids: Collection[str], k: int | None = None
) -> float:
    """1 / rank of the first relevant id among the first k, else 0."""
    relevant = frozenset(relevant_ids)
    for rank, document_id in enumerate(retrieved_ids[:k], start=1):
        if document_id in relevant:
            return 1 / rank
    return 0.0


@lru_cache(maxsize=8192)
def _normalise(text: str) -> str:
    """Lower case, ASCII punctuation deleted, English articles and spare white space removed."""
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_articles().sub(" ", bare).split())


@lru_cache(maxsize=1)
def _articles() -> Any:
    import regex  # its word boundaries differ from those of `re`, at ² and ① for instance

    return regex.compile(r"\b(?:a|an|the)\b")


@lru_cache(maxsize=8192)
def _spaced(text: str) -> str:
    return " ".join(jieba_cut(text))


@lru_cache(maxsize=8192)
def rouge_words(text: str) -> tuple[str, ...]:
    """The words as rouge-chinese splits them; a blank line between others leaves one empty word."""
    broken = _AFTER_DOTS.sub(r"\1\n\2", _AFTER_STOP.sub(r"\1\n\2", _spaced(text))).rstrip()
    words: list[str] = []
    for line in broken.split("\n"):
        if line:
            words += line.split() or [_EMPTY_WORD]
    return tuple(words)


def _best_rouge(
    pair: Callable[[Sequence[str], Sequence[str]], float],
    prediction: str,
    golden_answers: Sequence[str],
) -> float:
    """The best ROUGE value; 0 also where the library raises because a side has no words."""
    predicted = rouge_words(prediction)
    golden = filter(None, map(rouge_words, golden_answers))
    return max((pair(predicted, answer) for answer in golden), default=0.0) if predicted else 0.0


def _pair_rouge_n(n: int, predicted: Sequence[str], answer: Sequence[str]) -> float:
    left, right = ngram_counts(predicted, n).keys(), ngram_counts(answer, n).keys()
    return _smoothed_f(len(left & right), len(left), len(right))


def _pair_rouge_l(predicted: Sequence[str], answer: Sequence[str]) -> float:
    return _smoothed_f(lcs_length(predicted, answer), len(predicted), len(answer))


def _smoothed_f(shared: int, predicted: int, answer: int) -> float:
    if shared == 0:
        return 0.0
    precision, recall = shared / predicted, shared / answer
    return 2.0 * (precision * recall / (precision + recall + _EPSILON))


def _pair_f1(predicted: str, answer: str) -> float:
    return f_measure(overlap(Counter(predicted), Counter(answer)), len(predicted), len(answer))


_METRICS: dict[str, Callable[[str, Sequence[str]], float]] = {
    "em": exact_match,
    "f1": character_f1,
    "rouge1": rouge_1,
    "rouge2": rouge_2,
    "rougeL": rouge_l,
}
