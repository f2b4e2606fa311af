"""The shape that the items of each task have, and what is wrong with an item of another shape.

A shape is what can be told without understanding: how many turns and documents, whether there is
an answer, which text the question carries. It is declared by the builder that a task's row names,
beside the taxonomies and not in them: their content is hashed and stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from engine.text.duplicates import grams
from engine.text.refusals import is_refusal
from store.records import ItemContent, Lang, Task, Turn

REFUSAL: dict[Lang, str] = {
    "zh": "材料中没有这一信息。",
    "en": "The material does not say.",
}
"""The golden answer of a question that the documents do not answer."""
DOCUMENTS = "documents"
"""The facet that says how many documents an item was made from."""
GOLD_BY = "gold_by"
"""The facet that names the retriever that chose the documents which an item is to be answered
from."""

_MANY = 1_000
_LEAST_LIKE = 0.3
"""Share of a corrected text's 5-grams that the text before the correction has in common with it."""
_LEAST_TEXT = 10
"""Characters of the shortest text that a question may carry."""

Carried = Literal["", "beginning", "faulty text"]
Part = Literal["question", "answer", "evidence", "turns"]


class TaskShape(Struct, frozen=True):
    fewest_turns: int = 1
    most_turns: int = 1
    fewest_documents: int = 1
    most_documents: int = _MANY
    of_several: int = _MANY
    """Documents that are quoted of an item that was made from several: all of them by default."""
    is_answered: bool = True
    """Whether the documents answer; where they do not, nothing is quoted and no answer is given
    but that there is none."""
    carries: Carried = ""
    """The text that the question has to hold: the beginning of an article that is to be continued,
    or a text with errors that are to be corrected."""


class ShapeFault(Struct, frozen=True):
    """A way in which an item has not the shape of its task."""

    code: str
    part: Part
    zh: str
    en: str
    turn: int = 0

    def text(self, lang: Lang) -> str:
        return self.zh if lang == "zh" else self.en


_CONVERSATION = TaskShape(fewest_turns=2, most_turns=_MANY)
SHAPES: dict[tuple[str, str], TaskShape] = {
    ("single_document", ""): TaskShape(),
    ("single_document", "qa_1doc"): TaskShape(most_documents=1),
    ("multi_hop", ""): TaskShape(),
    ("document_pair", "contrast"): TaskShape(fewest_documents=2),
    ("document_pair", "long_form"): TaskShape(),
    ("document_group", "qa_2doc"): TaskShape(fewest_documents=2, most_documents=2),
    ("document_group", "qa_3doc"): TaskShape(fewest_documents=3, most_documents=3),
    ("event_summary", ""): TaskShape(of_several=2),
    ("dialogue", ""): _CONVERSATION,
    ("split_article", ""): TaskShape(carries="beginning"),
    ("hallucinated_text", ""): TaskShape(carries="faulty text"),
    ("marked_spans", ""): TaskShape(),
    ("unanswerable", ""): TaskShape(fewest_documents=0, is_answered=False),
}
"""By the builder that a task's row names, and the task's key where one builder serves several."""


def shape_of(task: Task) -> TaskShape:
    """The shape of a task; of one without a known builder all that is known is its turns."""
    shape = SHAPES.get((task.builder, task.key)) or SHAPES.get((task.builder, ""))
    if shape is not None:
        return shape
    return _CONVERSATION if task.shape == "conversation" else TaskShape()


def shape_faults(
    content: ItemContent, task: Task, *, made_from: int = 0, may_lack: bool = False
) -> tuple[ShapeFault, ...]:
    """What is wrong with the shape of an item; empty for one that has the shape of its task.

    `made_from` is the number of documents that it was written from, where that is known besides
    from its facet `documents`. With `may_lack` an item without any passage is no fault: files of
    others often do not say where an answer stands.
    """
    shape = shape_of(task)
    return (
        *_turns(content, shape),
        *(_documents(content, shape, made_from, may_lack) if shape.is_answered else ()),
        *(() if shape.is_answered else _answered(content)),
        *(_carried(content.turns[0], shape.carries) if content.turns else ()),
    )


