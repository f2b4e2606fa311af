"""Matches retrieved chunks with evidence units, so that gold evidence fits any chunking.

A unit is one distinct evidence span; evidence without a span is the whole document. A chunk is
credited with every unit of its document that it overlaps by at least half of the shorter of the
two (every chunk of a document lies wholly in the whole document), and a unit counts once, at the
first rank that holds it. With n_r the number of units credited at rank r, N that of all units and
H_r the number of ranks up to r that were credited with something:

- map = 1/N * sum over r of n_r * H_r / r: several units at a rank share that rank's precision;
- mrr = 1 / the first rank with n_r > 0;
- recall@k = sum over r <= k of n_r, over N;
- precision@k = H_k / k; hit@k = 1 if H_k > 0;
- ndcg@k = DCG / ideal DCG. The gain of a rank is the sum of the grades of its units (n_r where
  all have grade 1), so that they share its discount. The ideal list has this list's gains of the
  first k ranks and the grade of every unit that is missing from them, one a rank, in falling order
  (as in alpha-nDCG with alpha = 1, Clarke et al. 2008).

All lie in [0, 1], higher is better. Whole documents against whole documents give the values of
`engine.metrics.ranking`, and so those of trec_eval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.metrics import ranks
from engine.metrics.spec import cutoff, without_value
from store.records import Evidence, Hit, MetricScore, ScoreState, Span

VARIANT = "standard"


def credit(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> list[tuple[int, ...]]:
    """For each rank the indices into `evidence` of the units newly credited there, rising.

    Evidence with the span of an earlier one is the same unit, and only the earlier is credited.
    """
    open_units: dict[str, dict[int, Span]] = {}
    for span, index in _units(evidence).items():
        open_units.setdefault(span.document_id, {})[index] = span
    credits: list[tuple[int, ...]] = []
    for hit in hits:
        candidates = open_units.get(hit.document_id, {})
        gained = tuple(index for index, span in candidates.items() if _covers(hit, span))
        for index in gained:
            del candidates[index]
        credits.append(gained)
    return credits


def unit_grades(evidence: Sequence[Evidence]) -> dict[int, int]:
    """The grade of each distinct unit, by its index into `evidence`."""
    return {index: evidence[index].grade for index in _units(evidence).values()}


def score_evidence(
    hits: Sequence[Hit],
    evidence: Sequence[Evidence],
    metrics: Iterable[str],
) -> list[MetricScore]:
    """One score for each of `metrics` (`map mrr ndcg@k recall@k precision@k hit@k`), in order.

    Without evidence the state is `na`.
    """
    if not evidence:
        return without_value(VARIANT, metrics, ScoreState.NA, "the item names no evidence")
    credits, grades = credit(hits, evidence), unit_grades(evidence)
    return [MetricScore(name, VARIANT, credit_value(name, credits, grades)) for name in metrics]


def credit_value(name: str, credits: Sequence[tuple[int, ...]], grades: Mapping[int, int]) -> float:
    """The value of one metric from the credits of a list and the grades of all units, 1 or more.

    Raises KeyError for a name that is no ranking metric.
    """
    gained_at = [len(gained) for gained in credits]
    base, cut = cutoff(name)
    if cut is None:
        return ranks.WHOLE_LIST[base](gained_at, len(grades), None)
    if base == "ndcg":
        return _ndcg(credits[:cut], grades, cut)
    return ranks.AT_K[base](gained_at, len(grades), cut)


def _ndcg(credits: Sequence[tuple[int, ...]], grades: Mapping[int, int], k: int) -> float:
    gains = [sum(grades[index] for index in gained) for gained in credits]
    inside = {index for gained in credits for index in gained}
    missing = [grade for index, grade in grades.items() if index not in inside]
    return ranks.ndcg(gains, [*gains, *missing], k)


def _units(evidence: Sequence[Evidence]) -> dict[Span, int]:
    units: dict[Span, int] = {}
    for index, unit in enumerate(evidence):
        units.setdefault(unit.span, index)
    return units


def _covers(hit: Hit, span: Span) -> bool:
    if span.start is None or span.end is None:
        return True
    shared = min(hit.end, span.end) - max(hit.start, span.start)
    return shared > 0 and 2 * shared >= min(hit.end - hit.start, span.end - span.start)
