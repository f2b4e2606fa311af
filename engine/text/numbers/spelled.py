"""Reads English number words: `eight years`, `twenty-five`, `three million dollars`."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.text.numbers import grammar
from engine.text.numbers.direction import direction
from engine.text.numbers.records import Kind, Number
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
    r"(?: (?P<scale>hundred|thousand|million|billion|trillion)(?![A-Za-z]))?"
    rf"(?:[ -](?P<unit>{grammar.UNIT}))?",
    re.IGNORECASE,
)
_BARE: Unit = (Kind.PLAIN, "", Fraction(1))


def spelled_numbers(folded: str) -> list[Number]:
    """The spelled-out numbers of a folded text, in order; a lone `one` is a pronoun, not a number.

    Reads one to ninety-nine, with one scale word and a unit; not "two hundred and five".
    """
    spelled = []
    for match in _SPELLED.finditer(folded):
        if match["word"].lower() == "one" and not (match["scale"] or match["unit"]):
            continue
        figure = Fraction(_WORTH[match["word"].lower()])
        if match["ones"]:
            figure += _WORTH[match["ones"].lower()]
        kind, unit, factor = UNITS[match["unit"].lower()] if match["unit"] else _BARE
        worth = SCALES[match["scale"].lower()] * factor if match["scale"] else factor
        spelled.append(
            Number(
                start=match.start(),
                end=match.end(),
                value=figure * worth,
                figure=figure,
                step=Fraction(worth),
                kind=kind,
                unit=unit,
                direction=direction(folded, match.start(), match.end()),
            )
        )
    return spelled
