"""Check (d): whether answers are founded in their passages, read off or computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

from engine.corpus.document import SourceDocument
from engine.generate.drafts import Aspect, Check, Grade
from engine.generate.inspection.check_reasons import say
from engine.generate.question_text import says_nothing
from engine.text.content_words import word_share
from engine.text.numbers import Kind, Number, find_same, numbers, same_number
from engine.text.numbers.words import LETTER_SCALES, SCALES
from engine.text.segmentation import terms
from store.records import ItemContent, Lang, Turn

_LEAST_FOUNDED = 0.8
"""Share of a wordy answer's words that its passages must hold."""
_SHORT_ANSWER = {"zh": 20, "en": 48}
_MOST_FIGURES = 40
_LINKS_TEXT = """
a an the of to by from for in at on and or with as than against whereas while it its each
is are was were came made rose fell stayed higher lower more less
"""
_LINKS = frozenset(_LINKS_TEXT.split())
"""Words that set figures side by side; no passage with a table has them."""
_UNIT_IN_QUESTION = re.compile(
    r"多少[^？?，,]{0,3}[一-鿿]|几[一-鿿]|\bhow (?:many|long)\b|百分之", re.IGNORECASE
)
_NO_UNIT_NEEDED = re.compile(
    r"\b(?:ratio|multiple|times|index|score|number)\b|倍|比率|家数|数量?|笔数"
)


def check_answers(content: ItemContent, by_id: Mapping[str, SourceDocument]) -> Check:
    """The worst grade over the turns, with the reasons of all that is wrong."""
    lang = content.lang
    if content.task == "no_answer":
        return Check(Aspect.ANSWER, Grade.MET, say("refusal_fits", lang))
    grades = [
        _turn(turn, content.turns[:number], lang) for number, turn in enumerate(content.turns)
    ]
    worst = max((grade for grade, _ in grades), key=list(Grade).index)
    reasons = [reason for grade, reason in grades if grade is worst]
    return Check(Aspect.ANSWER, worst, " ".join(dict.fromkeys(reasons)))


def _turn(turn: Turn, earlier: Sequence[Turn], lang: Lang) -> tuple[Grade, str]:
    if not turn.golden_answers:
        return Grade.FAILED, say("no_answer", lang)
    answer = turn.golden_answers[0]
    if says_nothing(answer):
        return Grade.FAILED, say("says_nothing", lang, answer=answer)
    if len(answer) > 1 and answer in turn.question:
        return Grade.FAILED, say("leaked", lang, answer=answer)
    passages = [unit.quote or "" for each in (*earlier, turn) for unit in each.evidence]
    if len(answer) > _SHORT_ANSWER[lang]:
        return _wordy(answer, passages, turn.question, lang)
    if any(form in passage for form in turn.golden_answers for passage in passages):
        return _read_off(turn, answer, lang)
    return _figures(turn, answer, passages, lang)


def _read_off(turn: Turn, answer: str, lang: Lang) -> tuple[Grade, str]:
    figures = numbers(answer)
    is_bare = len(figures) == 1 and figures[0].is_bare and len(answer) == figures[0].end
    needs_unit = not _UNIT_IN_QUESTION.search(turn.question)
    if is_bare and needs_unit and not _NO_UNIT_NEEDED.search(turn.question):
        return Grade.PARTLY, say("no_unit", lang, answer=answer)
    return Grade.MET, say("stands", lang, answer=answer)


def _figures(turn: Turn, answer: str, passages: Sequence[str], lang: Lang) -> tuple[Grade, str]:
    """An answer that is not in the passages as it stands: its number is, or is computed."""
    figures = [number for number in numbers(answer) if number.date is None]
    stated = [number for passage in passages for number in numbers(passage)]
    if not figures:
        dated = numbers(answer)
        if dated and all(find_same(number, stated) for number in dated):
            return Grade.MET, say("stands", lang, answer=answer)
        return Grade.FAILED, say("not_there", lang, answer=answer)
    if all(find_same(number, stated, bare_takes_unit=True) for number in figures):
        return _read_off(turn, answer, lang)
    formula = next(_formulas(figures[0], stated[:_MOST_FIGURES]), "")
    if formula:
        return Grade.MET, say("computed", lang, formula=formula)
    return Grade.FAILED, say("not_computed", lang, answer=answer)


def _formulas(wanted: Number, stated: Sequence[Number]) -> Iterator[str]:
    """The ways in which two stated figures give the wanted one."""
    figures = [number for number in stated if number.date is None and not number.is_year]
    yield from _worked_back(wanted, figures)
    for first in figures:
        for second in figures:
            if first is second or first.kind is not second.kind or second.value == 0:
                continue
            for formula, value, figure in _results(first, second, wanted):
                if _equals(wanted, value, figure):
                    yield formula.format(a=_plain(first), b=_plain(second))


