"""The natural breaks of a Chinese or English text, each with its strength.

A break is a position between two characters: after the mark that ends the stretch before it, the
closing quotes that belong to it and the white space behind. No break lies inside a word, a number
(`12,345.6 %`, `-3.4亿`, `百分之三十`) or a combining sequence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

from engine.text.segmentation import CJK
from engine.text.tokens import CJK_CHARACTERS, continues_word


class Strength(IntEnum):
    """The quality of a break; higher is better."""

    NONE = 0
    """Inside a word or number, where nothing else is left."""
    WORD = 1
    CLAUSE = 2
    LINE = 3
    SENTENCE = 4
    PARAGRAPH = 5


Break = tuple[int, Strength]

_CLOSING = r"\"'”’」』）)\]】》〉"
_OPENING = r"\"'“‘「『（(\[【《〈"

_SIGNS = r"+\-−$€£¥￥"
# A mark may be repeated without end, as the dots of a table of contents are. What fails from the
# beginning of such a run fails from everywhere in it, so nothing is tried behind its first ones:
# that would take a time that grows with the square of its length.
_STRONG = re.compile(
    r"\n\s*\n\s*"
    rf"|[。！？｡]+[!?{_CLOSING}]*\s*"
    rf"|(?<![.!?]{{64}})[.!?]++[{_CLOSING}]*+\s+"
    rf"|(?<![!?]{{64}})[!?]++(?=[{CJK}“「《])"
)
_WEAK = re.compile(
    r"\n\s*"
    rf"|[，、；：]+[{_CLOSING}]*\s*"
    rf"|(?<![,;:]{{64}})[,;:]++[{_CLOSING}]*+\s+"
    rf"|(?<=[{CJK}])[,;:](?=[{CJK}])"
    r"|(?:…+|—+)\s*"
)
_HAN_NUMBER = "(?:百分之)?[〇零一二两三四五六七八九十百千万亿点]{2,}"
_LATIN = rf"[^\W_{CJK_CHARACTERS}]+"
_ATOM = re.compile(
    rf"[{_OPENING}]*"
    rf"(?:(?:(?<![{_SIGNS}]{{64}})[{_SIGNS}]++)?{_LATIN}(?:[.,:/'’\-–_]{_LATIN})*(?:(?<=\d)[十百千万亿兆]+)?(?:(?<=[\d万亿])\s?[%％‰])?"
    rf"|{_HAN_NUMBER}"
    rf"|(?P<han>(?:(?!{_HAN_NUMBER})[{CJK}])+)"
    r"|\S|\s)"
    rf"[{_CLOSING}，、。；：！？,.;:!?…]*\s*"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|no|vs|st|jr|sr|fig|approx|inc|ltd|co|corp|cf|e\.g|i\.e)|\b[a-z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 8


def strong_breaks(text: str) -> list[Break]:
    """Ends of paragraphs and sentences of `text`, ascending."""
    return list(_outside_words(text, _strong(text)))


def weak_breaks(text: str) -> list[Break]:
    """Ends of lines and clauses of `text`, ascending."""
    breaks = (
        (match.end(), Strength.LINE if "\n" in match.group() else Strength.CLAUSE)
        for match in _WEAK.finditer(text)
    )
    return list(_outside_words(text, breaks))


def word_breaks(text: str) -> list[Break]:
    """Ends of words and numbers of `text`, ascending; Chinese words by the segmenter."""
    return list(_outside_words(text, _words(text)))


def _strong(text: str) -> Iterator[Break]:
    for match in _STRONG.finditer(text):
        mark = match.group()
        if mark[0] == "." and _is_abbreviation(text, match.start(), mark):
            continue
        yield match.end(), _strength(mark)


def _strength(mark: str) -> Strength:
    """A paragraph ends at a blank line, in Chinese also at the end of a line after a sentence."""
    lines = mark.count("\n")
    ends_paragraph = lines > 1 or (lines == 1 and mark[0] in "。！？｡")
    return Strength.PARAGRAPH if ends_paragraph else Strength.SENTENCE


def _is_abbreviation(text: str, at: int, mark: str) -> bool:
    """Whether the full stop at `at` belongs to `No. 5`, `J. Smith` and the like."""
    if len(mark.split("\n")) > 2 or mark.startswith(".."):
        return False
    return _ABBREVIATION.search(text, max(0, at - _LONGEST_ABBREVIATION), at + 1) is not None


def _words(text: str) -> Iterator[Break]:
    for match in _ATOM.finditer(text):
        han = match.group("han")
        if han and len(han) > 1:
            import rjieba

            at = match.start("han")
            for word in rjieba.cut(han)[:-1]:
                at += len(word)
                yield at, Strength.WORD
        yield match.end(), Strength.WORD


def _outside_words(text: str, breaks: Iterator[Break]) -> Iterator[Break]:
    if text.isascii():
        return breaks
    return (pause for pause in breaks if not continues_word(text, pause[0]))
