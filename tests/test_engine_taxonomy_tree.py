"""Trees of names become taxonomies; taxonomies are pruned."""

from __future__ import annotations

import json

import pytest

from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.tree import TreeNode, pruned, read_authors_tree, taxonomy_of_tree
from store.errors import InputError, UsageError

OMNIEVAL = load_taxonomy("omnieval")


def node(name: str, *below: object) -> dict[str, object]:
    return {
        "topic_name": name,
        "sub_topics": [one if isinstance(one, dict) else node(str(one)) for one in below],
    }


def read(tree: object) -> TreeNode:
    root = read_authors_tree(json.dumps(tree).encode(), "tree.json")
    assert root is not None
    return root


def test_the_authors_finance_topics_are_recognised_whole():
    tree = node(
        "金融",
        node("银行业务", node("零售银行", "储蓄账户", "信用卡")),
        node("监管与合规", "反洗钱（AML）"),
        node("投资", "基金", "艺术品"),
    )
    made = taxonomy_of_tree(read(tree), "own", OMNIEVAL, OMNIEVAL.topics)
    assert [topic.key for topic in made.topics] == [
        "retail_banking",
        "反洗钱_aml",
        "fund",
        "艺术品",
    ]
    assert made.topics[0] == OMNIEVAL.topics[0]
    assert made.name == "金融"
    assert made.tasks == OMNIEVAL.tasks


def test_names_below_the_second_level_become_terms_and_short_branches_topics():
    tree = node("医疗", node("内科", node("心血管", "高血压", "冠心病", "高血压")), "护理")
    made = taxonomy_of_tree(read(tree), "health", OMNIEVAL)
    assert [(topic.key, topic.group_zh, topic.terms) for topic in made.topics] == [
        ("心血管", "内科", ("高血压", "冠心病")),
        ("护理", "", ()),
    ]


def test_topics_of_one_name_have_keys_of_their_own():
    tree = node("X", node("A", "Other", "Unassigned"), node("B", "other", "???"))
    made = taxonomy_of_tree(read(tree), "x", OMNIEVAL)
    assert [topic.key for topic in made.topics] == ["other", "unassigned_2", "other_2", "topic"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "tree.json: "),
        (json.dumps(node("X")).encode(), "no topic below its root"),
        (b'{"topic_name": "X", "sub_topics": [{"sub_topics": []}]}', "below 'X' has no topic_name"),
        (b'{"topic_name": "X", "sub_topics": ["Y"]}', "below 'X' is not an object"),
        (b'{"topic_name": "X", "sub_topics": {"a": 1}}', "sub_topics of 'X' is not a list"),
    ],
)
def test_a_broken_tree_is_refused_naming_the_place(data: bytes, message: str):
    with pytest.raises(InputError, match=message):
        read_authors_tree(data, "tree.json")


def test_a_tree_nested_without_end_is_refused():
    deep = b'{"topic_name": "t", "sub_topics": [' * 450 + b"]}" * 450
    with pytest.raises(InputError, match="nested more than 50 levels deep"):
        read_authors_tree(deep, "tree.json")


def test_another_layout_is_no_tree():
    assert read_authors_tree(b'{"key": "own", "topics": []}', "own.json") is None


def test_topics_and_whole_groups_are_dropped_and_topics_renamed():
    made = pruned(
        OMNIEVAL,
        key="own",
        drop=["Insurance", "金融科技", "fund"],
        rename={"bond_market": "Bonds", "stock_market": "Shares"},
        lang="en",
    )
    assert made.key == "own"
    assert len(made.topics) == 16 - 3 - 3 - 1
    bonds = next(topic for topic in made.topics if topic.key == "bond_market")
    assert (bonds.zh, bonds.en) == ("债券市场", "Bonds")
    both = pruned(OMNIEVAL, rename={"fund": "ETF"}).topics[5]
    assert (both.key, both.zh, both.en) == ("fund", "ETF", "ETF")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"drop": ["nothing"]}, "no topic 'nothing'"),
        ({"rename": {"Insurance": "X"}}, "no topic 'Insurance'"),
        ({"rename": {"fund": " "}}, "is blank"),
        ({"drop": [topic.key for topic in OMNIEVAL.topics]}, "No topic would be left"),
    ],
)
def test_what_is_no_pruning_is_refused(changes: dict[str, object], message: str):
    with pytest.raises(UsageError, match=message):
        pruned(OMNIEVAL, **changes)  # type: ignore[arg-type]