def _worked_back(wanted: Number, figures: Sequence[Number]) -> Iterator[str]:
    """A figure divided by one plus or less its rate of change."""
    rates = [number for number in figures if number.kind is Kind.PERCENT]
    for base in figures:
        if base.kind is not wanted.kind or base.kind is Kind.PERCENT:
            continue
        for rate in rates:
            for sign in (1, -1):
                factor = 1 + sign * abs(rate.value)
                if factor > 0 and _equals(wanted, base.value / factor, base.figure / factor):
                    yield f"{_plain(base)} / {float(factor):g}"


def _results(
    a: Number, b: Number, wanted: Number
) -> Iterator[tuple[str, Fraction, Fraction | None]]:
    """Formulas that could give such a number: their value, and what they give of bare figures.

    A table states its scale at its head, so that an answer has a scale which its figures lack.
    """
    if wanted.kind is Kind.PERCENT:
        yield "({a} - {b}) / {b}", (a.value - b.value) / abs(b.value), None
        yield "{a} / {b}", a.value / b.value, None
        if a.kind is Kind.PERCENT:
            yield "{a} + {b}", a.value + b.value, None
        return
    is_change = wanted.kind is Kind.POINTS and a.kind is Kind.PERCENT
    if is_change or wanted.kind is a.kind or {wanted.kind, a.kind} == {Kind.PLAIN, Kind.AMOUNT}:
        yield "{a} - {b}", a.value - b.value, a.figure - b.figure
        yield "{a} + {b}", a.value + b.value, a.figure + b.figure
    if wanted.kind in (Kind.TIMES, Kind.PLAIN):
        yield "{a} / {b}", a.value / b.value, None


def _equals(wanted: Number, value: Fraction, figure: Fraction | None) -> bool:
    """Equal up to the written precision, whichever the sign."""
    if abs(abs(wanted.value) - abs(value)) <= wanted.step / 2:
        return True
    if figure is None or not wanted.figure:
        return False
    step = wanted.step * wanted.figure / wanted.value
    return abs(abs(wanted.figure) - abs(figure)) <= abs(step) / 2


def _plain(number: Number) -> str:
    return f"{float(number.value):g}"


def _wordy(answer: str, passages: Sequence[str], question: str, lang: Lang) -> tuple[Grade, str]:
    """Words of an answer must come from passages or question, its figures be stated or computed."""
    text = " ".join(passages)
    answered = dict.fromkeys(terms(_without_figures(answer, text)))
    words = [term for term in answered if len(term) > 1 and term not in _LINKS]
    share = word_share(words, f"{text} {question}")
    stated = list(numbers(text)) + list(numbers(question))
    for number in numbers(answer):
        if number.date is not None or number.is_year or number.kind is Kind.ORDINAL:
            continue
        if find_same(number, stated, bare_takes_unit=True) is None and not any(
            same_number(number, other) for other in stated
        ):
            if _says_scale(number, text) and any(_is_scaled(number, other) for other in stated):
                continue
            if next(_formulas(number, stated[:_MOST_FIGURES]), ""):
                continue
            shown = answer[number.start : number.end]
            return Grade.FAILED, say("not_computed", lang, answer=shown)
    if share < _LEAST_FOUNDED:
        return Grade.PARTLY, say("unfounded", lang, share=round(100 * (1 - share)))
    return Grade.MET, say("founded", lang)


def _without_figures(answer: str, passages: str) -> str:
    """The answer without computed figures and scales, which no passage can say word for word."""
    for number in reversed(numbers(answer)):
        written = answer[number.start : number.end]
        if number.date is None and written not in passages:
            answer = f"{answer[: number.start]} {answer[number.end :]}"
    return answer


def _says_scale(number: Number, text: str) -> bool:
    """Returns whether the passages name the scale of a figure somewhere: (in thousands)."""
    if not number.figure:
        return False
    scale = number.value / number.figure
    return any(
        _scale_pattern(word).search(text) for word, worth in SCALES.items() if worth == scale
    )


@cache
def _scale_pattern(word: str) -> re.Pattern[str]:
    """Finds the word of a scale, not a part of another word; a letter behind a sign of money."""
    if not word.isascii():
        return re.compile(word)
    before = "(?<=[$£€])" if word in LETTER_SCALES else "(?<![a-z])"
    return re.compile(f"{before}{word}s?(?![a-z])", re.IGNORECASE)


def _is_scaled(number: Number, stated: Number) -> bool:
    """Returns whether it is a figure of a table with the scale that stands at the table's head.

    $252 thousand is `$ 252` in its row; a figure that has a scale of its own must have the same.
    """
    return (
        stated.value == stated.figure
        and number.figure == stated.figure
        and number.unit == stated.unit
        and number.kind is stated.kind
    )
