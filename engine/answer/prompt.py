"""Asking a model for an answer: the documents, the earlier turns and the question as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.models.chat import ChatRequest
from engine.prompts.history import history_text
from engine.prompts.languages import LANGS
from engine.prompts.templates import FrozenPrompts, PromptText, has_prompt, load_part, load_prompt
from store.records import ItemContent, Lang, Passage
from store.systems import ContextFormat

_GENERAL = {False: "answer/general", True: "answer/closed_book"}

FUSION = "answer/fusion"

_LAYOUTS: dict[ContextFormat, dict[Lang, str]] = {
    "titled": {"zh": "[{}] 标题：{}\n{}", "en": "[{}] Title: {}\n{}"},
    "omnieval": {"zh": "Doc {}(Title: {}) {}", "en": "Doc {}(Title: {}) {}"},
    "plain": {"zh": "{2}", "en": "{2}"},
}
"""A passage with its number and title, by the format that a system names."""


class AnswerPrompts:
    """The frozen templates of a run, by `LANG/ID`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._frozen = FrozenPrompts(texts)

    def find(self, task: str, lang: Lang, closed_book: bool) -> PromptText:
        """The task's own template where the run froze one, else the general one."""
        own = _task_id(task, closed_book)
        id = own if self._frozen.has(own, lang) else _GENERAL[closed_book]
        return self._frozen.find(id, lang)

    def fusion(self, lang: Lang) -> PromptText:
        return self._frozen.find(FUSION, lang)


def load_answer_prompts(
    workspace: Path,
    tasks: Sequence[str],
    closed_book: bool,
    *,
    by_task: bool = False,
    in_halves: bool = False,
) -> dict[str, str]:
    """The templates that a run freezes: the general ones, and those for tasks, the workspace's or
    shipped ones.

    What a task wants that is no answer, such as a continuation, has a template of its own: the
    general ones tell a model to decline where it finds no answer. `by_task` gives other tasks the
    general template with a sentence on the form of their answers, `answer/form/TASK`. Questions
    without an answer have none, since a form of their own would tell a model what they are.
    `in_halves` adds the template that joins two answers.
    """
    overrides = workspace / "prompts"
    prompts = {}
    for lang in LANGS:
        general = load_prompt(_GENERAL[closed_book], lang, overrides)
        prompts[f"{lang}/{general.id}"] = general.text
        if in_halves:
            prompts[f"{lang}/{FUSION}"] = load_prompt(FUSION, lang, overrides).text
        for task in tasks:
            id = _task_id(task, closed_book)
            form = load_part(f"answer/form/{task}", lang, overrides) if by_task else None
            if has_prompt(id, lang, overrides):
                prompts[f"{lang}/{id}"] = load_prompt(id, lang, overrides).text
            elif form is not None:
                prompts[f"{lang}/{id}"] = general.with_rule(form)
    return prompts


def _task_id(task: str, closed_book: bool) -> str:
    return f"answer/closed_book_{task}" if closed_book else f"answer/{task}"


def answer_request(
    prompts: AnswerPrompts,
    content: ItemContent,
    turn: int,
    history: Sequence[tuple[str, str]],
    passages: Sequence[Passage] | None,
    layout: ContextFormat = "titled",
) -> ChatRequest:
    """The request for one turn's answer; `passages` is None for closed-book."""
    lang = content.lang
    prompt = prompts.find(content.task, lang, closed_book=passages is None)
    values = {"question": content.turns[turn].question, "history": history_text(history, lang)}
    if passages is not None:
        values["documents"] = "\n\n".join(
            _LAYOUTS[layout][lang].format(number, passage.title, passage.text)
            for number, passage in enumerate(passages, 1)
        )
    return ChatRequest(prompt.fill(values))


def fusion_request(
    prompts: AnswerPrompts,
    content: ItemContent,
    turn: int,
    history: Sequence[tuple[str, str]],
    answers: tuple[str, str],
) -> ChatRequest:
    """The request that joins two answers to one turn, each from a half of the passages."""
    lang = content.lang
    first, second = answers
    values = {
        "question": content.turns[turn].question,
        "history": history_text(history, lang),
        "first": first,
        "second": second,
    }
    return ChatRequest(prompts.fusion(lang).fill(values))
