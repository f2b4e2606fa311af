"""Items from one report that they hide: what it goes on with, its errors put right, its sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from engine.generate.articles import (
    FEWEST,
    Span,
    Split,
    article_sentences,
    beginning,
    continuation,
    continuation_turn,
    correction_turn,
    halves,
)
from engine.generate.builders.base import MAIN, Ask, Material, Nothing, StagePrompt
from engine.generate.items import ReadItem, facets_of, read_item
from engine.prompts.languages import by_lang
from store.records import Facet, ItemContent, Turn

_NO_ARTICLE = f"it is no prose of {FEWEST} sentences or more"
_LEAST_HALF = 2
"""Sentences of the shorter part of an article."""
_LEAST_RATIO = 1 / 3
"""Of the lengths of the shorter and the longer part."""
_SHORTEST_EVENT = {"zh": 8, "en": 20}
_SHORTEST_SUMMARY = {"zh": 40, "en": 120}


class Cut(Struct, frozen=True):
    """Where to cut an article, in numbers of its sentences from 1: the first of the beginning, the
    first of the continuation and its last; 0 where the article is not fit to be continued."""

    begin: int = 0
    middle: int = 0
    end: int = 0


class PlantedError(Struct, frozen=True):
    """An error put into a text: `faulty` stands where the text has `original`."""

    original: str
    faulty: str
    reason: str = ""


class PlantedErrors(Struct, frozen=True):
    errors: tuple[PlantedError, ...] = ()


class EventSummary(Struct, frozen=True):
    """What a report tells of, and the report summed up; blank where it tells of no one event."""

    event: str = ""
    summary: str = ""
    relevant_passage: tuple[str, ...] = ()


class ContinuationBuilder:
    """Has the model say where to cut an article; every word stays the article's own."""

    prompts: Mapping[str, StagePrompt] = {
        MAIN: StagePrompt("crud/continuation", ("topic", "task", "requirement", "sentences"))
    }
    most_items = 1

    async def build(self, material: Material, ask: Ask) -> tuple[ReadItem, ...]:
        document = material.document
        spans = article_sentences(document)
        if not spans:
            raise Nothing(_NO_ARTICLE)
        numbered = "\n".join(
            f"[{number}] {document.text[start:end]}" for number, (start, end) in enumerate(spans, 1)
        )
        cut = await ask(
            MAIN,
            {"sentences": numbered},
            Cut,
            lambda one: _miscut(one, spans),
            Cut(1, len(spans) // 2 + 1, len(spans)),
        )
        if not cut.begin:
            raise Nothing("the model says that the article is not fit to be continued")
        split = Split(spans[cut.begin - 1][0], spans[cut.middle - 1][0], spans[cut.end - 1][1])
        return (_item(material, continuation_turn(document, split), {"kind": "continuation"}),)


KINDS: dict[str, tuple[str, str]] = {
    "num": (
        "数字：数量、金额、比例、日期、时间、次序",
        "figures: quantities, amounts, rates, dates, times, order",
    ),
    "gen": (
        "事件本身：人物、机构、地点、行为、原因、结果",
        "the event itself: persons, institutions, places, actions, causes, outcomes",
    ),
    "doc": (
        "文件：法规、通知、报告、声明的名称、发布者或者内容",
        "documents: the title, issuer or content of a law, notice, report or statement",
    ),
    "kno": (
        "知识：术语、原理、地理、历史、作品、产品等不限于本事件的知识",
        "knowledge beyond the event: terms, principles, geography, history, works, products",
    ),
}
"""What an error is about, as UHGEval sorts its texts: by key, in Chinese and English."""


class CorrectionBuilder:
    """Has the model plant errors of one kind into the second half of an article; the kind goes on
    from one turn of a document to the next."""

    prompts: Mapping[str, StagePrompt] = {
        MAIN: StagePrompt(
            "crud/hallucination_fix",
            ("topic", "task", "requirement", "beginning", "continuation", "kind"),
        )
    }
    most_items = 1

    async def build(self, material: Material, ask: Ask) -> tuple[ReadItem, ...]:
        document = material.document
        split = halves(document)
        if split is None:
            raise Nothing(_NO_ARTICLE)
        text = continuation(document, split).quote or ""
        kind = kind_of(document.document_id, material.round)
        planted = await ask(
            MAIN,
            {
                "beginning": beginning(document, split),
                "continuation": text,
                "kind": by_lang(material.lang, *KINDS[kind]),
            },
            PlantedErrors,
            lambda one: _misplanted(one, text),
            PlantedErrors((PlantedError(text, ""),)),
        )
        if not planted.errors:
            raise Nothing(f"the model found no place for an error of kind {kind}")
        turn = correction_turn(document, split, faulty_text(text, planted.errors))
        facets: dict[str, Facet] = {
            "kind": "planted",
            "type": kind,
            "wrong_keywords": len(planted.errors),
        }
        return (_item(material, turn, facets),)


class SummaryBuilder:
    """Has the model name the event of a report and sum the report up."""

    prompts: Mapping[str, StagePrompt] = {
        MAIN: StagePrompt("crud/summarization", ("topic", "task", "requirement", "documents"))
    }
    most_items = 1

    async def build(self, material: Material, ask: Ask) -> tuple[ReadItem, ...]:
        told = await ask(
            MAIN,
            {},
            EventSummary,
            lambda one: _missummed(one, material),
            EventSummary("-", "-", ("-",)),
        )
        if not told.event.strip():
            raise Nothing("the model says that the report tells of no one event")
        member = {
            "question": told.event,
            "answer": told.summary,
            "relevant_passage": list(told.relevant_passage),
        }
        return (
            read_item(
                [member], material.documents, material.topic.key, material.task, material.lang
            ),
        )


def kind_of(document_id: str, round: int) -> str:
    """The kind of error for a turn of a document; documents begin with different kinds."""
    kinds = list(KINDS)
    return kinds[(ord(document_id[-1]) + round) % len(kinds)]


def faulty_text(text: str, errors: Sequence[PlantedError]) -> str:
    """The text with every error in its place; each `original` stands in it once."""
    made, at = "", 0
    for error in sorted(errors, key=lambda error: text.index(error.original)):
        start = text.index(error.original)
        made += text[at:start] + error.faulty
        at = start + len(error.original)
    return made + text[at:]


def _item(material: Material, turn: Turn, facets: dict[str, Facet]) -> ReadItem:
    return ReadItem(
        ItemContent(
            (turn,),
            topic=material.topic.key,
            task=material.task.key,
            lang=material.lang,
            facets={**facets, **facets_of([turn])},
        )
    )


def _miscut(cut: Cut, spans: Sequence[Span]) -> str:
    if not cut.begin:
        return ""
    if not 1 <= cut.begin < cut.middle <= cut.end <= len(spans):
        return "begin, middle and end are to be numbers of sentences that go up"
    parts = [cut.middle - cut.begin, cut.end - cut.middle + 1]
    if min(parts) < _LEAST_HALF:
        return f"each part is to have {_LEAST_HALF} sentences or more"
    lengths = [
        spans[cut.middle - 1][0] - spans[cut.begin - 1][0],
        spans[cut.end - 1][1] - spans[cut.middle - 1][0],
    ]
    return "" if min(lengths) >= _LEAST_RATIO * max(lengths) else "one part is far too short"


def _misplanted(planted: PlantedErrors, text: str) -> str:
    spans: list[Span] = []
    for error in planted.errors:
        if not error.original.strip() or text.count(error.original) != 1:
            return f"{error.original!r} does not stand in the continuation once, word for word"
        if error.faulty.strip() == error.original.strip():
            return f"{error.original!r} is left as it is"
        start = text.index(error.original)
        spans.append((start, start + len(error.original)))
    spans.sort()
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        return "two errors overlap"
    return ""


def _missummed(told: EventSummary, material: Material) -> str:
    if not told.event.strip():
        return ""
    if len(told.event) < _SHORTEST_EVENT[material.lang]:
        return "the event is not told in a sentence"
    if len(told.summary) < _SHORTEST_SUMMARY[material.lang]:
        return "the summary is too short"
    if len(told.summary) >= len(material.document.text):
        return "the summary is as long as the report"
    if told.summary.strip() in told.event:
        return "the event already says all of the summary"
    return "" if told.relevant_passage else "no passage of the report is given"
