"""An item as the fields of a form, and back: pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import NamedTuple

import msgspec

from engine.corpus.evidence_facets import value_name
from engine.labelling.items.corrections import SAID, Flaw
from engine.prompts.languages import by_lang, name_in
from store.records import Evidence, Facet, ItemContent, Taxonomy, Turn
from tui.language import language
from tui.widgets.field_lines import Field


class Words(NamedTuple):
    """What the parts are called; in the language of the interface."""

    question: str
    answer: str
    evidence: str
    topic: str
    task: str
    modality: str
    hops: str
    hidden: str
    reason: str
    system: str
    no_question: str
    no_answer: str
    no_evidence: str
    no_hidden: str
    no_facet: str
    whole: str
    gone: str


ENGLISH = Words(
    "question",
    "answer",
    "evidence",
    "topic",
    "task",
    "modality",
    "hops",
    "hidden",
    "reason",
    "system",
    "type the question",
    "type the golden answer",
    "none; Enter marks a passage",
    "none; Enter chooses a document that systems must not see",
    "as the evidence says",
    "the whole document",
    "a document that is no longer there",
)
CHINESE = Words(
    "问题",
    "答案",
    "证据",
    "主题",
    "任务",
    "依据",
    "跨度",
    "隐藏",
    "理由",
    "系统",
    "输入问题",
    "输入标准答案",
    "没有；按 Enter 标出段落",
    "没有；按 Enter 选择不给系统看的文档",
    "依证据而定",
    "整篇文档",
    "文档已不在语料中",
)

Title = Callable[[str], str]
"""A document's title, by its id; empty for one that is gone."""


class Spot(NamedTuple):
    """What a field stands for. `at` numbers answers, evidence and hidden documents from 0; -1 for
    one that is not there yet."""

    part: str
    turn: int = 0
    at: int = 0
    held: Turn | Evidence | str | None = None
    """The turn that a question came with, the evidence of a row, the key of a topic or task, a
    facet's value, the id of a hidden document."""


def words_of(lang: str) -> Words:
    return by_lang(lang, CHINESE, ENGLISH)


def spot_of(field: Field) -> Spot:
    assert isinstance(field.value, Spot)
    return field.value


def fields_of(
    content: ItemContent,
    reason: str,
    taxonomy: Taxonomy,
    title: Title,
    answers: Sequence[str] = (),
) -> tuple[Field, ...]:
    """The form: each turn's question, answers and evidence; what systems answered, to be read; then
    topic, task, hidden documents, reason, and the facets that a person may correct."""
    words = words_of(language())
    fields: list[Field] = []
    for number, turn in enumerate(content.turns):
        fields += _turn_fields(turn, number, len(content.turns), words, title)
    fields += [
        Field(f"system.{letter}", f"{words.system} {letter}", text, False, value=Spot("system"))
        for letter, text in zip(ascii_uppercase, answers, strict=False)
    ]
    fields += [
        Field(
            part,
            label,
            _choice_text(part, content, taxonomy),
            False,
            value=Spot(part, held=getattr(content, part)),
            is_apart=part == "topic",
        )
        for part, label in (("topic", words.topic), ("task", words.task))
    ]
    fields += _hidden_fields(content.hidden, words, title)
    fields.append(Field("reason", words.reason, reason, value=Spot("reason")))
    for name in SAID:
        said = str(content.facets.get(name, ""))
        text = value_name(name, said, language()) if said else ""
        fields.append(
            Field(name, getattr(words, name), text, False, words.no_facet, Spot(name, held=said))
        )
    return tuple(fields)


