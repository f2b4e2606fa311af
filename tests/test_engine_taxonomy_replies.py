"""Replies about topics are read strictly: a doubtful topic is none, a tree is cut to its depth."""

from __future__ import annotations

import json

import pytest
from generate_samples import OMNIEVAL

from engine.models.replies import ReplyState
from engine.taxonomy.replies import read_topic, read_tree
from store.records import UNASSIGNED


@pytest.mark.parametrize(
    ("raw", "topic"),
    [('{"topic_id": 6}', "fund"), ('{"topic_id": "6"}', "fund"), ('{"topic_id": 0}', UNASSIGNED)],
)
def test_topics(raw, topic):
    assert read_topic(raw, OMNIEVAL).topic == topic


@pytest.mark.parametrize(
    "raw",
    [
        '{"topic_id": 17}',
        '{"topic_id": 2.7}',
        '{"topic_id": true}',
        '{"topic_id": -1}',
        '{"topic": 6}',
        "[6]",
    ],
)
def test_doubtful_topics_are_unparsed(raw):
    found = read_topic(raw, OMNIEVAL)
    assert (found.state, found.topic) == (ReplyState.UNPARSED, None)
    assert found.problem


def test_trees_are_pruned_of_repeats_and_cut_at_their_depth():
    leaf = {"topic_name": "深", "sub_topics": []}
    tree = {"topic_name": "金融", "sub_topics": [
        {"topic_name": "银行", "sub_topics": [{"topic_name": "零售", "sub_topics": [leaf]}]},
        {"topic_name": "银行", "sub_topics": []}, {"topic_name": " "}, 3]}  # fmt: skip
    root = read_tree(json.dumps(tree)).root
    assert root is not None
    assert [node.name for node in root.below] == ["银行"]
    assert root.below[0].below[0].below == ()
    assert read_tree('{"topic_name": "金融"}').state is ReplyState.UNPARSED


def test_terms_of_a_tree_are_kept_once_and_may_be_missing():
    tree = {"topic_name": "金融", "sub_topics": [
        {"topic_name": "基金", "terms": ["ETF", "etf", " 净值 ", "", 7]},
        {"topic_name": "债券", "terms": "国债"}]}  # fmt: skip
    root = read_tree(json.dumps(tree)).root
    assert root is not None
    assert [node.terms for node in root.below] == [("etf", "净值"), ()]
