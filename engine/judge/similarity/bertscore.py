"""BERTScore by greedy matching (Zhang et al. 2020), without idf weights and without baseline."""

from __future__ import annotations

from msgspec import Struct

from engine.retrieve.neural.token_model import Tokens


class BertScore(Struct, frozen=True):
    """Values in [-1, 1]."""

    precision: float
    recall: float
    f1: float


def bert_score(answer: Tokens, golden: Tokens) -> BertScore:
    """Each token of one text with the nearest token of the other; as in the authors' code, a token
    that the model adds weighs nothing, but may be the nearest one. A text without a token of its
    own gives 0."""
    if not answer.own.any() or not golden.own.any():
        return BertScore(0.0, 0.0, 0.0)
    cosines = answer.vectors @ golden.vectors.T
    precision = float(cosines.max(axis=1)[answer.own].mean())
    recall = float(cosines.max(axis=0)[golden.own].mean())
    both = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / both if both else 0.0)
