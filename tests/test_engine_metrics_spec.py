"""The registry of metrics knows every name of every variant, and helps with the wrong ones."""

from __future__ import annotations

import pytest

from engine.metrics.spec import SPECS, VARIANTS, cutoff, metric_names, normalised, resolve
from store.errors import UsageError


def test_each_variant_lists_its_metrics_in_display_order():
    assert metric_names("standard", cutoffs=(5,)) == (
        *("em", "f1", "rouge1", "rouge2", "rougeL", "bleu"),
        *("map", "mrr", "ndcg@5", "recall@5", "precision@5", "hit@5"),
        *("accuracy", "completeness", "hallucination", "utilization", "numerical_accuracy"),
        *("passage_relevance", "passage_necessity"),
    )
    assert metric_names("omnieval") == ("em", "f1", "rouge1", "rouge2", "rougeL", "map", "mrr")
    assert metric_names("crud", "text") == (
        *("bleu", "bleu1", "bleu2", "bleu3", "bleu4", "rougeL", "f1", "length"),
    )
    assert metric_names("financerag", "ranking", cutoffs=(1, 10)) == (
        *("map", "ndcg@1", "ndcg@10", "recall@1", "recall@10", "precision@1", "precision@10"),
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_listed_name_resolves_to_a_spec_of_that_name_and_variant(variant):
    for name in metric_names(variant):
        spec = resolve(name, variant)
        assert (spec.name, spec.variant) == (name, variant)
        assert spec.description
        assert spec.source


def test_a_cut_off_is_part_of_the_resolved_name():
    assert resolve("ndcg@7").name == "ndcg@7"
    assert cutoff("ndcg@7") == ("ndcg", 7)
    assert cutoff("map") == ("map", None)


@pytest.mark.parametrize(
    ("name", "variant", "hint"),
    [
        ("rougel", "standard", "rougeL"),
        ("NDCG@10", "standard", "ndcg@10"),
        ("ndcg", "standard", "ndcg@10"),
        ("ndcg@0", "standard", "ndcg@10"),
        ("ndcg@k", "standard", "ndcg@10"),
        ("map@10", "standard", "Write map"),
        ("bleu", "omnieval", "standard, crud"),
        ("hit@5", "financerag", "standard"),
        ("zzz", "crud", "bleu, bleu1"),
        ("em", "squad", "standard, omnieval, crud, financerag"),
    ],
)
def test_an_unknown_name_is_refused_with_what_to_write(name, variant, hint):
    with pytest.raises(UsageError) as refusal:
        resolve(name, variant)
    assert hint in str(refusal.value)


def test_retrieval_and_the_judges_of_retrieved_text_do_not_apply_closed_book():
    closed_book = {spec.name for spec in SPECS if "retrieved" not in spec.needs}
    assert closed_book.isdisjoint({"hallucination", "utilization", "map", "mrr", "ndcg@k"})
    assert {"em", "accuracy", "completeness", "numerical_accuracy"} <= closed_book


def test_only_hallucination_and_what_answers_take_are_better_low():
    low = {spec.name for spec in SPECS if spec.higher_is_better is False}
    assert low == {"hallucination", "latency_ms", "tokens", "cost"}


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("accuracy", (0, 1, 2)),
        ("completeness", (0, 1, 2)),
        ("hallucination", (0, 1)),
        ("utilization", (0, 1, 2)),
        ("numerical_accuracy", (0, 1)),
    ],
)
def test_judge_scales_are_normalised_onto_0_to_1(name, legal):
    spec = resolve(name)
    assert spec.values == legal
    assert [normalised(spec, value) for value in legal] == [v / max(legal) for v in legal]
    with pytest.raises(ValueError, match=name):
        normalised(spec, max(legal) + 1)
    with pytest.raises(ValueError, match=name):
        normalised(spec, -1)


def test_a_judge_gives_whole_values_of_the_scale_and_na_for_two_metrics_only():
    assert {spec.name for spec in SPECS if spec.allows_na} == {"completeness", "numerical_accuracy"}
    assert resolve("completeness").legal_values == "0, 1, 2, null"
    assert resolve("accuracy").legal_values == "0, 1, 2"
    assert [resolve("completeness").allows(value) for value in (2, "na", 3, 0.5, True, "2")] == [
        *(True, True, False, False, False, False),
    ]
    assert not resolve("accuracy").allows("na")
