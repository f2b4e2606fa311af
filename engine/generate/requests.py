"""What a model is asked: to propose topics, classify a document, write items, inspect one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.generate.records import SourceDocument
from engine.models.chat import ChatRequest
from engine.prompts.languages import by_lang, name_in
from engine.prompts.templates import PromptText, has_prompt, load_prompt
from engine.text.sentences import sentences
from store.errors import NotFound
from store.records import UNASSIGNED, ItemContent, Lang, Task, Taxonomy, Topic

ANY_TASK = "generate/task"
"""The prompt of a task that has none of its own: its requirement says what to write."""
INSPECTION = "inspect/item"
CLASSIFICATION = "topics/classify"
TOPIC_TREE = "topics/tree"
SAMPLE_CHARACTERS = 240
"""Of a document that is shown as a sample of its corpus."""
_GENERATION_SLOTS = ("topic", "task", "requirement", "documents")
LONGEST_DOCUMENT = 12_000
"""Characters of a document that are shown; the rest is cut at the end of a sentence."""


class Asked(Struct, frozen=True):
    """A request, and the prompt it was made with."""

    request: ChatRequest
    prompt_id: str
    prompt_hash: str
    lang: Lang


def topic_tree_request(
    domain: str,
    documents: Sequence[SourceDocument],
    prompt: PromptText,
    *,
    depth: int = 2,
    count: int = 12,
) -> Asked:
    """Asks for a tree of about `count` topics of `domain`, `depth` levels below its root, fit for
    a corpus of which `documents` are a sample."""
    samples = "\n\n".join(
        f"{number}. {document.title}\n{shortened(document.text, SAMPLE_CHARACTERS)}"
        for number, document in enumerate(documents, 1)
    )
    optional = {"documents": samples, "count": str(count)}
    return _asked(prompt, {"domain": domain, "depth": str(depth)}, optional)


def classification_request(
    document: SourceDocument, taxonomy: Taxonomy, prompt: PromptText
) -> Asked:
    """Asks for the number of the document's topic: 1 for the first of the taxonomy, 0 for none."""
    lang = prompt.lang
    topics = "\n".join(
        json.dumps({"id": number, "topic_name": topic_name(topic, lang)}, ensure_ascii=False)
        for number, topic in enumerate(taxonomy.topics, start=1)
    )
    return _asked(prompt, {"topics": topics, "document": shown_document(document, lang)})


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
) -> Asked:
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
    return _asked(prompt, values, {"count": str(count)})


def inspection_request(
    content: ItemContent,
    documents: Sequence[SourceDocument],
    topic: Topic | None,
    task: Task,
    prompt: PromptText,
) -> Asked:
    """Asks how good an item is, 0 to 2, and for its correction; no topic reads as unassigned."""
    lang = prompt.lang
    values = {
        "documents": shown_documents(documents, lang),
        "topic": UNASSIGNED if topic is None else topic_name(topic, lang),
        "task": name_in(lang, task),
        "requirement": by_lang(lang, task.requirement_zh, task.requirement_en),
        "item": item_json(content),
    }
    return _asked(prompt, values)


def prompt_of(task: Task, lang: Lang, overrides: Path | None = None) -> str:
    """Id of the prompt that writes items of a task: its own, or the one for any task.

    Raises NotFound for a task that names no prompt at all: such a task is not written by a model.
    """
    if not task.prompt:
        raise NotFound(f"Task {task.key!r} has no prompt.", "Name one in its row of the taxonomy.")
    return task.prompt if has_prompt(task.prompt, lang, overrides) else ANY_TASK


def topic_name(topic: Topic, lang: Lang) -> str:
    """Group and name of a topic in `lang`: 银行业务 - 零售银行."""
    parts = (topic.group_zh, topic.zh) if lang == "zh" else (topic.group_en, topic.en)
    return " - ".join(part for part in parts if part)


def shown_documents(documents: Sequence[SourceDocument], lang: Lang) -> str:
    """The documents one after another, numbered when there are several."""
    if len(documents) == 1:
        return shown_document(documents[0], lang)
    return "\n\n".join(
        shown_document(document, lang, number) for number, document in enumerate(documents, 1)
    )


def shown_document(document: SourceDocument, lang: Lang, number: int = 0) -> str:
    """A document between two marker lines, with its title; its text is as it is stored."""
    name = "文档" if lang == "zh" else "document"
    name += f" {number}" if number else ""
    begin, end = ("开始", "结束") if lang == "zh" else ("begins", "ends")
    label = "标题：" if lang == "zh" else "Title: "
    title = f"{label}{document.title}\n" if document.title else ""
    return f"=== {name} {begin} ===\n{title}{shortened(document.text)}\n=== {name} {end} ==="


def shortened(text: str, most: int = LONGEST_DOCUMENT) -> str:
    """`text` up to the last sentence that ends within `most` characters."""
    if len(text) <= most:
        return text
    ends = [end for _, end in sentences(text[:most])[:-1]]
    return text[: ends[-1]] if ends else text[:most]


def item_json(content: ItemContent) -> str:
    """An item as models read and write it: an object, or a list of turns for a conversation."""
    turns = [
        {
            "question": turn.question,
            "answer": list(turn.golden_answers),
            "relevant_passage": [found.quote for found in turn.evidence if found.quote],
        }
        for turn in content.turns
    ]
    shown = turns if len(turns) > 1 else turns[0]
    return json.dumps(shown, ensure_ascii=False, indent=2)


def _asked(
    prompt: PromptText, values: Mapping[str, str], optional: Mapping[str, str] | None = None
) -> Asked:
    messages = prompt.fill(values, optional)
    return Asked(ChatRequest(messages), prompt.id, prompt.hash, prompt.lang)
