"""Requests about topics carry numbered topics, a document or samples of a corpus."""

from __future__ import annotations

import pytest
from generate_samples import CARD, FUND, OMNIEVAL

from engine.prompts.templates import PromptedRequest, load_prompt
from engine.taxonomy import requests


def text_of(asked: PromptedRequest) -> str:
    return "\n".join(message.content for message in asked.request.messages)


def test_classification_numbers_the_topics_from_one():
    asked = requests.classification_request(
        FUND, OMNIEVAL, load_prompt(requests.CLASSIFICATION, "zh")
    )
    shown = text_of(asked)
    assert '{"id": 1, "topic_name": "银行业务 - 零售银行"}' in shown
    assert '{"id": 16, ' in shown
    assert FUND.title in shown
    assert FUND.text in shown
    assert asked.prompt_hash == load_prompt("topics/classify", "zh").hash


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_topic_tree_is_asked_for_with_domain_depth_count_and_samples(lang):
    prompt = load_prompt(requests.TOPIC_TREE, lang)
    shown = text_of(requests.topic_tree_request("保险", [FUND, CARD], prompt, depth=3, count=7))
    assert prompt.slots == {"domain", "depth", "count", "documents"}
    assert all(text in shown for text in ("保险", "3", "7", f"1. {FUND.title}", CARD.text[:40]))


def test_a_tree_prompt_of_ones_own_need_not_show_samples(tmp_path):
    own = tmp_path / "en" / "topics"
    own.mkdir(parents=True)
    (own / "tree.txt").write_text("[system]\n{depth}\n[user]\n{domain}", encoding="utf-8")
    prompt = load_prompt(requests.TOPIC_TREE, "en", tmp_path)
    shown = text_of(requests.topic_tree_request("Health", [FUND], prompt))
    assert shown == "2\nHealth"
