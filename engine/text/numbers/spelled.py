"""Reads English number words: `eight years`, `twenty-five`, `three million dollars`."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.text.numbers import grammar
from engine.text.numbers.direction import direction
from engine.text.numbers.figures import chinese_value
from engine.text.numbers.records import GROWTH, Kind, Number
from engine.text.numbers.words import SCALES, UNITS, Unit

_ONES = "one two three four five six seven eight nine ten eleven twelve"
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORTH = {word: worth for worth, word in enumerate(f"{_ONES} {_TEENS}".split(), start=1)} | {
    word: 10 * worth for worth, word in enumerate(_TENS.split(), start=2)
}
_SPELLED = re.compile(
    rf"\b(?P<word>{'|'.join(sorted(_WORTH, key=lambda word: (-len(word), word)))})"
    rf"(?:-(?P<ones>{'|'.join(_ONES.split()[:9])}))?(?![A-Za-z])(?!-[A-Za-z]*\d)"
    r"(?: and (?:a |one[- ])?(?P<part>half|quarter|three quarters)(?![A-Za-z]))?"
    r"(?: (?P<scale>hundred|thousand|lakh|million|crore|billion|trillion)s?(?![A-Za-z]))?"
    rf"(?:[ -](?P<unit>{grammar.UNIT}))?",
    re.IGNORECASE,
)
_TIMES = {"doubled": 2, "tripled": 3, "quadrupled": 4}
_GROWN = re.compile(
    rf"翻了?(?P<count>[1-9一二两三四])番|\b(?P<word>{'|'.join(_TIMES)})\b", re.IGNORECASE
)
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "three quarters": Fraction(3, 4)}
_BARE: Unit = (Kind.PLAIN, "", Fraction(1))


def spelled_numbers(folded: str) -> list[Number]:
    """The spelled-out numbers of a folded text, in order; a lone `one` is a pronoun, not a number.

    Reads one to ninety-nine, also with a half or quarters (twelve and a half), with one scale word
    and a unit; not "two hundred and five". Words of growth (翻了一番, doubled) are shares.
    """
    spelled = []
    for match in _SPELLED.finditer(folded):
        if match["word"].lower() == "one" and not (match["scale"] or match["unit"]):
            continue
        figure = Fraction(_WORTH[match["word"].lower()])
        if match["ones"]:
            figure += _WORTH[match["ones"].lower()]
        step = Fraction(1)
        if match["part"]:
            step = Fraction(1, 100)
            figure += _PARTS[match["part"].lower()]
        kind, unit, factor = UNITS[match["unit"].lower()] if match["unit"] else _BARE
        worth = SCALES[match["scale"].lower()] * factor if match["scale"] else factor
        spelled.append(
            Number(
                start=match.start(),
                end=match.end(),
                value=figure * worth,
                figure=figure,
                step=step * worth,
                kind=kind,
                unit=unit,
                direction=direction(folded, match.start(), match.end()),
            )
        )
    return spelled + [_growth(match) for match in _GROWN.finditer(folded)]


def _growth(match: re.Match[str]) -> Number:
    """翻两番 is 300 %: twice doubled; tripled is 200 %."""
    times = _TIMES[match["word"].lower()] if match["word"] else 2 ** _count(match["count"])
    return Number(
        start=match.start(),
        end=match.end(),
        value=Fraction(times - 1),
        figure=Fraction(100 * (times - 1)),
        step=Fraction(0),
        kind=Kind.PERCENT,
        unit=GROWTH,
        direction=1,
    )


def _count(written: str) -> int:
    return int(written) if written.isascii() else int(chinese_value(written)[0])
