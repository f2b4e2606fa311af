"""Scoring one prediction: every rule metric of every variant, and the rule judge's five."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from engine.judge.base import Case
from engine.judge.rules.judge import judge_case
from engine.judge.rules.method import RULES
from engine.metrics.compute import score_ranking, score_text
from engine.metrics.evidence import score_evidence
from engine.metrics.spec import DEFAULT_CUTOFFS, metric_names
from store.records import Evidence, Hit, Lang, MetricScore, Passage, ScoreState, Turn

TEXT_VARIANTS = ("standard", "omnieval", "crud")


class Scores(Struct, frozen=True):
    """`judged` are the judge's, on its scales as stored; `rule` is everything else."""

    rule: tuple[MetricScore, ...]
    judged: tuple[MetricScore, ...]


def score_prediction(
    turn: Turn,
    history: Sequence[tuple[str, str]],
    prediction: str | None,
    hits: Sequence[Hit] | None,
    passages: Sequence[Passage],
    lang: Lang,
    top_k: int,
    retrieval_unknown: bool = False,
    hidden: Collection[str] = (),
    unmatched: int = 0,
) -> Scores:
    """All scores of an answer to `turn`; `prediction` is None for a system that only retrieves.

    `hits` is None for a system that retrieves nothing, and, with `retrieval_unknown`, where an
    answer made elsewhere came without them. Text metrics of all three variants; ranking metrics
    from the evidence that the hits cover (standard, at the system's `top_k` and the usual cut-offs
    below it) and by document id (omnieval); the rule judge. What does not apply is there too, as
    `na` with its reason. Evidence in the documents `hidden`, which no system can find, does not
    count for the ranking metrics; and there are none where some of the hits, `unmatched` in number,
    stand for no document of the corpus.
    """
    evidence = tuple(unit for unit in turn.evidence if unit.document_id not in hidden)
    absent = ""
    if retrieval_unknown:
        absent = "the answer came without what was retrieved"
    elif hits is None:
        absent = "the system retrieves nothing"
    elif unmatched:
        absent = f"{unmatched} of {len(hits)} passages match no document of the corpus"
    elif turn.evidence and not evidence:
        absent = "the item hides the documents of its evidence from systems"
    ranking = _ranking_scores(evidence, hits or (), top_k, absent)
    if prediction is None:
        text = [(name, variant) for variant in TEXT_VARIANTS for name in _text_names(variant)]
        judges = [(name, "standard") for name in (spec.name for spec in RULES.metrics)]
        reason = "the system only retrieves"
        return Scores((*_not_applicable(text, reason), *ranking), _not_applicable(judges, reason))
    golden = turn.golden_answers or None
    rule: list[MetricScore] = []
    for variant in TEXT_VARIANTS:
        rule += score_text(variant, _text_names(variant), prediction, golden)
    case = Case(
        prediction_id=0,
        question=turn.question,
        history=tuple(history),
        golden_answers=turn.golden_answers,
        answer=prediction,
        passages=tuple(passages),
        lang=lang,
        closed_book=hits is None,
        retrieval_unknown=retrieval_unknown,
    )
    return Scores((*rule, *ranking), judge_case(case))


def _text_names(variant: str) -> tuple[str, ...]:
    return metric_names(variant, "text")


def _ranking_scores(
    evidence: Sequence[Evidence], hits: Sequence[Hit], top_k: int, absent: str
) -> tuple[MetricScore, ...]:
    """All `na` where `absent` says why there is nothing to score."""
    # the usual cut-offs too, so that systems of different depth have some in common
    cutoffs = sorted({1, top_k, *(k for k in DEFAULT_CUTOFFS if k < top_k)})
    standard = metric_names("standard", "ranking", cutoffs)
    omnieval = metric_names("omnieval", "ranking")
    if absent:
        names = [*((name, "standard") for name in standard), *((n, "omnieval") for n in omnieval)]
        return _not_applicable(names, absent)
    relevance = {unit.document_id: 1.0 for unit in evidence} or None
    return (
        *score_evidence(hits, evidence, standard),
        *score_ranking("omnieval", omnieval, [hit.document_id for hit in hits], relevance),
    )


def _not_applicable(metrics: Sequence[tuple[str, str]], reason: str) -> tuple[MetricScore, ...]:
    return tuple(
        MetricScore(name, variant, None, ScoreState.NA, reason) for name, variant in metrics
    )
