"""The parts of a question: its content words, its answer's form, the computation it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from engine.answer.offline import cues
from engine.answer.offline.cues import Operation
from engine.text.content_words import content_terms, stem
from engine.text.numbers import Kind, Number, numbers
from store.records import Lang

_HAN = re.compile(r"[\u3400-\u9fff]")


class Form(StrEnum):
    FIGURE = "figure"
    NAME = "name"
    LONG = "long"
    COMPARISON = "comparison"
    YES_NO = "yes_no"


class Question(Struct, frozen=True):
    text: str
    lang: Lang
    weights: dict[str, float]
    """Content words (as `stem` gives them) and how much each counts; history counts less."""
    form: Form
    kinds: tuple[Kind, ...]
    """Kinds of number that would answer it, best first; empty when none is asked for."""
    operation: Operation | None
    years: tuple[int, ...]
    figures: tuple[Number, ...]
    """Numbers that the question itself states."""
    measure: str
    """The measure word it asks for: 份 of 多少份, the stem of `alerts` of "how many alerts"."""


def question_lang(text: str) -> Lang:
    """Chinese as soon as it holds Han characters."""
    return "zh" if _HAN.search(text) else "en"


def read_question(text: str, history: Sequence[tuple[str, str]] = ()) -> Question:
    """The question as it stands, leaning on earlier turns where it is elliptic.

    Words of the last question count 0.6 when this one is short or refers back, else 0.2; words of
    its answer count half of that.
    """
    own = content_terms(text)
    weights: dict[str, float] = {}
    source = text
    if history:
        last_question, last_answer = history[-1]
        leans = bool(cues.LEANS_BACK.search(text)) or len(own) <= 3
        share = 0.6 if leans else 0.2
        weights.update(dict.fromkeys(content_terms(last_answer), share / 2))
        weights.update(dict.fromkeys(content_terms(last_question), share))
        if leans and len(own) <= 3:
            source = _borrowed(text, last_question)
    weights.update(dict.fromkeys(own, 1.0))
    figures = numbers(text)
    years = tuple(dict.fromkeys(year for number in figures if (year := number.year)))
    kinds = _kinds(source)
    operation = _operation(source)
    return Question(
        text=text,
        lang=question_lang(text),
        weights=weights,
        form=_form(source, kinds, operation),
        kinds=kinds,
        operation=operation,
        years=years,
        figures=figures,
        measure=_measure(text),
    )


def _borrowed(text: str, last_question: str) -> str:
    """The question that decides the form: this one, or the one before where this asks nothing
    itself."""
    asks = (
        _kinds(text)
        or cues.LONG.search(text)
        or cues.YES_NO.search(text)
        or cues.COMPARISON.search(text)
    )
    return text if asks else last_question


_MEASURE_ZH = re.compile(r"(?:多少|几)(?P<measure>[\u4e00-\u9fff])")
_MEASURE_EN = re.compile(r"\bhow many (?:\w+ )?(?P<measure>[a-z]{4,})", re.IGNORECASE)


def _measure(text: str) -> str:
    match = _MEASURE_ZH.search(text) or _MEASURE_EN.search(text)
    return stem(match["measure"].lower()) if match else ""


def _kinds(text: str) -> tuple[Kind, ...]:
    for cue, kinds in cues.KINDS:
        if cue.search(text):
            return kinds
    return ()


def _operation(text: str) -> Operation | None:
    for operation, cue in cues.OPERATIONS:
        if cue.search(text):
            return operation
    return None


def _form(text: str, kinds: tuple[Kind, ...], operation: Operation | None) -> Form:
    is_long = bool(cues.LONG.search(text.strip()))
    if operation in (Operation.LARGEST, Operation.SMALLEST, Operation.COUNT_ABOVE):
        return Form.FIGURE
    if cues.YES_NO.search(text.strip()):
        return Form.YES_NO
    if cues.COMPARISON.search(text) and not operation:
        return Form.COMPARISON
    if is_long and not (kinds and operation):
        return Form.LONG
    return Form.FIGURE if kinds or operation else Form.NAME
