"""Cases changed by rule, for probes: a judge's value must stay, or must fall."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.judge.base import Case
from engine.text.numbers import find_same, numbers
from store.records import Lang

Must = Literal["stay", "fall"]
SAME = "same/1"
"""The case as it is: judged again and again, it tells how often a value changes by itself."""
GOLDEN = "golden/1"
"""The golden answer as the answer: what errors are planted in."""


class Around(Struct, frozen=True):
    """What a change may need beside the case."""

    model: str
    """The name of the judge's own model, or of the judge where it has none."""
    other: Case | None
    """A case about another question."""


Make = Callable[[Case, Around], Case | None]
"""The changed case; none where it cannot be changed so."""


class Change(Struct, frozen=True):
    """A change of a case."""

    key: str
    """Its name and version: values are stored under it."""
    make: Make
    against: str
    """The change that its value is compared with."""
    must: Must | None
    """None for a change that others are compared with only."""
    in_words: str

    @property
    def name(self) -> str:
        return self.key.partition("/")[0]


_PADDED: Mapping[Lang, str] = {
    "en": '{answer} To answer the question "{question}" once more: {answer}',
    "zh": "{answer}再次回答“{question}”这一问题：{answer}",
}
_CITED: Mapping[Lang, str] = {
    "en": "According to an independent expert review: {answer}",
    "zh": "据独立专家评审：{answer}",
}
_UNFOUNDED: Mapping[Lang, str] = {
    "en": "According to an unverified anonymous note: {answer}",
    "zh": "据未经核实传言：{answer}",
}
_LABELLED: Mapping[Lang, str] = {
    "en": "As stated by {model}: {answer}",
    "zh": "{model} 的回答：{answer}",
}
_DENIED: Mapping[Lang, str] = {
    "en": "The following is false: {answer}",
    "zh": "以下说法是错误的：{answer}",
}
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_LONG = re.compile(r"(?<![\d.,])[1-9]\d{4,}(?![\d,])")
_FULL_WIDTH = str.maketrans("0123456789%", "０１２３４５６７８９％")


def _same(case: Case, around: Around) -> Case:
    return case


def _reversed(case: Case, around: Around) -> Case | None:
    if len(case.passages) < 2:
        return None
    return replace(case, passages=case.passages[::-1])


def _padded(case: Case, around: Around) -> Case:
    text = _PADDED[case.lang].format(answer=case.answer.strip(), question=case.question)
    return replace(case, answer=text)


def _notation(case: Case, around: Around) -> Case | None:
    """Groups the digits of long numbers, or ungroups them; of others writes them in full width."""
    before = numbers(case.answer)
    if _GROUPED.search(case.answer):
        text = _GROUPED.sub(lambda match: match[0].replace(",", ""), case.answer)
    elif _LONG.search(case.answer):
        text = _LONG.sub(lambda match: f"{int(match[0]):,}", case.answer)
    else:
        text = case.answer.translate(_FULL_WIDTH)
    after = numbers(text)
    same = len(before) == len(after) and all(
        find_same(mine, [its]) is not None for mine, its in zip(before, after, strict=True)
    )
    return replace(case, answer=text) if same and text != case.answer else None


def _cited(case: Case, around: Around) -> Case:
    return replace(case, answer=_CITED[case.lang].format(answer=case.answer))


def _unfounded(case: Case, around: Around) -> Case:
    return replace(case, answer=_UNFOUNDED[case.lang].format(answer=case.answer))


def _labelled_own(case: Case, around: Around) -> Case:
    return _labelled(case, around.model)


def _labelled_other(case: Case, around: Around) -> Case:
    return _labelled(case, other_name(around.model))


def other_name(model: str) -> str:
    """A name that no model has, as long as that one and shaped as it: each letter is replaced by
    the one 13 places on. A judge that likes length or names likes both."""
    return codecs.encode(model, "rot13")


def _labelled(case: Case, model: str) -> Case:
    return replace(case, answer=_LABELLED[case.lang].format(model=model, answer=case.answer))


def _golden(case: Case, around: Around) -> Case | None:
    return replace(case, answer=case.golden_answers[0]) if case.golden_answers else None


def _wrong_number(case: Case, around: Around) -> Case | None:
    """The golden answer with the first digit of a number changed, so that it is no golden one."""
    if not case.golden_answers:
        return None
    text = case.golden_answers[0]
    right = [number for golden in case.golden_answers for number in numbers(golden)]
    for number in numbers(text):
        found = re.search(r"[1-9]", text[number.start : number.end])
        if found is None:
            continue
        at = number.start + found.start()
        digit = str(int(text[at]) % 9 + 1)
        changed = text[:at] + digit + text[at + 1 :]
        wrong = [one for one in numbers(changed) if one.start <= at < one.end]
        if wrong and find_same(wrong[0], right) is None:
            return replace(case, answer=changed)
    return None


def _denied(case: Case, around: Around) -> Case | None:
    if not case.golden_answers:
        return None
    return replace(case, answer=_DENIED[case.lang].format(answer=case.golden_answers[0]))


def _wrong_answer(case: Case, around: Around) -> Case | None:
    """The golden answer to another question."""
    other = around.other
    if other is None or not other.golden_answers or not case.golden_answers:
        return None
    text = other.golden_answers[0]
    if any(_folded(text) == _folded(golden) for golden in case.golden_answers):
        return None
    return replace(case, answer=text)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


CHANGES: Sequence[Change] = (
    Change(SAME, _same, SAME, None, "the same case again"),
    Change("order/1", _reversed, SAME, "stay", "passages in reverse order"),
    Change("length/1", _padded, SAME, "stay", "question and answer repeated, nothing added"),
    Change("notation/1", _notation, SAME, "stay", "numbers in another notation"),
    Change("unfounded/1", _unfounded, SAME, None, "an anonymous note named as the source"),
    Change(
        "authority/2",
        _cited,
        "unfounded/1",
        "stay",
        "an expert review named as the source, against an anonymous note",
    ),
    Change("other-label/2", _labelled_other, SAME, None, "an invented model named as the author"),
    Change(
        "own-family/2",
        _labelled_own,
        "other-label/2",
        "stay",
        "the judge's own model named as the author, against an invented one",
    ),
    Change(GOLDEN, _golden, GOLDEN, None, "the golden answer as the answer"),
    Change(
        "wrong-number/1", _wrong_number, GOLDEN, "fall", "a number of the golden answer changed"
    ),
    Change("denied/1", _denied, GOLDEN, "fall", "it is called false"),
    Change(
        "wrong-answer/1", _wrong_answer, GOLDEN, "fall", "the golden answer to another question"
    ),
)
"""In the order of asking."""

_OF_ONE_MODEL = ("other-label/2", "own-family/2")
"""Those that name the judge's own model: a jury has several."""


def changes_of(prompts: str, *, is_jury: bool) -> Collection[str] | None:
    """The changes that a judge is asked about: of another wording, the answers as they are, once;
    None for all."""
    if prompts:
        return (SAME,)
    if is_jury:
        return tuple(change.key for change in CHANGES if change.key not in _OF_ONE_MODEL)
    return None
