"""Requests to a model: to write items, and to inspect one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from engine.corpus.document import SourceDocument, shown_documents
from engine.generate.builders.base import MAIN
from engine.generate.builders.registry import staged_builder
from engine.prompts.languages import by_lang, name_in
from engine.prompts.templates import PromptedRequest, PromptText, has_prompt, load_prompt
from engine.taxonomy.requests import topic_name
from store.errors import NotFound
from store.records import UNASSIGNED, ItemContent, Lang, Task, Topic

ANY_TASK = "generate/task"
"""The prompt of a task that has none of its own: its requirement says what to write."""
INSPECTION = "inspect/item"
_GENERATION_SLOTS = ("topic", "task", "requirement", "documents")


def generation_prompts(
    task: Task, lang: Lang, overrides: Path | None = None
) -> dict[str, PromptText]:
    """The templates that items of a task are asked for with, by stage; by `MAIN` the only one of a
    task that is asked for at once.

    Raises InputError when one lacks a slot that is filled, or has another.
    """
    builder = staged_builder(task)
    if builder is None:
        return {MAIN: generation_prompt(task, lang, overrides)}
    known = dict.fromkeys(("topic", "task", "requirement", "documents", "count"), "")
    texts: dict[str, PromptText] = {}
    for stage, wanted in builder.prompts.items():
        has_own = stage == MAIN and task.prompt and has_prompt(task.prompt, lang, overrides)
        text = load_prompt(task.prompt if has_own else wanted.id, lang, overrides)
        text.fill(dict.fromkeys(wanted.slots, ""), known)
        texts[stage] = text
    return texts


def generation_prompt(task: Task, lang: Lang, overrides: Path | None = None) -> PromptText:
    """The template that items of a task are asked for with.

    Raises InputError when it lacks a slot that a generation fills, or has another.
    """
    prompt = load_prompt(prompt_of(task, lang, overrides), lang, overrides)
    prompt.fill(dict.fromkeys(_GENERATION_SLOTS, ""), {"count": ""})
    return prompt


def generation_request(
    documents: Sequence[SourceDocument],
    topic: Topic,
    task: Task,
    prompt: PromptText,
    *,
    count: int = 3,
) -> PromptedRequest:
    """Asks for at most `count` items of `task` on `topic` from the documents; a dialogue is one."""
    if not documents:
        raise ValueError("generation_request needs a document")
    lang = prompt.lang
    shown = (
        topic_name(topic, lang),
        name_in(lang, task),
        by_lang(lang, task.requirement_zh, task.requirement_en),
        shown_documents(documents, lang),
    )
    values = dict(zip(_GENERATION_SLOTS, shown, strict=True))
    return prompt.request(values, {"count": str(count)})


def inspection_request(
    content: ItemContent,
    documents: Sequence[SourceDocument],
    topic: Topic | None,
    task: Task,
    prompt: PromptText,
) -> PromptedRequest:
    """Asks how good an item is, 0 to 2, and for its correction; no topic reads as unassigned."""
    lang = prompt.lang
    values = {
        "documents": shown_documents(documents, lang),
        "topic": UNASSIGNED if topic is None else topic_name(topic, lang),
        "task": name_in(lang, task),
        "requirement": by_lang(lang, task.requirement_zh, task.requirement_en),
        "item": item_json(content),
    }
    return prompt.request(values)


def prompt_of(task: Task, lang: Lang, overrides: Path | None = None) -> str:
    """Id of the prompt that writes items of a task: its own, or the one for any task.

    Raises NotFound for a task that names no prompt at all: such a task is not written by a model.
    """
    if not task.prompt:
        raise NotFound(f"Task {task.key!r} has no prompt.", "Name one in its row of the taxonomy.")
    return task.prompt if has_prompt(task.prompt, lang, overrides) else ANY_TASK


def item_json(content: ItemContent) -> str:
    """An item as models read and write it: an object, or a list of turns for a conversation."""
    turns = [
        {
            "question": turn.question,
            "answer": list(turn.golden_answers),
            "relevant_passage": [passage.quote for passage in turn.evidence if passage.quote],
        }
        for turn in content.turns
    ]
    shown = turns if len(turns) > 1 else turns[0]
    return json.dumps(shown, ensure_ascii=False, indent=2)
