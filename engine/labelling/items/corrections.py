"""A correction half made: what it holds, what is wrong with it, what it changed, and how it is
carried over to another text of the item. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from engine.taxonomy.shapes import shape_faults, shape_of
from store.hashing import canonical_json
from store.labels.log.authoring import ANSWER, QUESTION
from store.records import Evidence, ItemContent, Task, Turn

DRAFT = "content"
"""The part of the correction's field that its draft is kept under."""

SAID: tuple[Literal["modality", "hops"], ...] = ("modality", "hops")
"""The facets that a person may correct."""

Part = Literal[
    "question", "answer", "evidence", "turns", "topic", "task", "modality", "hops", "hidden"
]


class CorrectionDraft(Struct, frozen=True, omit_defaults=True):
    """What is kept of a correction until it is proposed: texts as they were typed, blank or not."""

    content: ItemContent
    reason: str = ""
    active: int = 0
    """Index of the field with the cursor."""
    cursor: int = 0


class Flaw(Struct, frozen=True):
    """Why a correction cannot be proposed yet, and where."""

    part: Part
    text: str
    turn: int = 0
    at: int = 0
    """Number of the answer, evidence or hidden document, from 0."""
    zh: str = ""
    """The text in Chinese, of a fault in the item's shape."""


def draft_text(draft: CorrectionDraft) -> str:
    return canonical_json(draft).decode()


def read_draft(text: str) -> CorrectionDraft | None:
    """The draft that was kept; None when it was kept by another version in another shape."""
    try:
        return msgspec.json.decode(text, type=CorrectionDraft)
    except msgspec.DecodeError:
        return None


def tidied(content: ItemContent) -> ItemContent:
    """The content as it is stored: texts without blanks around them, blank and repeated answers
    left out, equal evidence and hidden documents once."""
    turns = tuple(
        msgspec.structs.replace(
            turn,
            question=turn.question.strip(),
            golden_answers=tuple(
                dict.fromkeys(form.strip() for form in turn.golden_answers if form.strip())
            ),
            evidence=tuple(dict.fromkeys(turn.evidence)),
        )
        for turn in content.turns
    )
    return msgspec.structs.replace(
        content, turns=turns, hidden=tuple(dict.fromkeys(content.hidden))
    )


def flaws(
    content: ItemContent,
    base: ItemContent,
    texts: Mapping[str, str],
    task: Task | None,
    step: str = "",
) -> list[Flaw]:
    """What keeps a correction of `base` from being proposed, in the order of the item.

    `texts` holds the documents that it names, by id; `task` is None when it is not
    known. An item that had no golden answer, or no evidence, anywhere needs none. With a `step` of
    authoring it needs a task with what that step gives: evidence, then an answer.
    """
    out = []
    is_answered = step == ANSWER or any(turn.golden_answers for turn in base.turns)
    needs_answer = is_answered and (task is None or shape_of(task).is_answered)
    for number, turn in enumerate(content.turns):
        if not turn.question.strip():
            out.append(Flaw("question", "The question is empty.", number))
        if needs_answer and not any(form.strip() for form in turn.golden_answers):
            out.append(Flaw("answer", "A golden answer is missing.", number))
        for at, evidence in enumerate(turn.evidence):
            if problem := _evidence_problem(evidence, texts):
                out.append(Flaw("evidence", problem, number, at))
    if step and task is None:
        out.append(Flaw("task", "The kind of question is not chosen; choose the task."))
    if task is not None:
        may_lack = not step and not any(turn.evidence for turn in base.turns)
        for fault in shape_faults(tidied(content), task, may_lack=may_lack):
            zh, en = _REMEDIES[fault.part]
            text = f"{fault.en[0].upper()}{fault.en[1:]}; {en}."
            out.append(Flaw(fault.part, text, fault.turn, zh=f"{fault.zh}；请{zh}。"))
    lost = "It is no longer in the corpus; delete it here."
    out += [
        Flaw("hidden", lost, at=at)
        for at, document in enumerate(content.hidden)
        if document not in texts
    ]
    return out


def as_written(content: ItemContent, step: str) -> ItemContent:
    """What is stored of what was typed: tidied, and of an authored item without the documents that
    were given to read, of which no span is marked."""
    content = tidied(content)
    if not step:
        return content
    turns = tuple(
        msgspec.structs.replace(
            turn, evidence=tuple(one for one in turn.evidence if one.start is not None)
        )
        for turn in content.turns
    )
    return msgspec.structs.replace(content, turns=turns)


