"""A retriever is written as one name or as a weighted fusion."""

from __future__ import annotations

import pytest

from engine.retrieve.expression import WeightedRetriever, read_expression
from store.errors import UsageError


@pytest.mark.parametrize(
    ("written", "sides"),
    [
        ("bm25", (WeightedRetriever("bm25"),)),
        ("hybrid:bm25+lsa", (WeightedRetriever("bm25"), WeightedRetriever("lsa"))),
        (
            "hybrid:bm25*0.3+bge.zh-v1*0.7",
            (WeightedRetriever("bm25", 0.3), WeightedRetriever("bge.zh-v1", 0.7)),
        ),
        (
            "hybrid: bm25 + lsa * 2 + 向量",
            (WeightedRetriever("bm25"), WeightedRetriever("lsa", 2.0), WeightedRetriever("向量")),
        ),
    ],
)
def test_names_and_weights_are_read(written, sides):
    assert read_expression(written).sides == sides


@pytest.mark.parametrize(
    "written", ["bm25", "zscore:bm25*0.1+lsa", "concat:a*2.0+b", "union:bm25+lsa", "a:b"]
)
def test_a_join_is_written_as_it_is_read(written):
    assert str(read_expression(written)) == written


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("hybrid:bm25", "joins only one retriever"),
        ("hybrid:", "has an empty name"),
        ("hybrid:bm25+", "has an empty name"),
        ("hybrid:bm25+lsa+bm25", "names 'bm25' twice"),
        ("hybrid:bm25*0+lsa", "the weight '0'"),
        ("hybrid:bm25*+lsa", "the weight ''"),
        ("hybrid:bm25*-1+lsa", "the weight '-1'"),
        ("hybrid:bm25*many+lsa", "the weight 'many'"),
        ("hybrid:bm25*inf+lsa", "the weight 'inf'"),
        ("hybrid:bm25*nan+lsa", "the weight 'nan'"),
    ],
)
def test_what_cannot_be_read_is_named(written, complaint):
    with pytest.raises(UsageError, match=complaint):
        read_expression(written)
