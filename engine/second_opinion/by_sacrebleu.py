"""BLEU by sacrebleu, of our tokens.

CRUD-RAG's figures are those of one golden answer each, without smoothing; `bleu` has no brevity
penalty, so the library's is divided out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.exporters.runs import RunExport
from engine.metrics.tokens import standard_tokens
from engine.second_opinion.coded import coded
from engine.second_opinion.opinions import Value
from engine.second_opinion.sample import Sampled
from engine.text.segmentation import jieba_cut

_EMPTY = "a text without tokens has no value there"


def values(one: RunExport, sample: Iterable[Sampled]) -> Iterator[Value]:
    """The values of the sample beside the library's."""
    for sampled in sample:
        prediction, golden = sampled.texts
        for (variant, metric), ours in sampled.scores.items():
            if not metric.startswith("bleu"):
                continue
            again = (
                _standard(prediction, golden)
                if variant == "standard"
                else max(_crud(metric, prediction, answer) for answer in golden if answer)
            )
            why = "" if again is not None else _EMPTY
            yield Value(metric, variant, sampled.place, ours, again, why)


def _standard(prediction: str, golden: Sequence[str]) -> float | None:
    import sacrebleu

    texts = [standard_tokens(text) for text in (prediction, *golden)]
    if not all(texts):
        return None
    predicted, *answers = coded(texts)
    return float(sacrebleu.sentence_bleu(predicted, answers, tokenize="none").score) / 100


def _crud(metric: str, prediction: str, answer: str) -> float:
    from sacrebleu import BLEU

    predicted, golden = coded([jieba_cut(prediction), jieba_cut(answer)])
    plain = BLEU(tokenize="none", smooth_method="none", effective_order=False)
    # of one sentence the same, without advice on stderr to take effective orders
    found: Any = plain.corpus_score([predicted], [[golden]])
    if metric == "bleu":
        return float(found.score / found.bp) / 100 if found.score else 0.0
    return float(found.precisions[int(metric.removeprefix("bleu")) - 1]) / 100
