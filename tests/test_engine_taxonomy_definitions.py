"""The shipped taxonomies, and what a taxonomy file must hold."""

from __future__ import annotations

import json

import pytest

from engine.metrics.spec import resolve
from engine.taxonomy.definitions import load_taxonomy, parse_taxonomy, shipped_taxonomies
from store.errors import InputError, NotFound

TASKS = {
    "omnieval": ["extractive", "multi_hop", "contrast", "long_form", "conversational"],
    "crud": [
        "continuation",
        "qa_1doc",
        "qa_2doc",
        "qa_3doc",
        "hallucination_fix",
        "summarization",
    ],
    "ekrag": ["extractive", "abstractive", "summarization", "numerical", "no_answer"],
}


def a_taxonomy(**changes):
    topic = {"key": "fund", "zh": "基金", "en": "Fund", "terms": ["基金"]}
    task = {"key": "extractive", "zh": "抽取", "en": "Extractive"}
    whole = {"key": "own", "name": "Own", "topics": [topic], "tasks": [task]}
    return json.dumps(whole | changes).encode()


def test_four_taxonomies_are_shipped():
    assert shipped_taxonomies() == ("autoevolve", "crud", "ekrag", "omnieval")


@pytest.mark.parametrize("key", TASKS)
def test_each_has_its_tasks_and_the_sixteen_finance_topics(key):
    taxonomy = load_taxonomy(key)
    assert taxonomy.key == key
    assert [task.key for task in taxonomy.tasks] == TASKS[key]
    assert len(taxonomy.topics) == 16
    assert taxonomy.topics == load_taxonomy("omnieval").topics


def test_topics_keep_the_order_of_the_matrix_and_stand_in_groups():
    topics = load_taxonomy("omnieval").topics
    assert [topic.key for topic in topics] == [
        "retail_banking",
        "commercial_banking",
        "investment_banking",
        "stock_market",
        "bond_market",
        "fund",
        "derivatives_market",
        "life_insurance",
        "property_insurance",
        "health_insurance",
        "blockchain",
        "artificial_intelligence",
        "big_data",
        "anti_money_laundering",
        "compliance_audit",
        "regulatory_reporting",
    ]
    groups = [topic.group_en for topic in topics]
    assert [groups.count(group) for group in dict.fromkeys(groups)] == [3, 4, 3, 3, 3]


def test_every_topic_is_known_by_terms_of_both_languages():
    for topic in load_taxonomy("omnieval").topics:
        english = [term for term in topic.terms if term.isascii()]
        assert 25 <= len(topic.terms) <= 60, topic.key
        assert 10 <= len(english) <= len(topic.terms) - 10, topic.key


def test_every_task_says_what_it_requires_in_both_languages():
    for key in shipped_taxonomies():
        for task in load_taxonomy(key).tasks:
            assert task.requirement_zh
            assert task.requirement_en
            assert task.builder
            assert task.prompt
            assert (task.shape == "conversation") == (task.key == "conversational")


def test_crud_tasks_stand_in_its_four_groups():
    groups = [task.group for task in load_taxonomy("crud").tasks]
    assert groups == ["create", "read", "read", "read", "update", "delete"]


def test_tasks_name_metrics_that_exist():
    for key in shipped_taxonomies():
        for task in load_taxonomy(key).tasks:
            assert task.metrics
            assert len(set(task.metrics)) == len(task.metrics)
            for metric in task.metrics:
                assert resolve(metric.replace("@k", "@10"))


def test_an_unknown_taxonomy_is_refused_naming_the_known_ones():
    with pytest.raises(NotFound, match="crud, ekrag, omnieval"):
        load_taxonomy("finance")


def test_a_file_may_take_the_topics_of_a_shipped_taxonomy():
    data = a_taxonomy(topics=[], topics_of="omnieval")
    assert parse_taxonomy(data, "own.json").topics == load_taxonomy("omnieval").topics


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": [{"key": "a", "zh": "甲", "en": "A"}] * 2}, "2 tasks have the key 'a'"),
        ({"topics": [{"key": "a", "zh": "甲", "en": "A"}] * 2}, "2 topics have the key 'a'"),
        ({"topics": [{"key": "unassigned", "zh": "", "en": ""}]}, "cannot be the key of a topic"),
        ({"tasks": [{"key": " ", "zh": "", "en": ""}]}, "cannot be the key of a task"),
        (
            {"topics": [{"key": "a", "zh": "", "en": "", "terms": ["ETF", "etf"]}]},
            "the term 'etf' 2 times",
        ),
        ({"tasks": [{"key": "a", "zh": "甲"}]}, r"own\.json: .*`en`"),
        ({"colour": "red"}, "unknown field `colour`"),
        ({"tasks": [{"key": "a", "zh": "", "en": "", "shape": "poem"}]}, "poem"),
    ],
)
def test_a_broken_taxonomy_is_refused_naming_file_and_field(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        parse_taxonomy(a_taxonomy(**changes), "own.json")
    assert caught.value.message.startswith("own.json")
