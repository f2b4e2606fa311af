"""The numbers that a prediction states in earnest, beside a golden answer.

A number does not count where it marks a place in a list or a source (`2.`, 参考材料2, [3]), where
it is one of several that are offered, and where it is taken back or denied. Two numbers in the
same place of both texts are compared with each other and with nothing else, so that a changed
number is found even where the question gives the right one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from engine.judge.rules.claims import claims, measures
from engine.judge.rules.matching import folded, is_denial_of, numbers_of
from engine.text.content_words import content_terms
from engine.text.numbers import Number, comparable, find_same, same_number
from engine.text.word_lists import word_list


def _any(heading: str) -> str:
    return "|".join(word_list("engine.judge.rules", heading))


_ALTERNATIVE = re.compile(
    rf"(?:[一-鿿]{{0,2}}|(?: [A-Za-z]+){{0,2}})[ ,，、]*(?:{_any('between alternatives')})[ ,，]*"
    r"(?:是|大约|约|about)?[ ]?",
    re.IGNORECASE,
)
_COMMA = re.compile(r" ?[,，、] ?")
_CORRECTION = re.compile(_any("of a correction"), re.IGNORECASE)
_DENIED = re.compile(rf"(?:{_any('denying the next number')}) ?$", re.IGNORECASE)
_FROM = re.compile(rf"(?:{_any('beginning a change')}) ?$", re.IGNORECASE)
_TO = re.compile(_any("ending a change"), re.IGNORECASE)
_WINDOW = 16
_LONGEST_CORRECTION = 40
_LONGEST_CHANGE = 24


class Reading(Struct, frozen=True):
    """A prediction's numbers, read beside one golden answer."""

    stated: tuple[Number, ...]
    """Those that it states in earnest."""
    changed: tuple[tuple[Number, Number], ...]
    """Numbers of the golden answer with the other numbers that stand in their places."""
    years: frozenset[int]
    """The years that the question or the prediction names: a date may leave them out."""

    def find(self, number: Number, *, bare_takes_unit: bool = False) -> Number | None:
        """The stated number that gives the golden `number`, if any does."""
        year = None if number.date is None else number.date.year
        if year is None or year in self.years:
            among: Iterable[Number] = self.stated
        else:
            among = (other for other in self.stated if other.year is not None)
        return find_same(number, among, bare_takes_unit=bare_takes_unit)


@lru_cache(maxsize=256)
def read(golden: str, prediction: str, asked: str) -> Reading:
    """Reads the numbers of `prediction` as an answer to `asked` beside a golden answer."""
    wanted, written = measures(golden), measures(prediction)
    given = numbers_of(asked)
    changed = (*_changed(golden, wanted, prediction, written, given),)
    withdrawn = {
        number.start
        for number in (
            *_in_doubt(prediction, written, wanted),
            *_denied(prediction, written, golden),
            *_reversed(prediction, written, golden, wanted),
        )
    }
    stated = tuple(number for number in written if number.start not in withdrawn)
    years = {number.year for number in (*given, *written)} - {None}
    return Reading(stated, changed, frozenset(year for year in years if year is not None))


def _in_doubt(text: str, written: Sequence[Number], golden: Sequence[Number]) -> Iterator[Number]:
    """Numbers offered as alternatives, taken back, or said not to be it; unless the golden answer
    names the two one after the other."""
    is_listed = False
    for at in range(len(written) - 2, -1, -1):
        one, other = written[at], written[at + 1]
        gap = text[one.end : other.start]
        is_listed = bool(_ALTERNATIVE.fullmatch(gap) or (is_listed and _COMMA.fullmatch(gap)))
        differ = comparable(one, other) and not same_number(one, other)
        if not differ or _are_neighbours(one, other, golden):
            continue
        if is_listed:
            yield from (one, other)
        elif len(gap) <= _LONGEST_CORRECTION and _CORRECTION.search(gap):
            yield one
    for number in written:
        if _DENIED.search(text, max(0, number.start - _WINDOW), number.start):
            yield number


def _are_neighbours(one: Number, other: Number, golden: Sequence[Number]) -> bool:
    return any(
        (same_number(a, one) and same_number(b, other))
        or (same_number(a, other) and same_number(b, one))
        for a, b in itertools.pairwise(golden)
    )


def _denied(text: str, written: Sequence[Number], golden: str) -> Iterator[Number]:
    """Numbers of claims that deny what the golden answer says."""
    restated = {folded(aspect.text) for aspect in claims(golden)}
    for claim in claims(text):
        if not claim.numbers or folded(claim.text) in restated:
            continue
        if any(is_denial_of(aspect, claim) for aspect in claims(golden)):
            values = {(number.kind, number.value) for number in claim.numbers}
            yield from (one for one in written if (one.kind, one.value) in values)


