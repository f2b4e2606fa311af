"""Check (a): whether an item meets the requirement of its task, as far as rules can tell."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.generate.drafts import Aspect, Check, Grade
from engine.generate.inspection.check_reasons import joined, say
from engine.generate.question_text import affirms, is_yes_no, leans_back
from engine.taxonomy.shapes import shape_faults
from engine.text.content_words import word_share
from engine.text.numbers import find_same, numbers
from engine.text.segmentation import terms
from engine.text.sentences import sentences
from store.records import ItemContent, Lang, Task

_LEAST_LONG = {"zh": 50, "en": 120}
"""Characters of the shortest paragraph."""
_SHORT_TURN = {"zh": 12, "en": 40}
"""A later question of so many characters can hardly stand alone."""
_ASKED_WORDS = 0.75
_COMPARES = re.compile(
    r"相比|比较|对比|分别|各是|各自|哪[个家只种类]?更|哪[个家].*[高低大小多少]|区别|不同|差异|异同"
    r"|\bcompar|\bwhich of|\bdiffer|\bversus\b|\bthan\b|\bboth\b|\bhigher\b|\blower\b"
    r"|\brespectively",
    re.IGNORECASE,
)
_NAMES: dict[str, tuple[str, str]] = {
    "difference": ("两数相减", "a difference of two figures"),
    "growth": ("计算增长率", "a rate of change"),
    "ratio": ("计算比值", "a ratio of two figures"),
    "share": ("计算占比", "a share of a total"),
    "year_before": ("由本期数和同比增速反推上年同期", "a figure worked back by its rate of change"),
    "lookup": ("先找出极值所在的行，再查另一列", "the largest row, then another column of it"),
    "chain": ("先查出实体，再查它的另一项信息", "one document names what the other tells of"),
}


def check_task(content: ItemContent, task: Task) -> Check:
    """The check of the task's shape, then of a known task's requirement; another requirement is
    met, saying that nothing was checked. That there is no passage is for another check to say."""
    if faults := shape_faults(content, task, may_lack=True):
        reasons = joined((fault.text(content.lang) for fault in faults), content.lang)
        return Check(Aspect.TASK, Grade.FAILED, reasons)
    check = _CHECKS.get(task.key)
    if task.shape == "conversation":
        check = _conversation
    if check is None:
        return _met("not_checked", content.lang)
    first = content.turns[0]
    if is_yes_no(first.question) and first.golden_answers and affirms(first.golden_answers[0]):
        return _failed("affirmed", content.lang)
    return check(content)


def _extractive(content: ItemContent) -> Check:
    turn = content.turns[0]
    quotes = " ".join(passage.quote or "" for passage in turn.evidence)
    if not any(form in quotes for form in turn.golden_answers) and not _same_figure(content):
        return _partly("several_places", content.lang)
    if is_yes_no(turn.question):
        return _partly("yes_no", content.lang)
    return _met("one_place", content.lang)


def _same_figure(content: ItemContent) -> bool:
    turn = content.turns[0]
    stated = [number for passage in turn.evidence for number in numbers(passage.quote or "")]
    expected = numbers(turn.golden_answers[0]) if turn.golden_answers else ()
    return bool(expected) and all(
        find_same(number, stated, bare_takes_unit=True) is not None for number in expected
    )


def _multi_hop(content: ItemContent) -> Check:
    turn = content.turns[0]
    lang = content.lang
    if not turn.golden_answers or _one_sentence_answers(content):
        return _failed("one_step", lang)
    kind = str(content.facets.get("kind", ""))
    named = _NAMES.get(kind, ("多步推理", "several steps"))[0 if lang == "zh" else 1]
    steps = content.facets.get("steps", 2)
    return _met("two_steps", lang, steps=steps, kind=named)


def _one_sentence_answers(content: ItemContent) -> bool:
    """Returns whether one sentence holds the answer, being the only one or having the question's
    words.

    A look-up made by rule says what its first step is; its answer stands in a row all the same.
    """
    turn = content.turns[0]
    if content.facets.get("kind") in _NAMES:
        return False
    quotes = [passage.quote or "" for passage in turn.evidence]
    is_only = sum(len(sentences(quote)) for quote in quotes) == 1
    asked = [term for term in dict.fromkeys(terms(turn.question)) if len(term) > 1]
    for passage in turn.evidence:
        quote = passage.quote or ""
        for start, end in sentences(quote):
            sentence = quote[start:end]
            holds = any(form in sentence for form in turn.golden_answers)
            if holds and (is_only or word_share(asked, sentence) >= _ASKED_WORDS):
                return True
    return False


def _contrast(content: ItemContent) -> Check:
    turn = content.turns[0]
    if not _COMPARES.search(turn.question):
        return _failed("one_side", content.lang)
    return _met("two_sides", content.lang, count=len(turn.evidence))


def _long_form(content: ItemContent) -> Check:
    answer = content.turns[0].golden_answers[0] if content.turns[0].golden_answers else ""
    count = len(sentences(answer))
    if len(answer) < _LEAST_LONG[content.lang]:
        return _failed("short", content.lang)
    if count < 2:
        return _partly("short", content.lang)
    return _met("long", content.lang, count=count)


def _conversation(content: ItemContent) -> Check:
    lang = content.lang
    answers = [turn.golden_answers[:1] for turn in content.turns]
    if len(set(answers)) < len(answers):
        return _partly("repeated", lang)
    for number, turn in enumerate(content.turns[1:], start=2):
        if not leans_back(turn.question) and len(turn.question) > _SHORT_TURN[lang]:
            return _partly("independent", lang, turn=number)
    return _met("turns", lang, count=len(content.turns))


def _met(reason: str, lang: Lang, **slots: object) -> Check:
    return Check(Aspect.TASK, Grade.MET, say(reason, lang, **slots))


def _failed(reason: str, lang: Lang, **slots: object) -> Check:
    return Check(Aspect.TASK, Grade.FAILED, say(reason, lang, **slots))


def _partly(reason: str, lang: Lang, **slots: object) -> Check:
    return Check(Aspect.TASK, Grade.PARTLY, say(reason, lang, **slots))


_CHECKS: dict[str, Callable[[ItemContent], Check]] = {
    "extractive": _extractive,
    "qa_1doc": _extractive,
    "multi_hop": _multi_hop,
    "numerical": _multi_hop,
    "contrast": _contrast,
    "long_form": _long_form,
    "summarization": _long_form,
}
