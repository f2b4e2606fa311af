"""Prompt templates are found by language, overridden by a workspace, and filled plainly."""

from __future__ import annotations

import pytest

from engine.models.chat import Message
from engine.prompts.templates import PromptText, has_prompt, load_prompt, prompt_ids
from engine.taxonomy.definitions import load_taxonomy
from store.errors import InputError, NotFound

LANGS = ("zh", "en")


def prompt(text: str) -> PromptText:
    return PromptText("x", "en", text, "h")


@pytest.mark.parametrize("lang", LANGS)
def test_every_purpose_has_a_prompt(lang):
    wanted = {"topics/tree", "topics/classify", "inspect/item", "generate/task"}
    taxonomies = map(load_taxonomy, ("omnieval", "ekrag"))
    wanted |= {task.prompt for taxonomy in taxonomies for task in taxonomy.tasks}
    assert wanted <= set(prompt_ids(lang))


def test_both_languages_have_the_same_prompts_with_the_same_slots():
    assert prompt_ids("zh") == prompt_ids("en")
    for name in prompt_ids("zh"):
        assert load_prompt(name, "zh").slots == load_prompt(name, "en").slots


@pytest.mark.parametrize("lang", LANGS)
def test_included_rules_stand_in_the_text_and_count_for_the_hash(lang, tmp_path):
    shipped = load_prompt("generate/extractive", lang)
    assert "{>" not in shipped.text
    own = tmp_path / lang / "generate"
    own.mkdir(parents=True)
    (own / "rules.txt").write_text("Only short questions.", encoding="utf-8")
    changed = load_prompt("generate/extractive", lang, tmp_path)
    assert "Only short questions." in changed.text
    assert changed.hash != shipped.hash


def test_filling_touches_no_brace_of_a_value_or_an_example():
    made = prompt('[system]\nReply {"id": 1} and {1}.\n[user]\n{documents}').fill(
        {"documents": 'x {task} {"a": {}} {{b}}'}
    )
    assert made == (
        Message("system", 'Reply {"id": 1} and {1}.'),
        Message("user", 'x {task} {"a": {}} {{b}}'),
    )


def test_a_slot_without_value_and_a_value_without_slot_are_refused_by_name():
    with pytest.raises(InputError, match=r"unknown slot \{text\}"):
        prompt("[system]\na\n[user]\n{text}").fill({})
    with pytest.raises(InputError, match=r"lacks the slot \{documents\}"):
        prompt("[system]\na\n[user]\nb").fill({"documents": "d"})


def test_an_optional_value_needs_no_slot():
    made = prompt("[system]\na\n[user]\nb").fill({}, {"count": "3"})
    assert made[1].content == "b"
    assert prompt("[system]\n{count}\n[user]\nb").fill({}, {"count": "3"})[0].content == "3"


def test_an_override_wins_and_a_broken_one_is_named(tmp_path):
    own = tmp_path / "en" / "topics" / "classify.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\nS {topics}\n[user]\nU {document}\n", encoding="utf-8")
    assert load_prompt("topics/classify", "en", tmp_path).text.startswith("[system]\nS")
    own.write_text("no parts", encoding="utf-8")
    with pytest.raises(InputError, match=r"classify\.txt"):
        load_prompt("topics/classify", "en", tmp_path)
    own.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_prompt("topics/classify", "en", tmp_path)


def test_files_that_take_in_each_other_are_refused(tmp_path):
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "a.txt").write_text("[system]\n{>b}\n[user]\nx", encoding="utf-8")
    (tmp_path / "en" / "b.txt").write_text("{>b}", encoding="utf-8")
    with pytest.raises(InputError, match="too deeply"):
        load_prompt("a", "en", tmp_path)


def test_a_prompt_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with pytest.raises(NotFound, match="topics/tree"):
        load_prompt("topics/none", "zh")
    assert not has_prompt("../secret", "zh", tmp_path)
    assert has_prompt("topics/tree", "zh")
