"""The chunk that a piece of evidence stands in."""

from __future__ import annotations

from engine.difficulty.references import reference_of
from store.records import Evidence, Span

FIRST, SECOND = Span("d", 0, 12), Span("d", 10, 24)
PLACES = {"d": [FIRST, SECOND]}


def test_it_is_the_one_that_holds_most_of_it_and_the_first_of_equals() -> None:
    assert reference_of(Evidence("d", 9, 20), PLACES, {}) == SECOND
    assert reference_of(Evidence("d", 10, 12), PLACES, {}) == FIRST


def test_of_a_whole_document_it_is_the_one_most_like_the_question() -> None:
    assert reference_of(Evidence("d"), PLACES, {SECOND: 0.3}) == SECOND


def test_evidence_outside_of_the_corpus_has_none() -> None:
    assert reference_of(Evidence("gone", 0, 4), PLACES, {}) is None
    assert reference_of(Evidence("d", 30, 40), PLACES, {}) is None