def _turns(content: ItemContent, shape: TaskShape) -> Iterator[ShapeFault]:
    count = len(content.turns)
    if count < shape.fewest_turns:
        yield ShapeFault(
            "too_few_turns",
            "turns",
            f"对话至少要有{shape.fewest_turns}轮，这里只有{count}轮",
            f"a conversation has at least {shape.fewest_turns} turns, this one {count}",
        )
    if count > shape.most_turns:
        yield ShapeFault(
            "too_many_turns",
            "turns",
            f"该任务只有一个问题，这里有{count}轮",
            f"the task has one question, this item {count} turns",
            shape.most_turns,
        )


def _documents(
    content: ItemContent, shape: TaskShape, made_from: int, may_lack: bool
) -> Iterator[ShapeFault]:
    count = len({unit.document_id for turn in content.turns for unit in turn.evidence})
    if not count and may_lack:
        return
    said = content.facets.get(DOCUMENTS)
    several = max(made_from, said if isinstance(said, int) and said < _MANY else 0)
    if count < shape.fewest_documents:
        yield ShapeFault(
            "too_few_documents",
            "evidence",
            f"该任务的依据须出自{shape.fewest_documents}篇文档，这里出自{count}篇",
            f"the task quotes {_plural(shape.fewest_documents)}, this item {count}",
        )
    elif count < min(several, shape.of_several):
        yield ShapeFault(
            "document_unused",
            "evidence",
            f"条目由{several}篇文档写成，依据只出自{count}篇",
            f"the item is made from {several} documents and quotes only {count} of them",
        )
    if count > shape.most_documents:
        yield ShapeFault(
            "too_many_documents",
            "evidence",
            f"该任务的依据只出自{shape.most_documents}篇文档，这里出自{count}篇",
            f"the task quotes {_plural(shape.most_documents)} only, this item {count}",
        )


def _answered(content: ItemContent) -> Iterator[ShapeFault]:
    for number, turn in enumerate(content.turns):
        answer = next((form for form in turn.golden_answers if not is_refusal(form)), None)
        if answer is not None:
            yield ShapeFault(
                "answered",
                "answer",
                f"该任务的问题没有答案，这里却有：{answer}",
                f"the documents are not to answer the question, yet an answer is given: {answer}",
                number,
            )
        if turn.evidence:
            yield ShapeFault(
                "evidence_without_answer",
                "evidence",
                "该任务的问题没有答案，也就没有依据",
                "the documents are not to answer the question, yet a passage is given",
                number,
            )


def _carried(turn: Turn, carries: Carried) -> Iterator[ShapeFault]:
    if not carries:
        return
    golden = turn.golden_answers[0] if turn.golden_answers else ""
    question, answer = _flat(turn.question), _flat(golden)
    if answer and answer in question:
        yield ShapeFault(
            "holds_answer",
            "question",
            "问题中已经写出标准答案",
            "the text in the question already holds the golden answer",
        )
    elif carries == "beginning" and len(question) < max(_LEAST_TEXT, len(answer) // 5):
        yield ShapeFault(
            "no_beginning",
            "question",
            "问题中没有要续写的文章开头",
            "the question does not hold the beginning of a text that is to be continued",
        )
    elif carries == "faulty text" and not _has_faulty_text(turn.question, golden):
        yield ShapeFault(
            "no_faulty_text",
            "question",
            "问题中没有要改正的文字",
            "the question does not hold a text with errors that are to be corrected",
        )


def _has_faulty_text(question: str, answer: str) -> bool:
    """Whether a text follows the beginning in lines of its own, about as long as what it is
    corrected to, or the question is for a good part worded like that."""
    _, _, below = question.strip().partition("\n")
    if len(_flat(below)) >= max(_LEAST_TEXT, len(_flat(answer)) // 2):
        return True
    corrected = grams(answer)
    shared = len(corrected & grams(question))
    return bool(answer.strip()) and shared >= _LEAST_LIKE * len(corrected)


def _flat(text: str) -> str:
    return "".join(text.split())


def _plural(documents: int) -> str:
    return "one document" if documents == 1 else f"{documents} documents"
