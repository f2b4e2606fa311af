"""Which prompt a model is asked for an answer with, by task and language."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answer.prompt import AnswerPrompts, answer_request, load_answer_prompts
from engine.prompts.languages import LANGS
from engine.prompts.templates import load_part, load_prompt
from engine.taxonomy.definitions import load_taxonomy
from engine.text.refusals import is_refusal
from store.records import ItemContent, Passage, Turn

OWN = ("continuation", "hallucination_fix", "summarization")
TASKS = sorted(
    {task.key for name in ("omnieval", "crud", "ekrag") for task in load_taxonomy(name).tasks}
)
PASSAGE = Passage("d", "年报", "净利润12.5亿元。")
DECLINES = {"zh": "资料中没有足够的信息", "en": "The documents do not say."}


def system_message(
    task: str, lang, folder: Path, *, closed_book: bool = False, by_task: bool = False
) -> str:
    prompts = AnswerPrompts(load_answer_prompts(folder, [task], closed_book, by_task=by_task))
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


@pytest.mark.parametrize("closed_book", [False, True])
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", [task for task in TASKS if task not in (*OWN, "no_answer")])
def test_an_answer_may_be_asked_for_in_the_form_of_its_task(
    task: str, lang, closed_book: bool, tmp_path: Path
) -> None:
    form = load_part(f"answer/form/{task}", lang)
    told, general = (
        system_message(one, lang, tmp_path, closed_book=closed_book, by_task=True)
        for one in (task, "no_answer")
    )
    # a question without an answer is asked like any other, or its prompt would say what it is
    assert told == f"{general}\n\n{form}"


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


def test_a_workspaces_own_form_and_general_template_are_joined(tmp_path: Path) -> None:
    own = tmp_path / "prompts/en/answer"
    (own / "form").mkdir(parents=True)
    (own / "general.txt").write_text("[system]\nAnswer.\n[user]\n{documents}{history}{question}")
    (own / "form/numerical.txt").write_text("The figure alone.\n")
    assert system_message("numerical", "en", tmp_path, by_task=True) == (
        "Answer.\n\nThe figure alone."
    )
