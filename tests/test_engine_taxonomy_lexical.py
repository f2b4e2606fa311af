"""Topics by shared words: what belongs together is one topic, named by its words."""

from __future__ import annotations

import pytest

from engine.taxonomy.lexical import propose_topics
from store.errors import InputError

THEMES = (
    "The hospital treated patients with surgery, nurses and vaccine doses in ward {}.",
    "The football club won the match, its goalkeeper and striker cheered by fans in round {}.",
    "台风带来暴雨，气象部门发布预警，河流水位上涨，第{}号通报要求防汛。",
)


def texts(count: int) -> list[str]:
    return [theme.format(number) for number in range(count) for theme in THEMES]


def test_texts_of_one_theme_make_one_topic():
    root = propose_topics(texts(10), "news", 3)
    assert root.name == "news"
    found = [set(node.terms) for node in root.below]
    assert len(found) == 3
    for words in ({"hospital", "nurses"}, {"football", "striker"}, {"台风", "暴雨"}):
        assert sum(words <= terms for terms in found) == 1
    assert all(node.name == " / ".join(node.terms[:3]) for node in root.below)


def test_equal_texts_give_equal_topics():
    assert propose_topics(texts(8), "n", 3, seed=4) == propose_topics(texts(8), "n", 3, seed=4)


def test_too_few_documents_and_documents_without_words_are_refused():
    with pytest.raises(InputError, match="3 documents are too few"):
        propose_topics(texts(1), "n", 3)
    with pytest.raises(InputError, match="share no words"):
        propose_topics([str(number) for number in range(20)], "n", 3)