def _reversed(
    text: str, written: Sequence[Number], golden: str, wanted: Sequence[Number]
) -> Iterator[Number]:
    """Both numbers of a change that the golden answer states in the other direction."""
    stated = list(_changes(text, written))
    for one, other in _changes(golden, wanted) if stated else ():
        for begin, end in stated:
            if same_number(one, end) and same_number(other, begin) and not same_number(one, other):
                yield from (begin, end)


def _changes(text: str, figures: Sequence[Number]) -> Iterator[tuple[Number, Number]]:
    """The pairs of numbers between which something changed: from 5 % to 3 %."""
    for one, other in itertools.pairwise(figures):
        gap = text[one.end : other.start]
        if len(gap) > _LONGEST_CHANGE or not _TO.search(gap):
            continue
        if _FROM.search(text, max(0, one.start - _WINDOW), one.start):
            yield one, other


_PLACE = 48
"""Characters on each side that make the place of a number; numbers count as one."""
_LEAST_PLACE = 12
"""What both sides have to share at least: a Chinese character counts 2, a Latin one 1."""


def _changed(
    golden: str,
    wanted: Sequence[Number],
    prediction: str,
    written: Sequence[Number],
    given: Sequence[Number],
) -> Iterator[tuple[Number, Number]]:
    """Numbers of both texts that stand in one place, and differ."""
    if not (wanted and written) or golden == prediction:
        return
    places, others = _places(golden, wanted), _places(prediction, written)
    best = [_best(place, others) for place in places]
    back = [_best(place, places) for place in others]
    for at, number in enumerate(wanted):
        stands = best[at]
        if stands is None or back[stands] != at:
            continue
        other = written[stands]
        if same_number(number, other, bare_takes_unit=number.is_bare):
            continue
        # what the question says may be repeated with fewer parts of the date
        if find_same(number, given) and same_number(other, number):
            continue
        yield number, other
    yield from _swapped(golden, wanted, prediction, written)


def _places(text: str, figures: Sequence[Number]) -> list[tuple[str, str]]:
    """What stands before each number, read backwards, and what stands after it."""
    parts, at = [], 0
    for number in figures:
        parts.append(_plain(text[at : number.start]))
        at = number.end
    parts.append(_plain(text[at:]))
    whole = "#".join(parts)
    places, at = [], 0
    for part in parts[:-1]:
        at += len(part)
        before = f"^{whole[:at]}"[-_PLACE:]
        places.append((before[::-1], f"{whole[at + 1 :]}$"[:_PLACE]))
        at += 1
    return places


_SKIPPED = re.compile(r"[^\w。]+|_")


def _plain(text: str) -> str:
    return _SKIPPED.sub("", text).casefold()


def _best(place: tuple[str, str], among: Sequence[tuple[str, str]]) -> int | None:
    """The index of the one place that shares most with `place`; none where two share as much."""
    shared = [_shared(place, other) for other in among]
    most = max(shared, default=0)
    return shared.index(most) if most >= _LEAST_PLACE and shared.count(most) == 1 else None


def _shared(one: tuple[str, str], other: tuple[str, str]) -> int:
    before, after = _common(one[0], other[0]), _common(one[1], other[1])
    return _weight(before) + _weight(after) if before and after else 0


def _common(one: str, other: str) -> str:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return one[:at]
    return one[: len(other)]


def _weight(text: str) -> int:
    return sum(1 if char.isascii() and char not in "^$" else 2 for char in text)


def _swapped(
    golden: str, wanted: Sequence[Number], prediction: str, written: Sequence[Number]
) -> Iterator[tuple[Number, Number]]:
    """Numbers that the prediction gives to each other's names: revenue 3, profit 5 for the
    reverse."""
    labels, others = _labels(golden, wanted), _labels(prediction, written)
    for at, one in enumerate(wanted):
        for to in range(at + 1, len(wanted)):
            two = wanted[to]
            if not comparable(one, two) or same_number(one, two):
                continue
            first, second = labels[at] - labels[to], labels[to] - labels[at]
            if not (first and second):
                continue
            ones = [i for i, number in enumerate(written) if same_number(one, number)]
            twos = [i for i, number in enumerate(written) if same_number(two, number)]
            if len(ones) != 1 or len(twos) != 1:
                continue
            mine, its = others[ones[0]], others[twos[0]]
            if second <= mine and first <= its and not (first & mine or second & its):
                yield one, written[twos[0]]
                yield two, written[ones[0]]


_CLAUSE = re.compile(r".*[。；;!?！？\n]", re.DOTALL)


def _labels(text: str, figures: Sequence[Number]) -> list[set[str]]:
    """The content words between each number and the one before it in its sentence."""
    labels, at = [], 0
    for number in figures:
        between = text[at : number.start]
        clause = _CLAUSE.match(between)
        labels.append(set(content_terms(between[clause.end() :] if clause else between)))
        at = number.end
    return labels