def _turn_fields(turn: Turn, number: int, turns: int, words: Words, title: Title) -> list[Field]:
    label = f"{words.question} {number + 1}" if turns > 1 else words.question
    fields = [
        Field(
            f"{number}.question",
            label,
            turn.question,
            note=words.no_question,
            value=Spot("question", number, held=turn),
            is_apart=True,
        )
    ]
    answers = turn.golden_answers or ("",)
    for at, form in enumerate(answers):
        fields.append(
            Field(
                f"{number}.answer.{at}",
                f"{words.answer} {at + 1}" if len(answers) > 1 else words.answer,
                form,
                note=words.no_answer,
                value=Spot("answer", number, at),
            )
        )
    for at, evidence in enumerate(turn.evidence):
        fields.append(
            Field(
                f"{number}.evidence.{at}",
                f"{words.evidence} {at + 1}" if len(turn.evidence) > 1 else words.evidence,
                _evidence_text(evidence, words, title),
                False,
                value=Spot("evidence", number, at, evidence),
            )
        )
    if not turn.evidence:
        spot = Spot("evidence", number, -1)
        fields.append(
            Field(f"{number}.evidence", words.evidence, "", False, words.no_evidence, spot)
        )
    return fields


def _hidden_fields(hidden: Sequence[str], words: Words, title: Title) -> list[Field]:
    if not hidden:
        return [Field("hidden.0", words.hidden, "", False, words.no_hidden, Spot("hidden", at=-1))]
    return [
        Field(
            f"hidden.{at}",
            f"{words.hidden} {at + 1}" if len(hidden) > 1 else words.hidden,
            title(document) or words.gone,
            False,
            value=Spot("hidden", at=at, held=document),
        )
        for at, document in enumerate(hidden)
    ]


def _evidence_text(evidence: Evidence, words: Words, title: Title) -> str:
    name = title(evidence.document_id) or words.gone
    quote = " ".join((evidence.quote or words.whole).split())
    return f"{quote}  [{name}]"


def _choice_text(part: str, content: ItemContent, taxonomy: Taxonomy) -> str:
    """The name of the item's `topic` or `task`; its key where the taxonomy has no such one."""
    key, known = getattr(content, part), getattr(taxonomy, f"{part}s")
    return next((name_in(language(), one) for one in known if one.key == key), key)


def content_of(fields: Sequence[Field], before: ItemContent) -> ItemContent:
    """What the fields say, as typed; what has no field is as in `before`."""
    turns: list[Turn] = []
    chosen: dict[str, str] = {}
    facets = dict(before.facets)
    hidden: list[str] = []
    for field in fields:
        spot = spot_of(field)
        if spot.part == "question":
            held = spot.held if isinstance(spot.held, Turn) else Turn("")
            turns.append(
                msgspec.structs.replace(held, question=field.text, golden_answers=(), evidence=())
            )
        elif spot.part == "answer":
            answers = (*turns[-1].golden_answers, field.text)
            turns[-1] = msgspec.structs.replace(turns[-1], golden_answers=answers)
        elif isinstance(spot.held, Evidence):
            evidence = (*turns[-1].evidence, spot.held)
            turns[-1] = msgspec.structs.replace(turns[-1], evidence=evidence)
        elif spot.part == "hidden" and isinstance(spot.held, str):
            hidden.append(spot.held)
        elif spot.part in SAID and isinstance(spot.held, str):
            facets = with_said(facets, spot.part, spot.held)
        elif isinstance(spot.held, str):
            chosen[spot.part] = spot.held
    return msgspec.structs.replace(
        before, turns=tuple(turns), hidden=tuple(hidden), facets=facets, **chosen
    )


def with_said(facets: Mapping[str, Facet], name: str, value: str) -> dict[str, Facet]:
    """The facets with a value of the one called so; empty for what the evidence says."""
    said: dict[str, Facet] = {name: value} if value else {}
    return {**{key: held for key, held in facets.items() if key != name}, **said}


def reason_of(fields: Sequence[Field]) -> str:
    return next((field.text for field in fields if spot_of(field).part == "reason"), "")


def index_of(fields: Sequence[Field], key: str) -> int:
    """Where a field is; 0 when there is none of that key."""
    return next((at for at, field in enumerate(fields) if field.key == key), 0)


def key_of(flaw: Flaw) -> str:
    """The field at which a flaw is shown."""
    match flaw.part:
        case "question" | "turns":
            return f"{flaw.turn}.question"
        case "answer" | "evidence":
            return f"{flaw.turn}.{flaw.part}.{flaw.at}"
        case "hidden":
            return f"hidden.{flaw.at}"
        case _:
            return flaw.part
