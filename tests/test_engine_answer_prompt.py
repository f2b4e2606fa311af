"""Which prompt a model is asked for an answer with, by task and language."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answer.prompt import AnswerPrompts, answer_request, load_answer_prompts
from engine.prompts.languages import LANGS
from engine.prompts.templates import load_prompt
from engine.taxonomy.definitions import load_taxonomy
from engine.text.refusals import is_refusal
from store.records import ItemContent, Passage, Turn

OWN = ("continuation", "hallucination_fix", "summarization")
TASKS = sorted(
    {task.key for name in ("omnieval", "crud", "ekrag") for task in load_taxonomy(name).tasks}
)
PASSAGE = Passage("d", "年报", "净利润12.5亿元。")
DECLINES = {"zh": "资料中没有足够的信息", "en": "The documents do not say."}


def system_message(task: str, lang, folder: Path, *, closed_book: bool = False) -> str:
    prompts = AnswerPrompts(load_answer_prompts(folder, [task], closed_book))
    content = ItemContent((Turn("请续写下面这篇文章：甲公司……"),), "fund", task, lang)
    request = answer_request(prompts, content, 0, (), None if closed_book else (PASSAGE,))
    assert "请续写下面这篇文章：甲公司……" in request.messages[1].content
    assert closed_book or PASSAGE.text in request.messages[1].content
    return request.messages[0].content


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", TASKS)
def test_only_what_asks_for_an_answer_may_be_declined(task: str, lang, tmp_path: Path) -> None:
    assert is_refusal(DECLINES[lang])
    told = system_message(task, lang, tmp_path)
    assert (DECLINES[lang] in told) is (task not in OWN)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", ["continuation", "hallucination_fix"])
def test_nor_without_documents(task: str, lang, tmp_path: Path) -> None:
    declines = {"zh": "我不知道", "en": "I do not know."}[lang]
    assert declines in system_message("extractive", lang, tmp_path, closed_book=True)
    assert declines not in system_message(task, lang, tmp_path, closed_book=True)


def test_a_run_of_other_tasks_freezes_the_general_prompts_alone(tmp_path: Path) -> None:
    frozen = load_answer_prompts(tmp_path, ["extractive", "qa_2doc"], closed_book=False)
    assert frozen == {
        f"{lang}/answer/general": load_prompt("answer/general", lang).text for lang in LANGS
    }


def test_a_run_that_began_before_a_task_had_a_prompt_keeps_the_general_one() -> None:
    frozen = {f"{lang}/answer/general": load_prompt("answer/general", lang).text for lang in LANGS}
    assert (
        AnswerPrompts(frozen).find("continuation", "en", closed_book=False).id == "answer/general"
    )


def test_the_workspaces_own_prompt_for_the_task_wins(tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "zh" / "answer" / "continuation.txt"
    own.parent.mkdir(parents=True)
    own.write_text("[system]\n写下去。\n[user]\n{documents}{history}{question}", "utf-8")
    assert system_message("continuation", "zh", tmp_path) == "写下去。"
