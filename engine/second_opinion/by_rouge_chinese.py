"""ROUGE, and what is ROUGE of other tokens, by rouge_chinese.

`omnieval` is that library by definition: it gets the texts as the authors' code gives them to it.
The other variants count an n-gram as often as it stands there; of the library's precision and
recall, of our tokens, the plain harmonic mean is taken, without its 1e-8 below the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from engine.exporters.runs import RunExport
from engine.metrics.tokens import standard_tokens
from engine.second_opinion.coded import coded
from engine.second_opinion.opinions import Value
from engine.second_opinion.sample import Sampled
from engine.text.segmentation import jieba_cut, load_jieba

LONGEST = 1_000_000
"""Of the product of both lengths: the library's table of common subsequences has so many cells."""

_TOO_LONG = "the texts are too long for the library's table"
_EMPTY = "a text without tokens has no value there"
_ONE_WORD = "of equal texts of one word, which have no bigram, the library says 0 and we say 1"

_TOKENS: dict[str, Callable[[str], Sequence[str]]] = {
    "standard": standard_tokens,
    "crud": jieba_cut,
}
_ORDERS = {
    ("standard", "f1"): 1,
    ("standard", "rouge1"): 1,
    ("standard", "rouge2"): 2,
    ("standard", "rougeL"): 0,
    ("crud", "rougeL"): 0,
    ("crud", "f1"): 1,
}
"""The order of the n-grams; 0 for the longest common subsequence."""
_OMNIEVAL = {"rouge1": "rouge-1", "rouge2": "rouge-2", "rougeL": "rouge-l"}


def values(one: RunExport, sample: Iterable[Sampled]) -> Iterator[Value]:
    """The values of the sample beside the library's."""
    for sampled in sample:
        prediction, golden = sampled.texts
        for (variant, metric), ours in sampled.scores.items():
            if variant == "omnieval" and metric in _OMNIEVAL:
                again = _omnieval(_OMNIEVAL[metric], prediction, golden)
            elif (variant, metric) in _ORDERS:
                again = _best(_TOKENS[variant], _ORDERS[variant, metric], prediction, golden)
            else:
                continue
            theirs, why = (again, "") if isinstance(again, float) else (None, again)
            yield Value(metric, variant, sampled.place, ours, theirs, why)


def _best(
    tokens: Callable[[str], Sequence[str]], order: int, prediction: str, golden: Sequence[str]
) -> float | str:
    """The best value over the golden answers, or why there is none."""
    predicted = tokens(prediction)
    best = 0.0
    for answer in map(tokens, golden):
        if not predicted or not answer:
            return _EMPTY
        if order == 0 and len(predicted) * len(answer) > LONGEST:
            return _TOO_LONG
        if order == 2 and len(predicted) == 1 and list(predicted) == list(answer):
            return _ONE_WORD
        best = max(best, _harmonic(order, *coded([predicted, answer])))
    return best


def _harmonic(order: int, predicted: str, answer: str) -> float:
    from rouge_chinese import rouge_score

    found = (
        rouge_score.rouge_n([predicted], [answer], order, exclusive=False)
        if order
        else rouge_score.rouge_l_summary_level([predicted], [answer])
    )
    precision, recall = found["p"], found["r"]
    return 2 * precision * recall / (precision + recall) if precision else 0.0


def _omnieval(name: str, prediction: str, golden: Sequence[str]) -> float | str:
    """As the authors' code: the best over golden answers, 0 where the library raises."""
    from rouge_chinese import Rouge

    best = 0.0
    spaced = _spaced(prediction)
    for answer in map(_spaced, golden):
        if name == "rouge-l" and len(spaced.split()) * len(answer.split()) > LONGEST:
            return _TOO_LONG
        if not spaced or not answer:
            continue
        try:
            (found,) = Rouge(metrics=[name]).get_scores(spaced, answer)
        except ValueError:
            continue
        best = max(best, found[name]["f"])
    return best


@lru_cache(maxsize=1024)
def _spaced(text: str) -> str:
    return " ".join(load_jieba().cut(text))
