"""Labels broken into lines for formats in which nobody else breaks them.

Widths are in em of the font size, estimated a little above what common sans-serif fonts take, so
that what fits here fits on the page; or in whatever another measure counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

ELLIPSIS = "⋯"
"""U+22EF: one cell in every terminal, where U+2026 takes two in some."""

Measure = Callable[[str], float]
"""Width of a text: in em, or in the cells of a terminal."""

_NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\- ·")
_WIDE = frozenset("mwMW@%—")
_WORD = re.compile(r"\s+|[^\s\u2e80-\uffef]+|.", re.DOTALL)
_VOWELS = frozenset("aeiouyAEIOUY")
_HYPHEN_MINIMUM = 3  # letters that stay together on either side of a hyphen
_NO_START = frozenset("，。、；：！？）】》」』”’％,.;:!?)]}%")


def em_width(text: str) -> float:
    """Estimated width in em."""
    return sum(_em(character) for character in text)


def _em(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.0
    if character in _NARROW:
        return 0.4
    if character in _WIDE:
        return 1.0
    return 0.74 if character.isupper() else 0.6


def break_label(label: str, width: float, lines: int, measure: Measure = em_width) -> list[str]:
    """The label in at most `lines` lines of at most `width`; a cut one ends with an ellipsis.

    Breaks at spaces and between Chinese characters, inside a word only when it is wider than a
    line, and then with a hyphen. The lines are about equally long.
    """
    tokens = _tokens(" ".join(label.split()), width, measure)
    broken = _filled(tokens, width, measure)
    if len(broken) > lines:
        rest = " ".join(broken[lines - 1 :])
        return [*broken[: lines - 1], cut(rest, width, measure)]
    widest = max(map(measure, tokens), default=0.0)
    while width - 0.5 >= widest:
        width -= 0.5
        narrower = _filled(tokens, width, measure)
        if len(narrower) > len(broken):
            break
        broken = narrower
    return broken


def break_text(text: str, width: float, measure: Measure = em_width) -> list[str]:
    """A paragraph in lines of at most `width`, each as full as it can be."""
    return _filled(_tokens(" ".join(text.split()), width, measure), width, measure)


def flow(
    parts: Sequence[str], separator: str, width: float, measure: Measure = em_width
) -> list[str]:
    """The parts in lines of at most `width`, broken between two of them.

    A part wider than a line has a line of its own, which is too wide.
    """
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}{separator}{part}" if lines else part
        if lines and measure(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def cut(text: str, width: float, measure: Measure = em_width) -> str:
    """The text cut to `width`; a cut text ends with an ellipsis."""
    if measure(text) <= width:
        return text
    while text and measure(text + ELLIPSIS) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _filled(tokens: list[str], width: float, measure: Measure) -> list[str]:
    lines = [""]
    for token in tokens:
        if lines[-1] and measure((lines[-1] + token).rstrip()) > width:
            lines.append("")
        lines[-1] += token if lines[-1] else token.lstrip()
    return [line.rstrip() for line in lines]


def _tokens(label: str, width: float, measure: Measure) -> list[str]:
    tokens: list[str] = []
    for match in _WORD.finditer(label):
        token = match[0]
        if tokens and token in _NO_START:
            tokens[-1] += token
        elif measure(token) > width:
            tokens += _parted(token, width, measure)
        else:
            tokens.append(token)
    return tokens


def _parted(word: str, width: float, measure: Measure) -> list[str]:
    """The word in pieces that fit; where letters meet, the piece before ends with a hyphen."""
    pieces = []
    while measure(word) > width and len(word) > 1:
        fitting = [
            at for at in range(1, len(word)) if measure(_with_hyphen(word[:at], word[at])) <= width
        ]
        cuts = fitting or [1]
        at = max([at for at in cuts if _may_part(word, at)] or cuts)
        pieces.append(_with_hyphen(word[:at], word[at]))
        word = word[at:]
    return [*pieces, word]


def _with_hyphen(piece: str, following: str) -> str:
    return f"{piece}-" if piece[-1].isalpha() and following.isalpha() else piece


def _may_part(word: str, at: int) -> bool:
    """Returns whether a cut looks like the start of a syllable: a consonant before a vowel, or no
    letter.

    A rule of thumb for English, for which a dictionary would be out of proportion.
    """
    if not (word[at - 1].isalpha() and word[at].isalpha()):
        return True
    is_long_enough = at >= _HYPHEN_MINIMUM and len(word) - at >= _HYPHEN_MINIMUM
    return is_long_enough and word[at] not in _VOWELS and word[at + 1] in _VOWELS
