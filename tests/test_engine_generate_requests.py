"""Requests carry documents, topic and task, and know the prompt they were made with."""

from __future__ import annotations

import json

import msgspec
import pytest
from generate_samples import CARD, FUND, OMNIEVAL, TASKS

from engine.generate import requests
from engine.prompts.templates import load_prompt
from store.errors import NotFound
from store.records import Evidence, ItemContent, Turn

TOPIC = next(topic for topic in OMNIEVAL.topics if topic.key == "fund")


def text_of(asked: requests.Asked) -> str:
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


@pytest.mark.parametrize("key", list(TASKS))
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_generation_shows_documents_requirement_and_rules(key, lang):
    task = TASKS[key]
    documents = [FUND] if key == "extractive" else [FUND, CARD]
    prompt = requests.generation_prompt(task, lang)
    shown = text_of(requests.generation_request(documents, TOPIC, task, prompt, count=2))
    assert (task.requirement_zh if lang == "zh" else task.requirement_en) in shown
    assert all(document.text in shown for document in documents)
    assert "relevant_passage" in shown
    assert ("逐字" if lang == "zh" else "word for word") in shown
    assert ("文档 2" if lang == "zh" else "document 2") not in shown or len(documents) == 2


def test_braces_of_a_document_reach_the_model_as_they_are():
    document = msgspec.structs.replace(FUND, text='{"topic": {slot}} {documents}')
    prompt = requests.generation_prompt(TASKS["extractive"], "zh")
    shown = text_of(requests.generation_request([document], TOPIC, TASKS["extractive"], prompt))
    assert '{"topic": {slot}} {documents}' in shown


def test_a_task_without_a_prompt_of_its_own_takes_the_general_one(tmp_path):
    task = msgspec.structs.replace(TASKS["extractive"], prompt="crud/qa_1doc")
    assert requests.prompt_of(task, "zh") == "generate/task"
    own = tmp_path / "zh" / "crud"
    own.mkdir(parents=True)
    (own / "qa_1doc.txt").write_text("[system]\nx\n[user]\ny", encoding="utf-8")
    assert requests.prompt_of(task, "zh", tmp_path) == "crud/qa_1doc"
    with pytest.raises(NotFound):
        requests.prompt_of(msgspec.structs.replace(task, prompt=""), "zh")


def test_an_item_is_shown_as_models_write_it():
    turn = Turn("问？", ("答",), (Evidence(FUND.document_id, 0, 3, FUND.text[:3]),))
    single = json.loads(requests.item_json(ItemContent((turn,))))
    assert single == {"question": "问？", "answer": ["答"], "relevant_passage": [FUND.text[:3]]}
    assert len(json.loads(requests.item_json(ItemContent((turn, turn))))) == 2
    prompt = load_prompt(requests.INSPECTION, "zh")
    item = ItemContent((turn,))
    asked = requests.inspection_request(item, [FUND], TOPIC, TASKS["extractive"], prompt)
    assert "问？" in text_of(asked)


def test_long_documents_end_with_a_sentence():
    text = "一句话在这里。" * 30
    assert requests.shortened(text, 50) == "一句话在这里。" * 7
    assert requests.shortened("短", 50) == "短"


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