_REMEDIES: dict[Part, tuple[str, str]] = {
    "turns": ("增减轮次，或改选任务", "add or delete turns, or choose another task"),
    "evidence": ("标记其他段落，或改选任务", "mark other passages, or choose another task"),
    "answer": ("删去答案，或改选任务", "delete the answer, or choose another task"),
    "question": ("修改问题，或改选任务", "change the question, or choose another task"),
}


def _evidence_problem(evidence: Evidence, texts: Mapping[str, str]) -> str:
    text = texts.get(evidence.document_id)
    if text is None:
        return "Its document is no longer in the corpus; choose another passage."
    if evidence.start is None or evidence.end is None:
        return ""
    if not 0 <= evidence.start < evidence.end <= len(text):
        return "The passage lies outside its document; mark it again."
    if text[evidence.start : evidence.end] != evidence.quote:
        return "The passage is not what the document says there; mark it again."
    return ""


def changed_parts(before: ItemContent, after: ItemContent) -> tuple[Part, ...]:
    """Which parts of an item differ."""
    parts: list[Part] = []
    if len(before.turns) != len(after.turns):
        parts.append("turns")
    pairs = list(zip(before.turns, after.turns, strict=False))
    if any(a.question != b.question for a, b in pairs):
        parts.append("question")
    if any(a.golden_answers != b.golden_answers for a, b in pairs):
        parts.append("answer")
    if any(a.evidence != b.evidence for a, b in pairs):
        parts.append("evidence")
    if before.topic != after.topic:
        parts.append("topic")
    if before.task != after.task:
        parts.append("task")
    parts += [name for name in SAID if before.facets.get(name) != after.facets.get(name)]
    if before.hidden != after.hidden:
        parts.append("hidden")
    return tuple(parts)


_CHINESE: dict[Part, str] = {
    "question": "问题",
    "answer": "答案",
    "evidence": "证据",
    "turns": "轮次",
    "topic": "主题",
    "task": "任务",
    "modality": "依据",
    "hops": "跨度",
    "hidden": "隐藏文档",
}


_ENGLISH: dict[Part, str] = {"hidden": "hidden documents"}
"""What is called otherwise than its part."""


def usual_reason(before: ItemContent, after: ItemContent) -> str:
    """What is given as the reason where the rater gives none: what was changed."""
    parts = changed_parts(before, after)
    if not parts:
        return ""
    if after.lang == "zh":
        return "修正" + "、".join(_CHINESE[part] for part in parts)
    return "corrected " + ", ".join(_ENGLISH.get(part, part) for part in parts)


def step_reason(step: str, lang: str) -> str:
    """The reason of a text that a step of authoring gives."""
    if step == ANSWER:
        return "撰写答案" if lang == "zh" else "wrote the answer"
    return "撰写问题" if lang == "zh" else "wrote the question"


def with_given(content: ItemContent, first: ItemContent, step: str | None) -> ItemContent:
    """The text of an authored item with the documents that were given for it, `first` names, and
    that it quotes nothing of: while its question is to be written, or where it quotes nothing."""
    (turn, *later) = content.turns
    if step != QUESTION and turn.evidence:
        return content
    quoted = {one.document_id for one in turn.evidence}
    given = [one for one in first.turns[0].evidence if one.document_id not in quoted]
    turn = msgspec.structs.replace(turn, evidence=(*turn.evidence, *given))
    return msgspec.structs.replace(content, turns=(turn, *later))


def carried_over(base: ItemContent, mine: ItemContent, theirs: ItemContent) -> ItemContent:
    """`theirs` with what `mine` changed of `base`; where both changed a part, mine stands.

    Parts are a turn's question, its answers, its evidence; the topic; the task; each facet; the
    hidden documents. When turns were
    added or deleted on either side, my turns stand as a whole if I changed any.
    """
    turns = theirs.turns
    if len(base.turns) == len(mine.turns) == len(theirs.turns):
        turns = tuple(map(_turn_over, base.turns, mine.turns, theirs.turns))
    elif mine.turns != base.turns:
        turns = mine.turns
    return msgspec.structs.replace(
        theirs,
        turns=turns,
        topic=theirs.topic if mine.topic == base.topic else mine.topic,
        task=theirs.task if mine.task == base.task else mine.task,
        facets=theirs.facets
        | {name: value for name, value in mine.facets.items() if base.facets.get(name) != value},
        hidden=theirs.hidden if mine.hidden == base.hidden else mine.hidden,
    )


def _turn_over(base: Turn, mine: Turn, theirs: Turn) -> Turn:
    return msgspec.structs.replace(
        theirs,
        question=theirs.question if mine.question == base.question else mine.question,
        golden_answers=theirs.golden_answers
        if mine.golden_answers == base.golden_answers
        else mine.golden_answers,
        evidence=theirs.evidence if mine.evidence == base.evidence else mine.evidence,
    )
