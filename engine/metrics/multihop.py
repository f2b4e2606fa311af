"""The ranking metrics exactly as MultiHop-RAG's released evaluation computes them.

It follows `retrieval_evaluate.py` of yixuantt/MultiHop-RAG at 3dd4d4e. A retrieved text finds the
golden facts that it holds word for word, blanks and line feeds apart, whatever document it is of.
Known oddities are kept: what MAP adds at a rank is the number of facts first found there over the
rank, not a precision of all found so far; and a fact that is named twice is found once, but counts
twice in the number that MAP divides by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.metrics import ranks
from engine.metrics.spec import cutoff, without_value
from store.records import MetricScore, ScoreState

VARIANT = "multihop"
_MOST = 10
"""Facts that MAP divides by at most, in a list of any length: their only cut-off for it."""
_UNSPACED = str.maketrans("", "", " \n")


def score_texts(
    retrieved_texts: Sequence[str], facts: Sequence[str | None], metrics: Iterable[str]
) -> list[MetricScore]:
    """One score for each of `metrics` (`hit@k map@k mrr@k`), in order; texts are best first.

    A fact that is null is one whose words are not known: no text holds it.
    map@k = sum over ranks r <= k of (facts first found at r) / r, over min(facts, 10). Without any
    fact the state is `na`: the code leaves such a query (`null_query`) out.
    """
    if not facts:
        return without_value(VARIANT, metrics, ScoreState.NA, "there is no golden fact")
    gained = _gained(retrieved_texts, facts)
    return [MetricScore(name, VARIANT, _value(name, gained, len(facts))) for name in metrics]


def _gained(retrieved_texts: Sequence[str], facts: Sequence[str | None]) -> list[int]:
    """The number of facts that each rank is the first to hold."""
    missing = {fact.translate(_UNSPACED) for fact in facts if fact is not None}
    gained = []
    for retrieved in retrieved_texts:
        text = retrieved.translate(_UNSPACED)
        held = {fact for fact in missing if fact in text}
        missing -= held
        gained.append(len(held))
    return gained


def _value(name: str, gained: Sequence[int], facts: int) -> float:
    base, k = cutoff(name)
    assert k is not None
    if base == "map":
        shares = (count / rank for rank, count in enumerate(gained[:k], start=1))
        return sum(shares) / min(facts, _MOST)
    return {"hit": ranks.hit, "mrr": ranks.reciprocal_rank}[base](gained, facts, k)
