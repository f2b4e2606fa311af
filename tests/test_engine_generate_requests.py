"""Requests carry documents, topic and task, and know the prompt they were made with."""

from __future__ import annotations

import json

import msgspec
import pytest
from generate_samples import CARD, FUND, OMNIEVAL, TASKS

from engine.generate import requests
from engine.prompts.templates import PromptedRequest, load_prompt
from store.errors import NotFound
from store.records import Evidence, ItemContent, Turn

TOPIC = next(topic for topic in OMNIEVAL.topics if topic.key == "fund")


def text_of(asked: PromptedRequest) -> str:
    return "\n".join(message.content for message in asked.request.messages)


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
    task = msgspec.structs.replace(TASKS["extractive"], prompt="own/task")
    assert requests.prompt_of(task, "zh") == "generate/task"
    own = tmp_path / "zh" / "own"
    own.mkdir(parents=True)
    (own / "task.txt").write_text("[system]\nx\n[user]\ny", encoding="utf-8")
    assert requests.prompt_of(task, "zh", tmp_path) == "own/task"
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
