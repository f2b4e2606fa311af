"""Names that are one entity, and finding them in texts, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.graph.linking import THRESHOLD, Occurrences, likeness, link


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Deferred tax assets", "total deferred tax assets", 3 / 4),
        ("Deferred tax assets", "Deferred tax liabilities", 2 / 4),
        ("中国农业银行", "中国农业银行苏州", 5 / 7),
        ("国防部", "国防部", 1),
        ("国防部", "财政部", 0),
        ("2018 annual report", "2019 annual report", 0),
    ],
)
def test_likeness_is_jaccard_over_words_or_pairs_of_characters(
    first: str, second: str, expected: float
) -> None:
    assert likeness(first, second) == pytest.approx(expected)
    assert likeness(second, first) == likeness(first, second)


def test_alike_names_become_aliases_of_the_most_frequent() -> None:
    counts = {"Total deferred tax assets": 1, "Deferred tax assets": 3, "Hong Kong": 2}
    entities = link(counts)
    assert [entity.name for entity in entities] == ["Deferred tax assets", "Hong Kong"]
    assert entities[0].aliases == ("Deferred tax assets", "Total deferred tax assets")


NAMES = st.dictionaries(
    st.lists(st.sampled_from(["tax", "net", "bank", "银行", "中国"]), min_size=1, max_size=4).map(
        " ".join
    ),
    st.integers(1, 9),
)


@given(NAMES)
def test_every_name_is_of_one_entity_whose_own_name_it_is_like(counts: dict[str, int]) -> None:
    entities = link(counts)
    assert sorted(alias for one in entities for alias in one.aliases) == sorted(counts)
    for entity in entities:
        for alias in entity.aliases[1:]:
            assert likeness(alias, entity.name) > THRESHOLD


def test_occurrences_are_whole_words_in_english_and_any_place_in_chinese() -> None:
    occurrences = Occurrences({"Hong Kong": 1, "中国银行": 2, "Net income": 3})
    assert occurrences.of("In  HONG KONG, 中国银行的 net income") == [1, 2, 3]
    assert occurrences.of("Hong Kongers have net incomes") == []


def test_a_name_within_a_longer_one_is_not_named() -> None:
    occurrences = Occurrences(
        {"俄罗斯": 1, "白俄罗斯": 2, "Heron Bank": 3, "Heron Bank of Oslo": 4}
    )
    assert occurrences.of("白俄罗斯与 Heron Bank of Oslo") == [2, 4]
    assert occurrences.of("俄罗斯与 Heron Bank") == [1, 3]
